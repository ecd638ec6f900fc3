// store/pool.hpp -- a pool of connections, and transactions that are retried.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "store/connection.hpp"

namespace store {

using Connect = std::function<std::unique_ptr<Connection>()>;  // throws Failure

// Begins in its constructor, and rolls back in its destructor unless it was committed. A callback
// of perform() receives one, and neither commits nor rolls back itself.
class Transaction {
   public:
    Transaction(Connection& connection, Access access);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

    [[nodiscard]] Engine engine() const { return connection_.engine(); }
    [[nodiscard]] Rows query(std::string_view sql, std::initializer_list<Value> values = {});
    [[nodiscard]] Rows query(std::string_view sql, std::span<const Value> values);
    std::int64_t execute(std::string_view sql, std::initializer_list<Value> values = {});
    std::int64_t execute(std::string_view sql, std::span<const Value> values);
    void commit();
    [[nodiscard]] bool may_be_awaited() { return connection_.may_be_awaited(); }

   private:
    Connection& connection_;
    bool done_ = false;
};

// When perform() runs a transaction again, and how long a pool waits.
struct RetryPolicy {
    int attempts = 8;                         // of one transaction, 1 … 100
    std::chrono::milliseconds first_wait{2};  // doubled each time, with jitter
    std::chrono::milliseconds longest_wait{2000};
    std::chrono::milliseconds last_attempt{60'000};  // after the first one began
    std::chrono::milliseconds wait_for_connection{5000};
    std::function<void(std::chrono::milliseconds)> sleep;  // empty: std::this_thread
};

// How many transactions may write at once: an SQLite file has one writer.
enum class Writers { many, one_at_a_time };

class Pool {
   public:
    // Opens at most `size` connections (about cores + 2), each when it is first needed.
    Pool(Connect connect, std::size_t size, RetryPolicy retry_policy = {},
         Writers writers = Writers::many);
    ~Pool();

    // A connection for one caller. The end of the lease returns it to the pool, or closes it when
    // it is broken.
    class Lease {
       public:
        Lease(Pool& pool, std::unique_ptr<Connection> connection, Access access);
        ~Lease();
        Lease(Lease&&) noexcept = default;
        Lease& operator=(Lease&&) = delete;
        Connection& operator*() const { return *connection_; }
        Connection* operator->() const { return connection_.get(); }

       private:
        Pool* pool_;
        std::unique_ptr<Connection> connection_;
        Access access_;
    };
    // With Writers::one_at_a_time one caller has a lease for writing at a time, in the order of asking: nobody
    // polls for the engine's lock, and nobody is overtaken. A writer waits for its turn before it takes a
    // connection, so that it keeps none from readers. Writers that take turns share one connection: its cache stays
    // valid as long as nobody else writes, while that of another connection is void after each transaction.
    //   throws  Failure: transient when no turn or no connection comes in time; that of connecting
    [[nodiscard]] Lease lease(Access access = Access::read);
    [[nodiscard]] const RetryPolicy& retry_policy() const { return retry_policy_; }

    [[nodiscard]] std::size_t waiting_to_write() const;

    [[nodiscard]] std::uint64_t retries() const { return retries_; }  // transactions, so far
    void note_retry() { ++retries_; }

   private:
    [[nodiscard]] bool takes_turn(Access access) const {
        return access == Access::write && writers_ == Writers::one_at_a_time;
    }
    void wait_for_turn();
    void end_turn();  // requires the lock
    [[nodiscard]] std::unique_ptr<Connection> take(Access access);
    [[nodiscard]] std::unique_ptr<Connection> take_idle(Access access);  // requires the lock
    void give_back(std::unique_ptr<Connection> connection, Access access);

    Connect connect_;
    std::size_t size_;
    RetryPolicy retry_policy_;
    Writers writers_;
    mutable std::mutex mutex_;
    bool writing_ = false;
    std::deque<std::condition_variable*> wait_to_write_;  // each on the stack of its thread
    std::condition_variable freed_;
    std::vector<std::unique_ptr<Connection>> idle_;
    const Connection* writer_ = nullptr;  // that wrote last; compared, never dereferenced
    std::size_t open_ = 0;
    std::atomic<std::uint64_t> retries_ = 0;
};

// Sleeps before attempt n + 1. Throws `failure` when it is not transient, or when attempts or
// time are used up. A commit in doubt counts as transient: see perform().
//   passed  time since the first attempt began
void wait_or_give_up(Pool& pool, const Failure& failure, int attempt,
                     std::chrono::steady_clock::duration passed);

// Runs function(Transaction&, arguments...) in a transaction and commits it. After a transient failure
// (deadlock, lock wait, lost connection, busy, a cluster node that is not ready) it runs everything
// again. Requires that the function changes nothing outside of the transaction, and reads by natural
// key before it writes: after a commit in doubt it runs again and must find what it did.
//   throws  Failure when it is not transient or occurs too often; what the function throws (after a
//           rollback)
template <class Function, class... Arguments>
auto perform(Pool& pool, Access access, Function&& function, const Arguments&... arguments)
    -> std::invoke_result_t<Function&, Transaction&, const Arguments&...> {
    using Result = std::invoke_result_t<Function&, Transaction&, const Arguments&...>;
    const auto began = std::chrono::steady_clock::now();
    for (int attempt = 1;; ++attempt) {
        try {
            const auto connection = pool.lease(access);
            Transaction transaction(*connection, access);
            if constexpr (std::is_void_v<Result>) {
                function(transaction, arguments...);
                transaction.commit();
                return;
            } else {
                auto result = function(transaction, arguments...);
                transaction.commit();
                return result;
            }
        } catch (const Failure& failure) {
            wait_or_give_up(pool, failure, attempt, std::chrono::steady_clock::now() - began);
        }
    }
}

}  // namespace store
