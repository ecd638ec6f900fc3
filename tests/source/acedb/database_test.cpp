// Sessions to a running AceDB: kept, shared, lost and replaced.
// SPDX-License-Identifier: MIT
#include "source/acedb/database.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include "source/live.hpp"

using base::ErrorKind;
using base::Result;
using source::acedb::Database;
using source::acedb::Session;
using support::AceFault;

namespace {

live::Contents small() {
    return live::text_of(live::one_class("Gene", {{"a", live::remark("one")}}));
}

Result<void> find_a(Session& session) {
    const auto reply = session.ask("find Gene \"a\"", {});
    if (!reply) return tl::unexpected(reply.error());
    return {};
}

std::string identity_of(Database& database) {
    const auto status = database.status();
    INFO((status ? "" : status.error().text));
    REQUIRE(status);
    return status->identity;
}

// Also for a database with a timeout so short that a busy machine can't always log in within it.
std::string identity_of_impatient(Database& database) {
    auto status = database.status();
    CHECK(live::comes_true([&] { return status || (status = database.status()); }));
    REQUIRE(status);
    return status->identity;
}

}  // namespace

TEST_CASE("The number of sessions is limited, and waiting callers get one in the end") {
    const live::Site site(small());
    const auto database = site.database(2);
    const auto identity = identity_of(*database);
    std::atomic<int> now = 0, most = 0, done = 0;
    const auto talk = [&](Session& session) {
        const int mine = ++now;
        int known = most;
        while (mine > known && !most.compare_exchange_weak(known, mine)) {
        }
        auto found = find_a(session);
        --now;
        return found;
    };
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 16; ++i)
            threads.emplace_back([&] {
                for (int k = 0; k < 20; ++k)
                    done += database->with_session(identity, talk).has_value();
            });
    }
    CHECK(done == 16 * 20);
    CHECK(most <= 2);
    CHECK(site.server.logins() <= 2);
}

TEST_CASE("A caller who waits too long for a session is told that all are busy") {
    const live::Site site(small());
    source::acedb::DatabaseSettings settings;
    settings.open = [to = site.address] { return Session::open(to); };
    settings.name = "here";
    settings.most_sessions = 1;
    settings.patience = std::chrono::seconds(0);
    Database database(std::move(settings));
    const auto identity = identity_of(database);
    Result<void> second;
    const auto first = database.with_session(identity, [&](Session&) -> Result<void> {
        second = database.with_session(identity, find_a);
        return {};
    });
    CHECK(first);
    REQUIRE_FALSE(second);
    CHECK(second.error().kind == ErrorKind::unavailable);
    CHECK(second.error().text == "here: all 1 sessions are busy; try again");
}

TEST_CASE("A lost session is replaced once, whatever it was lost by") {
    live::Site site(small());
    const auto database = site.database();
    const auto identity = identity_of(*database);
    for (const auto fault : {AceFault::kill, AceFault::empty_kill, AceFault::cut,
                             AceFault::half_header, AceFault::half_body, AceFault::wrong_magic,
                             AceFault::negative_length, AceFault::endless_encore}) {
        INFO(static_cast<int>(fault));
        site.server.strike(fault);
        const auto before = site.server.logins();
        const auto done = database->with_session(identity, find_a);
        INFO((done ? "" : done.error().text));
        CHECK(done);
        CHECK(site.server.logins() == before + 1);
    }
}

TEST_CASE("A question is not repeated to a silent server, which may still be working on it") {
    live::Site site(small());
    site.address.timeout = std::chrono::milliseconds(250);
    const auto database = site.database();
    const auto identity = identity_of_impatient(*database);
    const auto fault = GENERATE(AceFault::silence, AceFault::wrong_length);
    INFO(static_cast<int>(fault));
    site.server.strike(fault);
    const auto logins = site.server.logins(), asked = site.server.commands().size();
    const auto done = database->with_session(identity, find_a);
    REQUIRE_FALSE(done);
    CHECK(done.error().kind == ErrorKind::unavailable);
    CHECK(done.error().text.find("no whole answer within 0.25 s") != std::string::npos);
    CHECK(site.server.logins() == logins);
    // The server may read the question later than nobody waits for its answer any more.
    CHECK(live::comes_true([&] { return site.server.commands().size() > asked; }));
    CHECK(site.server.commands().size() == asked + 1);
    CHECK(live::comes_true([&] { return database->with_session(identity, find_a).has_value(); }));
    CHECK(site.server.logins() > logins);
}

