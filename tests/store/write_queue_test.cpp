// Writers take turns: by the pool within a process, and by a lock file beside an SQLite file
// between processes.
// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

#include "store/pool.hpp"
#include "store/sqlite.hpp"
#include "support/stores.hpp"

using namespace store;
using support::FreshStore;

namespace {

// Waits until `is_so`, for a limited time, so that a defect fails the test.
template <class F>
void wait_until(F is_so) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    while (!is_so()) {
        if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("never so");
        std::this_thread::yield();
    }
}

Pool one_writer(const FreshStore& fresh, RetryPolicy retry_policy = {}) {
    return {fresh.connect(), 8, std::move(retry_policy), Writers::one_at_a_time};
}

}  // namespace

TEST_CASE("Writers get their turns in the order of asking") {
    const FreshStore fresh(Engine::sqlite);
    Pool pool = one_writer(fresh);
    std::vector<int> order;
    std::vector<std::jthread> threads;
    {
        const auto held = pool.lease(Access::write);
        for (int i = 0; i < 6; ++i) {
            threads.emplace_back([&, i] {
                const auto turn = pool.lease(Access::write);
                order.push_back(i);
            });
            wait_until(
                [&] { return pool.waiting_to_write() == static_cast<std::size_t>(i) + 1; });
        }
        CHECK(order.empty());
    }
    threads.clear();
    CHECK(order == std::vector{0, 1, 2, 3, 4, 5});
    CHECK(pool.waiting_to_write() == 0);
}

TEST_CASE("Readers take no turns, nor do writers of an engine that allows many") {
    const FreshStore fresh(Engine::sqlite);
    Pool pool = one_writer(fresh), many(fresh.connect(), 3);
    const auto held = pool.lease(Access::write), other = many.lease(Access::write);
    const auto read = pool.lease(Access::read), another = many.lease(Access::write);
    CHECK(perform(pool, Access::read, [](Transaction& t) {
              return t.query("SELECT COUNT(*) FROM objects").at(0).integer(0);
          }) == 0);
}

TEST_CASE("A writer gets the connection that wrote last, a reader another") {
    const FreshStore fresh(Engine::sqlite);
    Pool pool = one_writer(fresh);
    const Connection* wrote = nullptr;
    {
        const auto first = pool.lease(Access::read);
        const auto writing = pool.lease(Access::write);
        wrote = &*writing;
    }
    {
        const auto reading = pool.lease(Access::read);
        CHECK(&*reading != wrote);
        const auto writing = pool.lease(Access::write);
        CHECK(&*writing == wrote);
        const auto another = pool.lease(Access::read);  // none is idle, so one is opened
        CHECK(&*another != wrote);
    }
    const auto one = pool.lease(Access::read), two = pool.lease(Access::read);
    CHECK(&*one != wrote);
    CHECK(&*two != wrote);
    const auto last = pool.lease(Access::read);  // does not wait
    CHECK(&*last == wrote);
}

TEST_CASE("A turn that does not come in time is a transient failure without effects") {
    const FreshStore fresh(Engine::sqlite);
    RetryPolicy retry_policy;
    retry_policy.wait_for_connection = std::chrono::milliseconds(1);
    Pool pool = one_writer(fresh, retry_policy);
    {
        const auto held = pool.lease(Access::write);
        CHECK(support::failure_of([&] { (void)pool.lease(Access::write); }).kind().transient);
        CHECK(pool.waiting_to_write() == 0);
    }
    CHECK_NOTHROW((void)pool.lease(Access::write));
}

TEST_CASE("A writer that waited for the file comes before one that has just committed") {
    const FreshStore fresh(Engine::sqlite);
    const auto job = fresh.connect()(), request = fresh.connect()();
    const auto lock_file = fresh.url().path.string() + "-turn";
    const int probe = ::open(lock_file.c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(probe >= 0);
    const auto somebody_waits = [&] {
        if (::flock(probe, LOCK_EX | LOCK_NB) != 0) return true;
        ::flock(probe, LOCK_UN);
        return false;
    };
    for (int round = 0; round < 20; ++round) {
        std::vector<std::string> order;
        job->begin(Access::write);
        std::jthread waiting([&] {
            request->begin(Access::write);
            order.emplace_back("request");
            request->commit();
        });
        wait_until(somebody_waits);
        job->commit();
        job->begin(Access::write);
        order.emplace_back("job");
        job->commit();
        waiting.join();
        CHECK(order == std::vector<std::string>{"request", "job"});
    }
    ::close(probe);
}

TEST_CASE("A store whose lock file cannot be created is still written") {
    const FreshStore fresh(Engine::sqlite);
    const auto lock_file = fresh.url().path.string() + "-turn";
    std::filesystem::remove(lock_file);
    std::filesystem::create_directory(lock_file);
    const auto connection = fresh.connect()();
    connection->begin(Access::write);
    connection->execute("UPDATE meta SET value = value + 1 WHERE name = 'schema'");
    CHECK_NOTHROW(connection->commit());
}
