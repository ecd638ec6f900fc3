// Workers of several processes share the parts of a task: one worker a part, for a limited time.
// SPDX-License-Identifier: MIT
#include "release/leases.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include "store/dialect.hpp"
#include "support/catch.hpp"
#include "support/faulty_connection.hpp"
#include "support/stores.hpp"

using namespace release;

namespace {

Leases leases_in(store::Pool& pool) {
    return {pool, "WS188 objects x", std::chrono::seconds(30), is_gone};
}

struct Workers {
    Workers() : fresh(GENERATE(support::engines())), pool(fresh.connect(), 2) {}

    Leases leases_of(const std::string& task) {
        const auto is_dead = [this](const std::string& worker) { return worker == dead; };
        return {pool, task, std::chrono::seconds(30), is_dead};
    }

    // Makes all leases so much older, as time does.
    void pass(std::chrono::seconds time) {
        store::perform(pool, store::Access::write, [&](store::Transaction& transaction) {
            for (const auto& row : transaction.query("SELECT task, part, expires_at FROM parts"))
                transaction.execute(
                    "UPDATE parts SET expires_at = ? WHERE task = ? AND part = ?",
                    {store::Value{base::format_rfc3339(*base::parse_rfc3339(row.text(2)) - time)},
                     row.value(0), row.value(1)});
        });
    }
    // Writes a lease as a host did whose clock was wrong by so much.
    void write_by_clock(std::chrono::seconds wrong_by) {
        store::perform(pool, store::Access::write, [&](store::Transaction& transaction) {
            transaction.execute(
                "INSERT INTO parts (task, part, owner, expires_at, result)"
                " VALUES ('WS188 objects x', 0, 'elsewhere 0 1 1 1', ?, '')",
                {store::Value{base::format_rfc3339(store::now(transaction) + wrong_by +
                                                   std::chrono::seconds(30))}});
        });
    }

    support::FreshStore fresh;
    store::Pool pool;
    std::string dead;
    Leases leases = leases_of("WS188 objects x");
};

}  // namespace

TEST_CASE_METHOD(Workers, "Parts are claimed from the lowest on, each by one worker") {
    auto others = leases_of("WS189 objects x");
    CHECK(leases.claim("a", 3).part == 0);
    CHECK(leases.claim("b", 3).part == 1);
    CHECK(leases.claim("c", 3).part == 2);
    const auto none = leases.claim("d", 3);
    CHECK_FALSE(none.part);
    CHECK_FALSE(none.all_done);
    CHECK(others.claim("d", 3).part == 0);
    CHECK(leases.claim("b", 3).part == 1);  // it already has that one
}

TEST_CASE_METHOD(Workers,
                 "A finished part is not claimed again, and the last one ends the task") {
    for (int part = 0; part < 2; ++part) {
        REQUIRE(leases.claim("a", 2).part == part);
        CHECK(leases.finish("a", {part, "result " + std::to_string(part)}));
    }
    CHECK(leases.claim("a", 2).all_done);
    CHECK(leases.claim("b", 2).all_done);
    CHECK(leases.claim("b", 3).part == 2);
    const auto results =
        store::perform(pool, store::Access::read, [](store::Transaction& transaction) {
            return transaction.query("SELECT result FROM parts WHERE done > 0 ORDER BY part");
        });
    REQUIRE(results.size() == 2);
    CHECK(results[1].text(0) == "result 1");
}

TEST_CASE("A part is finished and the next one claimed in one transaction") {
    support::FreshStore fresh(GENERATE(support::engines()));
    const auto plan = std::make_shared<support::FaultPlan>(support::Fault::lost_commit, 0);
    store::Pool pool(support::faulty(fresh.connect(), plan), 1);
    Leases leases = leases_in(pool);
    REQUIRE(leases.claim("a", 2).part == 0);
    const auto commits = plan->seen();
    CHECK(leases.claim("a", 2, Leases::Done{0, "first"}).part == 1);
    CHECK(plan->seen() == commits + 1);
    CHECK(leases.claim("a", 2, Leases::Done{1, "second"}).all_done);
}

TEST_CASE_METHOD(Workers,
                 "An expired lease goes to another worker, and the first one notices it") {
    REQUIRE(leases.claim("slow", 1).part == 0);
    pass(std::chrono::seconds(20));
    CHECK(leases.renew("slow", 0));
    pass(std::chrono::seconds(20));
    CHECK_FALSE(leases.claim("quick", 1).part);
    pass(std::chrono::seconds(20));
    CHECK(leases.claim("quick", 1).part == 0);
    CHECK_FALSE(leases.renew("slow", 0));
    CHECK_FALSE(leases.finish("slow", {0, "late"}));
    leases.give_up("slow", 0);
    CHECK(leases.finish("quick", {0, "done"}));
}

