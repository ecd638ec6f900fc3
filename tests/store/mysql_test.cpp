// What only a server can do: require TLS, ask for our files, be one of several.
// SPDX-License-Identifier: MIT
#include <array>
#include <atomic>
#include <cppconn/connection.h>
#include <cppconn/exception.h>
#include <cstdlib>
#include <thread>

#include "base/text.hpp"
#include "store/mysql.hpp"
#include "store/pool.hpp"
#include "store/store.hpp"
#include "support/http_peer.hpp"
#include "support/stores.hpp"

using namespace store;
using support::failure_of;
using support::FreshStore;
using support::Schema;

TEST_CASE("A session is strict, waits 5 s for a lock, and reads SQL as SQLite does") {
    const FreshStore fresh(Engine::mysql, Schema::none);
    const auto connection = fresh.connect()();
    const auto row =
        connection
            ->query("SELECT @@sql_mode, @@innodb_lock_wait_timeout, @@character_set_client,"
                    " @@collation_connection, @@tx_isolation")
            .at(0);
    for (const auto* mode : {"STRICT_ALL_TABLES", "PIPES_AS_CONCAT", "ANSI_QUOTES",
                             "NO_BACKSLASH_ESCAPES", "NO_ENGINE_SUBSTITUTION"})
        CHECK_THAT(row.text(0), Catch::Contains(mode));
    CHECK(row.integer(1) == 5);
    CHECK(row.text(2) == "utf8mb4");
    CHECK(row.text(3) == "utf8mb4_nopad_bin");
    CHECK(row.text(4) == "REPEATABLE-READ");
}

TEST_CASE("tls=verify never falls back to plain text") {
    const FreshStore fresh(Engine::mysql, Schema::none);
    auto url = fresh.url();
    url.verify_tls = true;
    const auto failure = failure_of([&] { (void)open_mysql(url, ""); });
    CHECK_FALSE(failure.kind().transient);
}

TEST_CASE("A server cannot ask for files of ours") {
    const FreshStore fresh(Engine::mysql, Schema::none);
    fresh.connect()()->execute("CREATE TABLE stolen (line TEXT)");
    const support::TempDir folder;
    const auto secret = folder.write("secret", "password\n");
    const auto session = open_mysql_session(fresh.url(), "");
    CHECK_THROWS_AS(
        run_mysql(*session, "LOAD DATA LOCAL INFILE '" + secret.string() + "' INTO TABLE stolen"),
        sql::SQLException);
    CHECK(fresh.connect()()->query("SELECT * FROM stolen").empty());
}

TEST_CASE("A wrong password or database needs the operator") {
    const FreshStore fresh(Engine::mysql, Schema::none);
    CHECK(failure_of([&] { (void)open_mysql(fresh.url(), "wrong"); }).kind().needs_operator);
    auto elsewhere = fresh.url();
    elsewhere.database = "nowhere";
    CHECK(failure_of([&] { (void)open_mysql(elsewhere, ""); }).kind().needs_operator);
}

