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
    if (done_) throw std::logic_error("a transaction is committed once");
    connection_.commit();
    done_ = true;
}

Pool::Pool(Connect connect, std::size_t size, Patience patience, Writers writers)
    : connect_(std::move(connect)), size_(std::max<std::size_t>(size, 1)),
      patience_(std::move(patience)), writers_(writers) {}

Pool::~Pool() = default;

Pool::Turn::~Turn() {
    if (pool_ != nullptr) pool_->end_turn();
}

Pool::Turn Pool::turn(Access access) {
    if (access == Access::read || writers_ == Writers::many) return {};
    std::condition_variable called;
    std::unique_lock lock(mutex_);
    wait_to_write_.push_back(&called);
    const bool in_time = called.wait_for(lock, patience_.wait_for_connection, [&] {
        return !writing_ && wait_to_write_.front() == &called;
    });
    std::erase(wait_to_write_, &called);
    if (!in_time) {
        if (!writing_ && !wait_to_write_.empty()) wait_to_write_.front()->notify_one();
        throw Failure("the turn to write did not come in time", {.transient = true}, 0);
    }
    writing_ = true;
    return Turn(*this);
}

void Pool::end_turn() {
    const std::lock_guard lock(mutex_);
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

// The one that wrote last for a writer, another for a reader, whatever there is at last.
std::unique_ptr<Connection> Pool::take_idle(Access access) {
    const auto wanted = std::ranges::find_if(idle_, [&](const auto& connection) {
        return (connection.get() == writer_) == (access == Access::write);
    });
    const auto taken = wanted != idle_.end() ? wanted : std::prev(idle_.end());
    auto connection = std::move(*taken);
    idle_.erase(taken);
    return connection;
}

Pool::Lease Pool::lease(Access access) {
    {
        std::unique_lock lock(mutex_);
        const auto may_go_on = [&] { return !idle_.empty() || open_ < size_; };
        if (!freed_.wait_for(lock, patience_.wait_for_connection, may_go_on))
            throw Failure("no connection to the store came free in time", {.transient = true}, 0);
        if (!idle_.empty()) return {*this, take_idle(access), access};
        ++open_;
    }
    // Connecting may take seconds: not under the lock.
    try {
        return {*this, connect_(), access};
    } catch (...) {
        const std::lock_guard lock(mutex_);
        --open_;
        freed_.notify_one();
        throw;
    }
}

void Pool::give_back(std::unique_ptr<Connection> connection, Access access) {
    // Destroyed after the lock is released: closing talks to the server.
    std::vector<std::unique_ptr<Connection>> dropped;
    const std::lock_guard lock(mutex_);
    if (!connection->is_broken()) {
        if (access == Access::write && writers_ == Writers::one_at_a_time)
            writer_ = connection.get();
        idle_.push_back(std::move(connection));
        freed_.notify_one();
        return;
    }
    // A server that was restarted has dropped the idle ones too: don't spend an attempt on each.
    dropped.swap(idle_);
    open_ -= dropped.size() + 1;
    dropped.push_back(std::move(connection));
    freed_.notify_all();
}

std::uint64_t Pool::retries() const {
    const std::lock_guard lock(mutex_);
    return retries_;
}

void Pool::note_retry() {
    const std::lock_guard lock(mutex_);
    ++retries_;
}

namespace {

// Half to one and a half of the doubled wait, so that writers that met once don't meet again.
std::chrono::milliseconds wait_before(int attempt, const Patience& patience) {
    thread_local std::minstd_rand random{std::random_device{}()};
    const auto doubled = patience.first_wait * (std::int64_t{1} << std::min(attempt - 1, 20));
    const auto wait = std::min<std::chrono::milliseconds>(doubled, patience.longest_wait);
    std::uniform_int_distribution<std::int64_t> jittered(wait.count() / 2, wait.count() * 3 / 2);
    return std::min(std::chrono::milliseconds(jittered(random)), patience.longest_wait);
}

}  // namespace

void wait_or_give_up(Pool& pool, const Failure& failure, int attempt,
                     std::chrono::steady_clock::duration passed) {
    const auto& meaning = failure.meaning();
    const auto& patience = pool.patience();
    const bool may_pass = (meaning.transient || meaning.in_doubt) && !meaning.full;
    if (!may_pass || attempt >= patience.attempts || passed > patience.last_attempt)
        throw Failure(failure);
    pool.note_retry();
    const auto wait = wait_before(attempt, pool.patience());
    if (pool.patience().sleep)
        pool.patience().sleep(wait);
    else
        std::this_thread::sleep_for(wait);
}

}  // namespace store
