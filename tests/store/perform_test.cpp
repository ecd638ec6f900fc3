// Transactions that are run again: the contract of store/pool.hpp.
// SPDX-License-Identifier: MIT
#include <array>
#include <barrier>
#include <thread>

#include "store/dialect.hpp"
#include "store/sqlite.hpp"
#include "support/faulty_connection.hpp"
#include "support/stores.hpp"

using namespace store;
using support::Fault;
using support::FreshStore;

namespace {

const Insert a_release{"releases", {"version", "released_on"}, {"version"}};

// A read by natural key, then two writes that belong together.
std::int64_t record_release(Transaction& t, const std::string& version) {
    const std::array<Value, 2> row{version, "2008-02-15"};
    if (!t.query("SELECT 1 FROM releases WHERE version = ?", {version}).empty()) return 0;
    t.execute(insert_sql(a_release), row);
    t.execute("UPDATE meta SET value = value + 1 WHERE name = 'builds'");
    return 1;
}

std::int64_t number_of(Connection& connection, const std::string& sql) {
    return connection.query(sql).at(0).integer(0);
}

std::pair<std::int64_t, std::int64_t> releases_and_counter(const Connect& connect) {
    const auto connection = connect();
    return {number_of(*connection, "SELECT COUNT(*) FROM releases"),
            number_of(*connection, "SELECT value FROM meta WHERE name = 'builds'")};
}

const std::pair<std::int64_t, std::int64_t> one_of_each{1, 1};

}  // namespace

TEST_CASE("A transaction whose commit is refused is rolled back") {
    const FreshStore fresh(Engine::sqlite);
    Pool pool(fresh.connect(), 1);
    const auto orphan = [](Transaction& t) {
        (void)t.query("PRAGMA defer_foreign_keys = ON");  // until the commit
        t.execute("INSERT INTO trees (oid, version, tree) VALUES (1, 'WS187', x'00')");
    };
    CHECK_THROWS_AS(perform(pool, Access::write, orphan), Failure);
    perform(pool, Access::write, [](Transaction& t) { record_release(t, "WS187"); });
    CHECK(releases_and_counter(fresh.connect()) == one_of_each);
}

TEST_CASE("What a callback throws goes to the caller, and nothing is written") {
    support::both_stores([](const Connect& connect) {
        Pool pool(connect, 1);
        const auto act = [](Transaction& t) {
            record_release(t, "WS187");
            throw std::runtime_error("changed my mind");
        };
        CHECK_THROWS_WITH(perform(pool, Access::write, act), "changed my mind");
        CHECK(releases_and_counter(connect) == std::pair<std::int64_t, std::int64_t>{0, 0});
    });
}

TEST_CASE("A transaction is whole, whichever statement fails and however") {
    const auto fault = GENERATE(from_range(support::all_faults));
    const auto engine = GENERATE(support::both_engines());
    const auto run = [&](const std::shared_ptr<support::FaultPlan>& plan) {
        const FreshStore fresh(engine);
        Pool pool(support::faulty(fresh.connect(), plan), 2, support::no_waiting());
        const auto record = [](Transaction& t) { return record_release(t, "WS187"); };
        const auto written = perform(pool, Access::write, record);
        CHECK(releases_and_counter(fresh.connect()) == one_of_each);
        // After a commit that was carried out though its answer was lost, the second run finds
        // the row and writes nothing.
        CHECK(written == (plan->struck() && fault == Fault::lost_commit ? 0 : 1));
        CHECK(pool.retries() == (plan->struck() ? 1 : 0));
    };
    const bool commits_only = fault == Fault::lost_commit || fault == Fault::undone_commit;
    CHECK(support::sweep(fault, run) ==
          (commits_only ? 1 : 5));  // begin, query, execute, execute, commit
}

TEST_CASE("A permanent failure is not tried again") {
    support::both_stores([](const Connect& connect) {
        Pool pool(connect, 1, support::no_waiting());
        int runs = 0;
        const auto act = [&](Transaction& t) {
            ++runs;
            (void)t.query("SELECT nothing FROM nowhere");
        };
        CHECK_THROWS_AS(perform(pool, Access::read, act), Failure);
        CHECK(runs == 1);
    });
}