// The server gets a value of more than 256 KB in pieces, ahead of the execution. One that is too large for it
// fails there, and so does one whose transaction a cluster ends meanwhile: the pieces stay.
TEST_CASE("A long value does not begin with the pieces of one that failed") {
    const FreshStore fresh(Engine::mysql, Schema::none);
    const auto other = fresh.connect()();
    const auto most = other->query("SELECT @@GLOBAL.max_allowed_packet").at(0).integer(0);
    other->execute("SET GLOBAL max_allowed_packet = 1048576");
    const auto connection = fresh.connect()();
    other->execute("SET GLOBAL max_allowed_packet = " + std::to_string(most));
    const auto length_of = [&](std::size_t bytes) {
        const std::array<Value, 1> value{std::string(bytes, 'x')};
        return connection->query("SELECT LENGTH(?)", value).at(0).integer(0);
    };
    CHECK(length_of(300'000) == 300'000);
    const auto failure = failure_of([&] { (void)length_of(2'000'000); });
    INFO(failure.what());
    CHECK_FALSE(failure.kind().lost_connection);
    CHECK(length_of(300'000) == 300'000);
}

TEST_CASE("Several hosts are tried in turn, and a failure of all is transient") {
    // They close all connections.
    const support::HttpPeer one([](support::PeerConnection&) {}),
        two([](support::PeerConnection&) {});
    Url url;
    url.engine = Engine::mysql;
    url.hosts = {{"127.0.0.1", one.port()}, {"127.0.0.1", two.port()}};
    url.user = "varve";
    url.database = "history";
    const auto failure = failure_of([&] { (void)open_mysql(url, ""); });
    CHECK(failure.kind().transient);
    CHECK(failure.kind().lost_connection);
    CHECK(one.connections() == 1);
    CHECK(two.connections() == 1);
}

// For tests/galera, with the URLs of a database on several nodes, each of one node, in VARVE_NODES.
TEST_CASE(
    "Of writers on several nodes that change one row, none writes a part of its transaction",
    "[.][galera]") {
    constexpr int transactions = 300, writers_of_node = 2;
    const std::string nodes = std::getenv("VARVE_NODES");
    std::vector<Connect> connects;
    for (const auto& node : base::split(nodes, ' ')) {
        const auto url = parse_url(node);
        REQUIRE(url);
        connects.push_back(connector(*url, "", IfMissing::fail));
    }
    Pool first(connects.front(), 1);
    perform(first, Access::write, [](Transaction& transaction) {
        transaction.execute("CREATE TABLE written (writer INT, number INT, PRIMARY KEY (writer, "
                            "number)) ENGINE=InnoDB");
        transaction.execute("CREATE TABLE counted (id INT PRIMARY KEY, rows_there INT) "
                            "ENGINE=InnoDB");
        transaction.execute("INSERT INTO counted VALUES (1, 0), (2, 0)");
    });
    RetryPolicy patient;
    patient.attempts = 100;
    std::vector<std::jthread> threads;
    std::atomic<int> failed = 0;
    for (int writer = 0; writer < writers_of_node * std::ssize(connects); ++writer)
        threads.emplace_back([&, writer] {
            Pool pool(connects.at(static_cast<std::size_t>(writer) % connects.size()), 1,
                      patient);
            int others = 0;
            for (int number = 0; number < transactions; ++number) {
                try {
                    perform(pool, Access::write, [&](Transaction& transaction) {
                        const std::vector<Value> row{Value{std::int64_t{writer}},
                                                     Value{std::int64_t{number}}};
                        // As perform() requires: a commit that was in doubt may have succeeded.
                        if (!transaction
                                 .query("SELECT 1 FROM written WHERE writer = ? AND number = ?",
                                        row)
                                 .empty())
                            return;
                        const std::string count =
                            "UPDATE counted SET rows_there = rows_there + 1 WHERE id = ";
                        transaction.execute(count + "1");
                        // While statements are prepared, the server drops the error of a transaction that has lost.
                        for (int i = 0; i < 20; ++i)
                            (void)transaction.query("SELECT " + std::to_string(++others));
                        transaction.execute("INSERT INTO written VALUES (?, ?)", row);
                        transaction.execute(count + "2");
                    });
                } catch (const Failure&) {
                    ++failed;
                }
            }
        });
    for (auto& thread : threads) thread.join();
    CHECK(failed == 0);
    const auto count_on = [](const Connect& connect, const char* sql) {
        Pool pool(connect, 1);
        return perform(pool, Access::read, [&](Transaction& transaction) {
            return transaction.query(sql).at(0).integer(0);
        });
    };
    for (const auto& connect : connects) {
        for (const auto* sql :
             {"SELECT COUNT(*) FROM written", "SELECT rows_there FROM counted WHERE id = 1",
              "SELECT rows_there FROM counted WHERE id = 2"})
            CHECK(count_on(connect, sql) == transactions * std::ssize(threads));
    }
}

TEST_CASE("MariaDB's error codes have their kinds") {
    for (const int code : {1205, 1213, 1615, 1047, 1180, 2002, 2003, 2006, 2013, 2030}) {
        INFO(code);
        CHECK(mysql_failure_kind(code, "HY000").transient);
    }
    for (const int code : {1047, 1180, 1927, 2002, 2006, 2013, 2030})
        CHECK(mysql_failure_kind(code, "HY000").lost_connection);
    CHECK_FALSE(mysql_failure_kind(1213, "40001").lost_connection);
    CHECK(mysql_failure_kind(9999, "40001").transient);
    CHECK(mysql_failure_kind(1040, "08004").transient);
    CHECK(mysql_failure_kind(1062, "23000").duplicate);
    CHECK_FALSE(mysql_failure_kind(1452, "23000").duplicate);
    CHECK_FALSE(mysql_failure_kind(1452, "23000").transient);
    CHECK(mysql_failure_kind(1452, "23000").orphan);
    for (const int code : {1021, 1114, 1290, 1836, 1045})
        CHECK(mysql_failure_kind(code, "HY000").needs_operator);
    CHECK_FALSE(mysql_failure_kind(2026, "08001").transient);
    CHECK_FALSE(mysql_failure_kind(1064, "42000").transient);
    CHECK_FALSE(mysql_failure_kind(0, "").transient);
}