TEST_CASE_METHOD(Workers,
                 "A lease left by a host whose clock is a day ahead or behind blocks nobody") {
    const auto wrong_by = std::chrono::hours(GENERATE(24, -24));
    write_by_clock(wrong_by);
    const auto is_active = [&] {
        return store::perform(pool, store::Access::read, active_until);
    };
    CHECK_FALSE(is_active());
    CHECK(leases.claim("a", 1).part == 0);
    CHECK(is_active());
    CHECK(leases.renew("a", 0));
    CHECK_FALSE(leases.claim("b", 1).part);
}

TEST_CASE("A lease ends by the clock of the store") {
    const support::FreshStore fresh(store::Engine::mysql);
    // The server's clock for this session: a day ahead of the one of this host.
    auto ahead = [connect = fresh.connect()] {
        auto connection = connect();
        (void)connection->execute("SET SESSION timestamp = UNIX_TIMESTAMP() + 86400");
        return connection;
    };
    store::Pool pool(ahead, 1);
    Leases leases = leases_in(pool);
    REQUIRE(leases.claim("a", 1).part == 0);
    CHECK_FALSE(leases.claim("b", 1).part);
    CHECK(store::perform(pool, store::Access::read, active_until));
    const auto expires_at = store::perform(pool, store::Access::read, [](auto& transaction) {
        return transaction.query("SELECT expires_at FROM parts").at(0).text(0);
    });
    CHECK(*base::parse_rfc3339(expires_at) > base::system_clock_now() + std::chrono::hours(23));
}

TEST_CASE_METHOD(
    Workers, "A part that is given up, or whose worker is known to be dead, is claimed at once") {
    REQUIRE(leases.claim("victim", 1).part == 0);
    CHECK_FALSE(leases.claim("heir", 1).part);
    dead = "victim";
    CHECK(leases.claim("heir", 1).part == 0);
    leases.give_up("heir", 0);
    CHECK(leases.claim("b", 1).part == 0);
    CHECK(leases.finish("b", {0, ""}));
    leases.give_up("b", 0);  // has no effect on a finished part
    CHECK(leases.claim("c", 1).all_done);
}

TEST_CASE_METHOD(Workers, "Leases that expired long ago are deleted, finished or not") {
    auto old = leases_of("WS187 objects x");
    REQUIRE(old.claim("a", 1).part == 0);
    CHECK(old.finish("a", {0, ""}));
    pass(std::chrono::hours(24 * 8));
    REQUIRE(leases.claim("a", 1).part == 0);
    store::perform(pool, store::Access::write,
                   [&](store::Transaction& transaction) { delete_expired_leases(transaction); });
    CHECK(old.claim("b", 1).part == 0);
    CHECK_FALSE(leases.claim("b", 1).part);
}

TEST_CASE_METHOD(Workers, "A task that has ended leaves nothing to wait for, and begins anew") {
    const std::string task = "WS188 objects x";
    const auto begin = [&] { store::perform(pool, store::Access::write, begin_task, task); };
    const auto end = [&](std::int64_t parts) {
        return store::perform(pool, store::Access::write, end_task, task, parts);
    };
    begin();
    REQUIRE(leases.claim("a", 1).part == 0);
    CHECK(leases.finish("a", {0, ""}));
    begin();
    CHECK(leases.claim("b", 1).all_done);
    CHECK(end(1));
    CHECK(leases.claim("b", 1).all_done);
    begin();
    CHECK_FALSE(end(1));
    CHECK(leases.claim("b", 1).part == 0);
}

TEST_CASE("A claim whose commit is in doubt is found again") {
    using support::Fault;
    const auto fault = GENERATE(Fault::lost, Fault::lost_commit, Fault::undone_commit);
    const auto engine = GENERATE(support::engines());
    support::sweep(fault, [&](const std::shared_ptr<support::FaultPlan>& plan) {
        const support::FreshStore fresh(engine);
        store::Pool pool(support::faulty(fresh.connect(), plan), 2, support::no_waiting());
        Leases leases = leases_in(pool);
        CHECK(leases.claim("a", 5).part == 0);
        CHECK(leases.finish("a", {0, "done"}));
        CHECK(leases.claim("a", 5).part == 1);
    });
}

TEST_CASE("A worker of this host is gone when its process is") {
    CHECK_FALSE(is_gone(worker_name(3)));
    CHECK_FALSE(is_gone("elsewhere 12345678 1 1 0"));
    CHECK_FALSE(is_gone("no worker's name"));
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const auto child = ::fork();
    if (child == 0) {
        const auto name = worker_name(0);
        (void)!::write(ends[1], name.data(), name.size());
        ::_exit(0);
    }
    char name[256] = {};
    const auto size = ::read(ends[0], name, sizeof name);
    ::waitpid(child, nullptr, 0);
    REQUIRE(size > 0);
    CHECK(is_gone(std::string(name, static_cast<std::size_t>(size))));
    ::close(ends[0]);
    ::close(ends[1]);
}
