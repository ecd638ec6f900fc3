// SPDX-License-Identifier: MIT
#include "store/pool.hpp"

#include <algorithm>
#include <random>
#include <thread>

namespace store {

Transaction::Transaction(Connection& connection, Access access) : connection_(connection) {
    connection_.begin(access);
}

Transaction::~Transaction() {
    if (!done_) connection_.rollback();
}

Rows Transaction::query(std::string_view sql, std::initializer_list<Value> values) {
    return connection_.query(sql, std::span(values.begin(), values.size()));
}

Rows Transaction::query(std::string_view sql, std::span<const Value> values) {
    return connection_.query(sql, values);
}

std::int64_t Transaction::execute(std::string_view sql, std::initializer_list<Value> values) {
    return connection_.execute(sql, std::span(values.begin(), values.size()));
}

std::int64_t Transaction::execute(std::string_view sql, std::span<const Value> values) {
    return connection_.execute(sql, values);
}

void Transaction::commit() {
    if (done_) throw std::logic_error("a transaction cannot be committed twice");
    connection_.commit();
    done_ = true;
}

Pool::Pool(Connect connect, std::size_t size, RetryPolicy retry_policy, Writers writers)
    : connect_(std::move(connect)), size_(std::max<std::size_t>(size, 1)),
      retry_policy_(std::move(retry_policy)), writers_(writers) {}

Pool::~Pool() = default;

void Pool::wait_for_turn() {
    std::condition_variable is_next;
    std::unique_lock lock(mutex_);
    wait_to_write_.push_back(&is_next);
    const bool in_time = is_next.wait_for(lock, retry_policy_.wait_for_connection, [&] {
        return !writing_ && wait_to_write_.front() == &is_next;
    });
    std::erase(wait_to_write_, &is_next);
    writing_ = writing_ || in_time;
    if (in_time) return;
    if (!writing_) end_turn();
    throw Failure("timed out waiting for other writers of the store", {.transient = true}, 0);
}

void Pool::end_turn() {
    writing_ = false;
    if (!wait_to_write_.empty()) wait_to_write_.front()->notify_one();
}

std::size_t Pool::waiting_to_write() const {
    const std::lock_guard lock(mutex_);
    return wait_to_write_.size();
}

Pool::Lease::Lease(Pool& pool, std::unique_ptr<Connection> connection, Access access)
    : pool_(&pool), connection_(std::move(connection)), access_(access) {}

Pool::Lease::~Lease() {
    if (connection_) pool_->give_back(std::move(connection_), access_);
}

// Prefers the connection that wrote last for a writer, and another one for a reader: of these the one
// that was used last, whose pages are still in memory.
std::unique_ptr<Connection> Pool::take_idle(Access access) {
    const auto wanted = std::find_if(idle_.rbegin(), idle_.rend(), [&](const auto& connection) {
        return (connection.get() == writer_) == (access == Access::write);
    });
    const auto taken = std::prev(wanted != idle_.rend() ? wanted.base() : idle_.end());
    auto connection = std::move(*taken);
    idle_.erase(taken);
    return connection;
}

Pool::Lease Pool::lease(Access access) {
    if (!takes_turn(access)) return {*this, take(access), access};
    wait_for_turn();
    try {
        return {*this, take(access), access};
    } catch (...) {
        const std::lock_guard lock(mutex_);
        end_turn();
        throw;
    }
}

std::unique_ptr<Connection> Pool::take(Access access) {
    {
        std::unique_lock lock(mutex_);
        const auto is_available = [&] { return !idle_.empty() || open_ < size_; };
        if (!freed_.wait_for(lock, retry_policy_.wait_for_connection, is_available))
            throw Failure("timed out waiting for a free connection to the store",
                          {.transient = true}, 0);
        if (!idle_.empty()) return take_idle(access);
        ++open_;
    }
    // Connects without the lock, because that can take seconds.
    try {
        return connect_();
    } catch (...) {
        const std::lock_guard lock(mutex_);
        --open_;
        freed_.notify_one();
        throw;
    }
}

void Pool::give_back(std::unique_ptr<Connection> connection, Access access) {
    // Destroyed after the lock is released, because closing talks to the server.
    std::vector<std::unique_ptr<Connection>> dropped;
    const std::lock_guard lock(mutex_);
    if (takes_turn(access)) end_turn();
    if (!connection->is_broken()) {
        if (takes_turn(access)) writer_ = connection.get();
        idle_.push_back(std::move(connection));
        freed_.notify_one();
        return;
    }
    // A restarted server has closed the idle ones too: drops them, so that no attempt is lost on
    // each.
    dropped.swap(idle_);
    open_ -= dropped.size() + 1;
    dropped.push_back(std::move(connection));
    freed_.notify_all();
}

namespace {

// Returns 0.5 to 1.5 times the doubled wait, so that writers that collided do not do so again.
std::chrono::milliseconds wait_before(int attempt, const RetryPolicy& retry_policy) {
    thread_local std::minstd_rand random{std::random_device{}()};
    const auto doubled = retry_policy.first_wait * (std::int64_t{1} << std::min(attempt - 1, 20));
    const auto wait = std::min<std::chrono::milliseconds>(doubled, retry_policy.longest_wait);
    std::uniform_int_distribution<std::int64_t> jittered(wait.count() / 2, wait.count() * 3 / 2);
    return std::min(std::chrono::milliseconds(jittered(random)), retry_policy.longest_wait);
}

}  // namespace

void wait_or_give_up(Pool& pool, const Failure& failure, int attempt,
                     std::chrono::steady_clock::duration passed) {
    const auto& kind = failure.kind();
    const auto& retry_policy = pool.retry_policy();
    const bool can_retry = (kind.transient || kind.in_doubt) && !kind.needs_operator;
    if (!can_retry || attempt >= retry_policy.attempts || passed > retry_policy.last_attempt)
        throw Failure(failure);
    pool.note_retry();
    const auto wait = wait_before(attempt, pool.retry_policy());
    if (pool.retry_policy().sleep)
        pool.retry_policy().sleep(wait);
    else
        std::this_thread::sleep_for(wait);
}

}  // namespace store