TEST_CASE("Waits grow with jitter up to their limit and end with the attempts") {
    std::vector<std::int64_t> waits;
    RetryPolicy retry_policy;
    retry_policy.attempts = 14;
    retry_policy.sleep = [&](std::chrono::milliseconds wait) { waits.push_back(wait.count()); };
    Pool pool(
        []() -> std::unique_ptr<Connection> {
            throw Failure("refused", {.transient = true, .lost_connection = true}, 2002);
        },
        1, retry_policy);
    CHECK_THROWS_AS(perform(pool, Access::read, [](Transaction&) {}), Failure);
    REQUIRE(waits.size() == 13);
    for (std::size_t n = 0; n < waits.size(); ++n) {
        const auto doubled = std::min<std::int64_t>(2LL << n, 2000);
        CHECK(waits[n] >= doubled / 2);
        CHECK(waits[n] <= std::min<std::int64_t>(doubled * 3 / 2, 2000));
    }
    CHECK(pool.retries() == 13);
}

TEST_CASE(
    "Whether there is another attempt depends on the failure and on the time that has passed") {
    auto retry_policy = support::no_waiting();
    retry_policy.last_attempt = std::chrono::seconds(12);
    Pool pool([]() -> std::unique_ptr<Connection> { return nullptr; }, 1, retry_policy);
    const Failure in_doubt("lost", {.in_doubt = true}, 2013);
    CHECK_NOTHROW(wait_or_give_up(pool, in_doubt, 1, {}));
    const Failure full("full", {.in_doubt = true, .needs_operator = true}, 10);
    CHECK_THROWS_AS(wait_or_give_up(pool, full, 1, {}), Failure);
    const Failure silent("silent", {.transient = true, .lost_connection = true}, 2013);
    CHECK_NOTHROW(wait_or_give_up(pool, silent, 1, std::chrono::seconds(12)));
    CHECK_THROWS_AS(wait_or_give_up(pool, silent, 1, std::chrono::seconds(13)), Failure);
}

TEST_CASE("A pool opens at most its size, reports when none becomes free in time, and survives a "
          "refusal") {
    const FreshStore fresh(Engine::sqlite);
    int opened = 0;
    bool refuse = true;
    RetryPolicy retry_policy;
    retry_policy.wait_for_connection = std::chrono::milliseconds(0);
    Pool pool(
        [&, connect = fresh.connect()] {
            if (refuse) throw Failure("refused", {.transient = true}, 2002);
            ++opened;
            return connect();
        },
        2, retry_policy);
    for (int time = 0; time < 3; ++time) CHECK_THROWS_AS(pool.lease(), Failure);
    refuse = false;
    {
        const auto one = pool.lease(), two = pool.lease();
        CHECK(support::failure_of([&] { (void)pool.lease(); }).kind().transient);
    }
    const auto again = pool.lease();
    CHECK(opened == 2);
}

TEST_CASE("Simultaneous writers lose no update and need no retry of their own") {
    support::both_stores([](const Connect& connect) {
        RetryPolicy retry_policy;
        retry_policy.attempts = 100;
        Pool pool(connect, 3, retry_policy);  // one of four waits for a connection
        std::vector<std::jthread> threads;
        for (int n = 0; n < 4; ++n)
            threads.emplace_back([&pool, n] {
                for (int m = 0; m < 20; ++m)
                    perform(pool, Access::write, [&](Transaction& t) {
                        record_release(t, "WS" + std::to_string(n) + "_" + std::to_string(m));
                    });
            });
        threads.clear();
        CHECK(releases_and_counter(connect) == std::pair<std::int64_t, std::int64_t>{80, 80});
    });
}

TEST_CASE("The loser of a race for a key is told and sees the winner's row") {
    const FreshStore fresh(GENERATE(support::both_engines()));
    const auto connection = fresh.connect()();
    const std::array<Value, 2> ours{"WS187", "2008-02-15"}, theirs{"WS187", "2008-02-16"};
    if (fresh.engine() == Engine::sqlite) {
        Transaction first(*connection, Access::write);
        CHECK(insert_unless_there(first, a_release, theirs));
        first.commit();
    }
    Transaction transaction(*connection, Access::write);
    (void)transaction.query("SELECT released_on FROM releases");
    if (fresh.engine() == Engine::mysql) {  // after this transaction began, and had read
        const auto other = fresh.connect()();
        Transaction between(*other, Access::write);
        CHECK(insert_unless_there(between, a_release, theirs));
        between.commit();
    }
    CHECK_FALSE(insert_unless_there(transaction, a_release, ours));
    CHECK(transaction.query("SELECT released_on FROM releases").at(0).text(0) == "2008-02-16");
    transaction.commit();
}

