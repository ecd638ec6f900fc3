// store/pool.hpp -- connections that are kept, and transactions that are run again.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

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

// Begins in its constructor, rolls back in its destructor unless committed. A callback of
// perform() gets one, and neither commits nor rolls back itself.
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

   private:
    Connection& connection_;
    bool done_ = false;
};

struct Patience {
    int attempts = 8;                         // of one transaction, 1 … 100
    std::chrono::milliseconds first_wait{2};  // doubled each time, with jitter
    std::chrono::milliseconds longest_wait{2000};
    std::chrono::milliseconds last_attempt{
        60'000};  // none begins later than this after the first
    std::chrono::milliseconds wait_for_connection{5000};
    std::function<void(std::chrono::milliseconds)> sleep;  // empty: std::this_thread
};

// How many transactions may write at once: an SQLite file has one writer.
enum class Writers { many, one_at_a_time };

class Pool {
   public:
    // At most `size` connections at once (design: cores + 2), opened when first needed.
    Pool(Connect connect, std::size_t size, Patience patience = {},
         Writers writers = Writers::many);
    ~Pool();

    // The right to write, held by one at a time where writers are one_at_a_time and given in the
    // order of asking: nobody polls for the engine's lock, and nobody is overtaken. Taken before
    // a connection is, so that those who wait keep none from readers.
    class Turn {
       public:
        Turn() = default;
        explicit Turn(Pool& pool) : pool_(&pool) {}
        ~Turn();
        Turn(Turn&& other) noexcept : pool_(std::exchange(other.pool_, nullptr)) {}
        Turn& operator=(Turn&&) = delete;

       private:
        Pool* pool_ = nullptr;
    };
    //   throws  Failure (transient) when it does not come in time
    [[nodiscard]] Turn turn(Access access);

    // A connection for the caller alone, back in the pool when the lease ends; a broken one is
    // dropped. Throws Failure (transient) when none comes free in time, or connecting fails.
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
    // Where writers take turns they also take the same connection: what it has read stays true
    // as long as nobody else writes, another's cache is void after each of its transactions.
    [[nodiscard]] Lease lease(Access access = Access::read);
    [[nodiscard]] const Patience& patience() const { return patience_; }

    [[nodiscard]] std::size_t waiting_to_write() const;

    // Transactions run again so far; for /metrics.
    [[nodiscard]] std::uint64_t retries() const;
    void note_retry();

   private:
    void give_back(std::unique_ptr<Connection> connection, Access access);
    [[nodiscard]] std::unique_ptr<Connection> take_idle(Access access);  // needs: the lock
    void end_turn();

    Connect connect_;
    std::size_t size_;
    Patience patience_;
    Writers writers_;
    mutable std::mutex mutex_;
    bool writing_ = false;
    std::deque<std::condition_variable*> wait_to_write_;  // each on its thread's stack
    std::condition_variable freed_;
    std::vector<std::unique_ptr<Connection>> idle_;
    const Connection* writer_ = nullptr;  // that wrote last; compared, never followed
    std::size_t open_ = 0;
    std::uint64_t retries_ = 0;
};

// Sleeps before attempt n + 1, or throws `failure` when it is not transient, or attempts or
// time are used up. In doubt counts as transient: see perform().
//   passed  since the first attempt began
void wait_or_give_up(Pool& pool, const Failure& failure, int attempt,
                     std::chrono::steady_clock::duration passed);

// Runs fn(Transaction&) in a transaction and commits it; runs it all again, on a fresh
// connection if need be, while it fails in ways that pass (deadlock, lock wait, lost
// connection, busy, a cluster node that is not ready).
//   needs   fn changes nothing outside the transaction, and reads by natural key before it
//           writes: after a commit in doubt it is run again and must find what it did
//   throws  Failure when it doesn't pass; whatever else fn throws (after a rollback)
template <class F>
auto perform(Pool& pool, Access access, F&& fn) -> std::invoke_result_t<F&, Transaction&> {
    const auto began = std::chrono::steady_clock::now();
    for (int attempt = 1;; ++attempt) {
        try {
            const auto turn = pool.turn(access);
            const auto connection = pool.lease(access);
            Transaction transaction(*connection, access);
            if constexpr (std::is_void_v<std::invoke_result_t<F&, Transaction&>>) {
                fn(transaction);
                transaction.commit();
                return;
            } else {
                auto result = fn(transaction);
                transaction.commit();
                return result;
            }
        } catch (const Failure& failure) {
            wait_or_give_up(pool, failure, attempt, std::chrono::steady_clock::now() - began);
        }
    }
}

}  // namespace store
