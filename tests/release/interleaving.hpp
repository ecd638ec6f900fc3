// Two processes over one store: one stops behind a statement of its own until the other has done
// its work, or waits for a lock that the first one holds.
//
//   interleave([&](int at) {
//       const auto fresh = support::FreshStore::copy_of(recorded);
//       Interleaving both(fresh, at, [&] { … });      the other process
//       …                                             the first one, with both.connect()
//       both.join();
//       …                                             what must hold afterwards
//       return both.statements();
//   });
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "support/stores.hpp"
#include "support/strikes.hpp"
#include "support/watched_connection.hpp"

namespace release_tests {

class Interleaving {
   public:
    // `other` runs once, behind the `at`-th statement (from 1) of the first process, or after all
    // of them (0). Where SQLite would let nobody else write, it runs when that transaction has
    // ended.
    Interleaving(const support::FreshStore& store, int at, std::function<void()> other)
        : store_(store), at_(at), other_(std::move(other)) {
        if (store.engine() == store::Engine::mysql) waits_ = store.connect()();
    }
    ~Interleaving() {
        if (thread_.joinable()) thread_.join();
    }
    Interleaving(const Interleaving&) = delete;
    Interleaving& operator=(const Interleaving&) = delete;

    // Returns the connections of the first process, which runs in one thread at a time.
    [[nodiscard]] store::Connect connect() {
        return support::watched(store_.connect(), [this](support::Statement statement,
                                                         std::string_view) { note(statement); });
    }
    // Waits for the other process. How many statements the first one has depends on the clock too: a
    // slow job renews its leases more often. If it had fewer than `at`, the other one comes after it.
    void join() {
        if (!is_running_) {
            REQUIRE(at_ != 1);
            return other_();
        }
        thread_.join();
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    }
    // Returns those of the first process, so far.
    [[nodiscard]] const support::Statements& statements() const { return statements_; }

   private:
    void note(support::Statement statement) {
        using support::Statement;
        statements_.count(statement == Statement::commit && is_writing_);
        if (statement == Statement::begin_write) is_writing_ = true;
        if (statement == Statement::begin_read || statement == Statement::commit)
            is_writing_ = false;
        if (at_ == 0 || statements_.all < at_ || is_running_) return;
        if (is_writing_ && store_.engine() == store::Engine::sqlite) return;
        is_running_ = true;
        thread_ = std::thread([this] {
            try {
                other_();
            } catch (...) {
                failure_ = std::current_exception();
            }
            has_ended_ = true;
        });
        while (!has_ended_ && !waits_for_a_lock()) std::this_thread::yield();
    }

    bool waits_for_a_lock() {
        if (!waits_) return false;
        const auto rows = waits_->query("SELECT variable_value FROM"
                                        " information_schema.global_status WHERE variable_name ="
                                        " 'Innodb_row_lock_current_waits'");
        return rows.at(0).text(0) != "0";
    }

    const support::FreshStore& store_;
    const int at_;
    std::function<void()> other_;
    std::unique_ptr<store::Connection> waits_;
    std::thread thread_;
    std::exception_ptr failure_;
    support::Statements statements_;
    bool is_writing_ = false, is_running_ = false;
    std::atomic<bool> has_ended_ = false;
};

// Calls scenario(at) with 0, and then with the number of each statement to strike at.
//   scenario  returns the statements of the first process
template <class Scenario>
void interleave(Scenario scenario) {
    const support::Statements statements = scenario(0);
    REQUIRE(statements.all > 0);
    for (const int at : support::strikes_in(statements)) {
        INFO("statement " << at << " of " << statements.all);
        scenario(at);
    }
}

// Returns connections that call `action` whenever a part of a job is done.
inline store::Connect after_each_part(const store::Connect& connect,
                                      std::function<void()> action) {
    return support::watched(connect,
                            [action = std::move(action), is_done = std::make_shared<bool>(false)](
                                support::Statement statement, std::string_view sql) {
                                *is_done |= sql.starts_with("UPDATE parts SET done = 1");
                                if (statement != support::Statement::commit) return;
                                if (std::exchange(*is_done, false)) action();
                            });
}
// The same, once.
inline store::Connect after_first_part(const store::Connect& connect,
                                       std::function<void()> action) {
    return after_each_part(connect, [action = std::move(action), was_called = false]() mutable {
        if (!std::exchange(was_called, true)) action();
    });
}

}  // namespace release_tests