TEST_CASE("A long conversation without silence does not stop other threads") {
    live::Site site(small());
    site.pause = std::chrono::milliseconds(1);
    const auto database = site.database();
    const auto identity = identity_of(*database);
    const auto begin = std::chrono::steady_clock::now();
    const auto slow = database->with_session(identity, [&](Session& session) -> Result<void> {
        while (std::chrono::steady_clock::now() - begin <
               site.pause + std::chrono::milliseconds(10))
            if (const auto found = find_a(session); !found) return found;
        return base::fail(ErrorKind::unavailable, "another object");
    });
    REQUIRE_FALSE(slow);
    CHECK(database->with_session(identity, find_a));
}

TEST_CASE("A session that is lost twice is unavailable, and the next question connects again") {
    live::Site site(small());
    const auto database = site.database();
    const auto identity = identity_of(*database);
    site.server.strike(AceFault::cut, 3);  // also the status of the second session
    int runs = 0;
    const auto done = database->with_session(identity, [&](Session& session) {
        ++runs;
        return find_a(session);
    });
    REQUIRE_FALSE(done);
    CHECK(done.error().kind == ErrorKind::unavailable);
    CHECK(runs == 1);
    site.server.strike(AceFault::none, 0);
    CHECK(database->with_session(identity, find_a));
}

TEST_CASE(
    "Errors of a conversation are returned, and only an unexpected one closes the session") {
    const live::Site site(small());
    const auto database = site.database();
    const auto identity = identity_of(*database);
    for (const auto kind : {ErrorKind::absent, ErrorKind::refused}) {
        const auto done = database->with_session(
            identity, [&](Session&) -> Result<void> { return base::fail(kind, "so"); });
        REQUIRE_FALSE(done);
        CHECK(done.error() == base::Error{kind, "so"});
    }
    CHECK(site.server.logins() == 1);
    const auto strange = database->with_session(identity, [&](Session&) -> Result<void> {
        return base::fail(ErrorKind::unavailable, "another object");
    });
    CHECK_FALSE(strange);
    CHECK(database->with_session(identity, find_a));
    CHECK(site.server.logins() == 2);
}

TEST_CASE("A server with another build reports it until that build is requested") {
    live::Site site(small());
    const auto database = site.database();
    const auto before = identity_of(*database);
    site.server.publish(small(), "WS189", "2008-04-15_08:05:09");
    for (int i = 0; i < 3; ++i) {
        const auto done = database->with_session(before, find_a);
        REQUIRE_FALSE(done);
        CHECK(done.error().kind == ErrorKind::unavailable);
        CHECK(done.error().text.find("another build now") != std::string::npos);
        CHECK(done.error().text.find("WS189") != std::string::npos);
    }
    const auto after = identity_of(*database);
    CHECK(after != before);
    CHECK(database->with_session(after, find_a));
    CHECK(site.server.logins() == 2);
}

TEST_CASE("One caller at a time asks a silent server, and the others fail at once") {
    live::Site site(small());
    site.address.timeout = std::chrono::milliseconds(250);
    site.pause = std::chrono::milliseconds(1);
    const auto database = site.database();
    const auto identity = identity_of_impatient(*database);
    site.pause = std::chrono::hours(1);
    auto pausing = site.database();
    while (!pausing->status()) pausing = site.database();
    const auto questions = [&] {
        return std::ranges::count(site.server.commands(), "find Gene \"a\"");
    };
    site.server.strike(AceFault::silence, 1'000'000);
    REQUIRE_FALSE(pausing->with_session(identity, find_a));
    // Nobody asks during the pause.
    for (int i = 0; i < 100; ++i) CHECK_FALSE(pausing->with_session(identity, find_a));
    CHECK(live::comes_true([&] { return questions() > 0; }));
    CHECK(questions() == 1);
    CHECK_FALSE(database->with_session(identity, find_a));
    site.server.strike(AceFault::none, 0);
    CHECK(live::comes_true([&] { return database->with_session(identity, find_a).has_value(); }));
}

TEST_CASE("A job's question waits until a killed server is back, a reader's fails at once") {
    live::Site site(small());
    int refused = 0;
    source::acedb::DatabaseSettings settings;
    settings.name = "here";
    settings.open = [&]() -> Result<Session> {
        auto session = Session::open(site.address);
        if (!session && ++refused == 3) site.server.start();
        return session;
    };
    Database of_reader(settings);
    settings.endurance = std::chrono::minutes(1);
    Database of_job(settings);
    const auto identity = identity_of(of_job);
    site.server.stop();
    CHECK(of_reader.status().error().kind == ErrorKind::unavailable);
    CHECK(refused == 1);
    CHECK(of_job.with_session(identity, find_a));
    CHECK(refused == 3);
    site.server.stop();
    settings.endurance = std::chrono::milliseconds(1);
    Database short_one(settings);
    const auto given_up = short_one.status();
    REQUIRE_FALSE(given_up);
    CHECK(given_up.error().kind == ErrorKind::unavailable);
    CHECK(given_up.error().text.find("(waited 0.001 s for the database)") != std::string::npos);
}
