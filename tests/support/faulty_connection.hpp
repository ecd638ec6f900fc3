// A connection that fails at a chosen statement, in the ways in which real ones fail.
//
//   support::sweep(support::Fault::lost, [&](const std::shared_ptr<support::FaultPlan>& plan) {
//       const support::FreshStore fresh(engine);
//       store::Pool pool(support::faulty(fresh.connect(), plan), 2, support::no_waiting());
//       …                                        the tested call, and what must hold afterwards
//   });
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <utility>

#include "store/pool.hpp"
#include "support/forwarding_connection.hpp"
#include "support/strikes.hpp"

namespace support {

enum class Fault {
    lost,           // the connection is gone; the server rolls back
    deadlock,       // this transaction is the victim; the server rolls back
    lost_commit,    // COMMIT was carried out, its answer never came
    undone_commit,  // COMMIT never arrived, which looks the same from here
};
inline constexpr std::array all_faults{Fault::lost, Fault::deadlock, Fault::lost_commit,
                                       Fault::undone_commit};

// Counts statements (begin, query, execute, commit; for the two commit faults: commits only)
// over all connections that share it, and fails once, at the `at`-th (from 1). With 0 it only counts.
class FaultPlan {
   public:
    FaultPlan(Fault fault, int at) : fault_(fault), at_(at) {}
    [[nodiscard]] Fault fault() const { return fault_; }
    [[nodiscard]] int at() const { return at_; }
    [[nodiscard]] bool struck() const { return at_ > 0 && seen() >= at_; }
    [[nodiscard]] int seen() const { return statements().all; }  // so far
    [[nodiscard]] Statements statements() const {
        const std::scoped_lock lock(mutex_);
        return statements_;
    }

    enum class Next { statement, commit_of_reading, commit_of_writing };
    [[nodiscard]] bool strikes_at(Next next) {
        const bool counts_all = fault_ == Fault::lost || fault_ == Fault::deadlock;
        if (next == Next::statement && !counts_all) return false;
        const std::scoped_lock lock(mutex_);
        statements_.count(next == Next::commit_of_writing);
        return statements_.all == at_;
    }

   private:
    const Fault fault_;
    const int at_;
    mutable std::mutex mutex_;
    Statements statements_;
};

// Runs the scenario without a fault, and then with it at some of the statements of that run (see
// support/strikes.hpp). The scenario makes its own store, and checks what it leaves.
//   scenario  is called with a std::shared_ptr<FaultPlan>
//   returns   how often the fault happened; at least once
template <class Scenario>
int sweep(Fault fault, Scenario scenario) {
    const auto calm = std::make_shared<FaultPlan>(fault, 0);
    {
        INFO("no fault");
        scenario(calm);
    }
    const auto statements = calm->statements();
    int struck = 0;
    for (const int at : strikes_in(statements, static_cast<unsigned>(fault))) {
        INFO("fault " << static_cast<int>(fault) << " at " << at << " of " << statements.all);
        const auto plan = std::make_shared<FaultPlan>(fault, at);
        scenario(plan);
        if (plan->struck()) ++struck;
    }
    REQUIRE(struck > 0);
    return struck;
}

class FaultyConnection final : public ForwardingConnection {
   public:
    FaultyConnection(std::unique_ptr<store::Connection> real, std::shared_ptr<FaultPlan> plan)
        : ForwardingConnection(std::move(real)), plan_(std::move(plan)) {}

    [[nodiscard]] store::Rows query(std::string_view sql,
                                    std::span<const store::Value> values = {}) override {
        strike_before_statement();
        return ForwardingConnection::query(sql, values);
    }
    std::int64_t execute(std::string_view sql,
                         std::span<const store::Value> values = {}) override {
        strike_before_statement();
        return ForwardingConnection::execute(sql, values);
    }
    void begin(store::Access access) override {
        strike_before_statement();
        ForwardingConnection::begin(access);
        access_ = access;
    }
    void commit() override {
        using Next = FaultPlan::Next;
        const bool has_written = access_ == store::Access::write;
        if (!plan_->strikes_at(has_written ? Next::commit_of_writing : Next::commit_of_reading))
            return ForwardingConnection::commit();
        if (plan_->fault() == Fault::lost_commit) {
            ForwardingConnection::commit();
        } else {
            ForwardingConnection::rollback();
        }
        fail(plan_->fault() != Fault::deadlock);
    }
    void rollback() noexcept override {
        if (!broken_) ForwardingConnection::rollback();
    }
    [[nodiscard]] bool is_broken() const noexcept override {
        return broken_ || ForwardingConnection::is_broken();
    }

   private:
    void strike_before_statement() {
        if (broken_) fail(false);  // like a dead socket, at each use
        if (!plan_->strikes_at(FaultPlan::Next::statement)) return;
        ForwardingConnection::rollback();
        fail(false);
    }
    [[noreturn]] void fail(bool in_doubt) {
        const bool lost = plan_->fault() != Fault::deadlock;
        broken_ = broken_ || lost;
        throw store::Failure(lost ? "the connection was lost (by the test)"
                                  : "deadlock (by the test)",
                             {.transient = true, .in_doubt = in_doubt, .lost_connection = lost},
                             lost ? 2013 : 1213);
    }

    std::shared_ptr<FaultPlan> plan_;
    store::Access access_ = store::Access::read;
    bool broken_ = false;
};

// Returns connections like those of `real` that share the plan.
inline store::Connect faulty(store::Connect real, std::shared_ptr<FaultPlan> plan) {
    return [real = std::move(real), plan = std::move(plan)] {
        return std::make_unique<FaultyConnection>(real(), plan);
    };
}

// Returns a policy that tries again at once, since tests do not sleep.
inline store::RetryPolicy no_waiting() {
    store::RetryPolicy retry_policy;
    retry_policy.sleep = [](std::chrono::milliseconds) {};
    return retry_policy;
}

}  // namespace support