TEST_CASE("An upsert writes a row and then updates it") {
    support::both_stores([](const Connect& connect) {
        const auto connection = connect();
        const auto sql = upsert_sql(connection->engine(), a_release);
        connection->execute(sql, std::array<Value, 2>{"WS187", "2008-02-15"});
        connection->execute(sql, std::array<Value, 2>{"WS187", "2008-02-16"});
        const auto rows = connection->query("SELECT version, released_on FROM releases");
        REQUIRE(rows.size() == 1);
        CHECK(rows[0].text(1) == "2008-02-16");
    });
}

TEST_CASE("In a deadlock of two transactions the victim is run again") {
    const FreshStore fresh(Engine::mysql);
    Pool pool(fresh.connect(), 2, support::no_waiting());
    perform(pool, Access::write, [](Transaction& t) {
        for (const auto* name : {"a", "b"})
            t.execute("INSERT INTO meta (name, value) VALUES (?, 0)", {name});
    });
    std::barrier both_hold_one(2);
    std::atomic<int> runs = 0;
    const auto add = [](Transaction& t, const std::string& name) {
        t.execute("UPDATE meta SET value = value + 1 WHERE name = ?", {name});
    };
    const auto cross = [&](const std::string& first, const std::string& second) {
        bool met = false;
        perform(pool, Access::write, [&](Transaction& t) {
            ++runs;
            add(t, first);
            if (!met) both_hold_one.arrive_and_wait();
            met = true;
            add(t, second);
        });
    };
    {
        const std::jthread one([&] { cross("a", "b"); }), other([&] { cross("b", "a"); });
    }
    CHECK(runs == 3);
    CHECK(pool.retries() == 1);
    const auto connection = fresh.connect()();
    CHECK(number_of(*connection, "SELECT SUM(value) FROM meta WHERE name IN ('a', 'b')") == 4);
}

TEST_CASE("A file that another process writes is tried again") {
    const FreshStore fresh(Engine::sqlite);
    const auto other = fresh.connect()();
    other->begin(Access::write);
    RetryPolicy retry_policy;
    retry_policy.sleep = [&](std::chrono::milliseconds) { other->commit(); };
    const auto impatient = [&] {
        return open_sqlite(fresh.url().path, IfMissing::fail, std::chrono::milliseconds(0));
    };
    Pool pool(impatient, 1, retry_policy);
    perform(pool, Access::write, [](Transaction& t) { record_release(t, "WS187"); });
    CHECK(releases_and_counter(fresh.connect()) == one_of_each);
    CHECK(pool.retries() == 1);
}

TEST_CASE("A connection that the server kills is replaced, and the transaction is run again") {
    const FreshStore fresh(Engine::mysql);
    Pool pool(fresh.connect(), 2, support::no_waiting());
    int runs = 0;
    perform(pool, Access::write, [&](Transaction& t) {
        const auto id = t.query("SELECT CONNECTION_ID()").at(0).integer(0);
        if (++runs == 1) fresh.connect()()->execute("KILL " + std::to_string(id));
        record_release(t, "WS187");
    });
    CHECK(runs == 2);
    CHECK(releases_and_counter(fresh.connect()) == one_of_each);
}

TEST_CASE("A commit on a killed connection is in doubt and never a success") {
    const FreshStore fresh(Engine::mysql);
    const auto connection = fresh.connect()();
    const auto id = connection->query("SELECT CONNECTION_ID()").at(0).integer(0);
    connection->begin(Access::write);
    fresh.connect()()->execute("KILL " + std::to_string(id));
    const auto kind = support::failure_of([&] { connection->commit(); }).kind();
    CHECK(kind.in_doubt);
    CHECK(kind.transient);
    CHECK(kind.lost_connection);
    CHECK(connection->is_broken());
    connection->rollback();
}

TEST_CASE("A restarted server costs one retry, not one for each idle connection") {
    const FreshStore fresh(Engine::mysql);
    RetryPolicy retry_policy = support::no_waiting();
    retry_policy.attempts = 2;
    Pool pool(fresh.connect(), 4, retry_policy);
    {
        const auto a = pool.lease(), b = pool.lease(), c = pool.lease(), d = pool.lease();
    }
    support::MariaDb::only().restart();
    perform(pool, Access::write, [](Transaction& t) { record_release(t, "WS187"); });
    CHECK(releases_and_counter(fresh.connect()) == one_of_each);
}
