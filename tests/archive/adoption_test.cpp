// Adoption of a database of the first system. The tests make its tables as they were (MyISAM,
// latin1, no unique keys), and a copy of them in SQLite.
// SPDX-License-Identifier: MIT
#include "archive/adoption.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "store/dialect.hpp"
#include "store/schema.hpp"
#include "support/faulty_connection.hpp"
#include "support/stores.hpp"

using namespace store;
using support::FreshStore;
using support::Schema;

namespace {

const base::Seconds some_time{std::chrono::seconds(1203033600)};  // 2008-02-15

constexpr auto mysql_tables = R"(
CREATE TABLE objects (oid INT AUTO_INCREMENT PRIMARY KEY, name CHAR(35), class CHAR(35),
  signature CHAR(32), last_modification_date DATE DEFAULT '2007-01-01', ace_version CHAR(5))
  ENGINE=MyISAM DEFAULT CHARSET=latin1;
CREATE TABLE history (sid INT AUTO_INCREMENT PRIMARY KEY, oid INT, version CHAR(5), date DATE,
  signature CHAR(32), notes TEXT) ENGINE=MyISAM DEFAULT CHARSET=latin1;)";

constexpr auto sqlite_tables = R"(
CREATE TABLE objects (oid INTEGER PRIMARY KEY AUTOINCREMENT, name CHAR(35), class CHAR(35),
  signature CHAR(32), last_modification_date DATE DEFAULT '2007-01-01', ace_version CHAR(5));
CREATE TABLE history (sid INTEGER PRIMARY KEY AUTOINCREMENT, oid INT, version CHAR(5), date DATE,
  signature CHAR(32), notes TEXT);)";

// Returns "é" in latin1: MariaDB converts it from UTF-8, and a copy in SQLite holds the byte.
std::string latin1(Engine engine) { return engine == Engine::mysql ? "\xC3\xA9" : "\xE9"; }

constexpr auto old_objects = R"(
INSERT INTO objects (oid, name, class, signature, last_modification_date, ace_version) VALUES
  (1, 'WBGene00006763', 'Gene', 'old', '2008-02-01', 'WS186'),
  (2, 'e69', 'Variation', 'old', '2008-02-15', 'WS187'),
  (5, 'WBGene00006763', 'Gene', 'new', '2008-03-22', 'WS188'),
  (6, NULL, 'Gene', 'x', '2008-03-22', 'WS188'),
  (7, 'E69', 'Variation', NULL, NULL, NULL);)";

constexpr auto old_history = R"(
INSERT INTO history (sid, oid, version, date, signature, notes) VALUES
  (1, 1, 'WS186', '2008-02-01', 'old', '<b>one</b>'),
  (2, 5, 'WS188', '2008-03-22', 'new', 'three "quoted" \ & <a href="http://x/">x</a>'),
  (3, 2, 'WS187', '2008-02-15', 'old', ?),
  (4, 5, 'WS186', '2008-02-01', 'new', 'two'),
  (5, 99, 'WS188', '2008-03-22', 'x', 'of no object'),
  (6, 2, NULL, '2008-03-22', 'x', 'of no version'),
  (7, 2, 'WS188', NULL, 'x', 'of no date'),
  (8, NULL, 'WS188', '2008-03-22', 'x', 'of nothing'),
  (9, 6, 'WS188', '2008-03-22', 'x', 'of the object without a name'),
  (10, 2, 'WS188', '2008-03-22', 'x', NULL);)";

void make_first_system(Connection& connection) {
    const bool mysql = connection.engine() == Engine::mysql;
    for (const auto& sql : statements_of(mysql ? mysql_tables : sqlite_tables))
        connection.execute(sql);
    connection.execute(statements_of(old_objects).at(0));
    connection.execute(statements_of(old_history).at(0),
                       std::array<Value, 1>{"caf" + latin1(connection.engine())});
}

void check_adopted(Connection& connection) {
    const auto objects = connection.query(
        "SELECT oid, class, name, name_key, signature, last_modification_date, ace_version"
        " FROM objects ORDER BY oid");
    REQUIRE(objects.size() == 3);
    CHECK(objects[0] ==
          Row({std::int64_t{2}, "Variation", "e69", "e69", "", "2008-02-15", "WS187"}));
    CHECK(objects[1] == Row({std::int64_t{5}, "Gene", "WBGene00006763", "wbgene00006763", "",
                             "2008-03-22", "WS188"}));
    CHECK(objects[2] == Row({std::int64_t{7}, "Variation", "E69", "e69", "", "2007-01-01", ""}));
    const auto rows = connection.query(
        "SELECT oid, version, date, recorded_at, signature, kind, since, revision, notes"
        " FROM history ORDER BY oid, version");
    REQUIRE(rows.size() == 4);
    const auto html = [&](std::size_t n) {
        return nlohmann::json::parse(rows[n].text(8)).at("adopted").get<std::string>();
    };
    CHECK(html(0) == "caf\xC3\xA9");
    CHECK(html(1).empty());
    CHECK(html(2) == "<b>one</b><br>two");
    CHECK(html(3) == "three \"quoted\" \\ & <a href=\"http://x/\">x</a>");
    CHECK(rows[3] == Row({std::int64_t{5}, "WS188", "2008-03-22", "2008-02-15T00:00:00Z", "",
                          "adopted", "", std::int64_t{0}, rows[3].text(8)}));
    CHECK(connection.query("SELECT COUNT(*) FROM first_objects").at(0).integer(0) == 5);
    CHECK(connection.query("SELECT COUNT(*) FROM first_history").at(0).integer(0) == 10);
    std::string releases;
    for (const auto& row : connection.query("SELECT * FROM releases ORDER BY version"))
        releases += row.text(0) + " " + row.text(1) + " " + row.text(2) + "|";
    CHECK(releases == "WS186 2008-02-01 |WS187 2008-02-15 |WS188 2008-03-22 |");
}

}  // namespace

TEST_CASE("A database of the first system is adopted without loss") {
    const FreshStore fresh(GENERATE(support::engines()), Schema::none);
    const auto connection = fresh.connect()();
    make_first_system(*connection);
    CHECK_FALSE(check_schema(*connection));
    const auto done = archive::initialise(*connection, some_time);
    REQUIRE(done);
    CHECK(done->has_adopted);
    CHECK(done->from == 0);
    CHECK(done->to == newest_schema());
    CHECK(done->adopted_objects == 3);
    CHECK(done->adopted_rows == 5);
    check_adopted(*connection);
    CHECK(check_schema(*connection));
}

TEST_CASE("What cannot be adopted is reported and stays where it was") {
    const FreshStore fresh(GENERATE(support::engines()), Schema::none);
    const auto connection = fresh.connect()();
    make_first_system(*connection);
    const auto done = archive::initialise(*connection, some_time);
    REQUIRE(done);
    CHECK(done->left_behind == 6);
    CHECK(done->reasons ==
          std::vector<std::string>{"first_objects 6: no class or no name",
                                   "first_history 5: no object", "first_history 6: no version",
                                   "first_history 7: no date", "first_history 8: no object",
                                   "first_history 9: no object"});
}

TEST_CASE("Adopting a second time does nothing") {
    const FreshStore fresh(GENERATE(support::engines()), Schema::none);
    const auto connection = fresh.connect()();
    make_first_system(*connection);
    REQUIRE(archive::initialise(*connection, some_time));
    const auto again = archive::initialise(*connection, some_time);
    REQUIRE(again);
    CHECK(again->from == newest_schema());
    CHECK_FALSE(again->has_adopted);
    CHECK(again->adopted_objects + again->adopted_rows == 0);
    check_adopted(*connection);
}

TEST_CASE("An adoption that was interrupted at any statement continues") {
    const auto engine = GENERATE(support::engines());
    const auto fault = GENERATE(support::Fault::lost, support::Fault::lost_commit);
    const auto adopt = [&](const std::shared_ptr<support::FaultPlan>& plan) {
        const FreshStore fresh(engine, Schema::none);
        make_first_system(*fresh.connect()());
        try {
            (void)archive::initialise(*support::faulty(fresh.connect(), plan)(), some_time);
            CHECK_FALSE(plan->struck());
        } catch (const Failure&) {
            CHECK(plan->struck());
        }
        const auto connection = fresh.connect()();
        REQUIRE(archive::initialise(*connection, some_time));
        check_adopted(*connection);
        CHECK(check_schema(*connection));
    };
    CHECK(support::sweep(fault, adopt) >= (fault == support::Fault::lost ? 8 : 2));
}

TEST_CASE("More rows than one query reads are adopted, each once") {
    const FreshStore fresh(GENERATE(support::both_engines()), Schema::none);
    const auto connection = fresh.connect()();
    make_first_system(*connection);
    Transaction transaction(*connection, Access::write);
    for (std::int64_t n = 0; n < 1200; ++n) {
        transaction.execute("INSERT INTO objects (oid, name, class) VALUES (?, ?, 'Gene')",
                            {100 + n, "gene-" + std::to_string(n)});
        transaction.execute("INSERT INTO history (oid, version, date, notes)"
                            " VALUES (?, 'WS187', '2008-02-15', 'x')",
                            {100 + n});
    }
    transaction.commit();
    const auto done = archive::initialise(*connection, some_time);
    REQUIRE(done);
    CHECK(done->adopted_objects == 1203);
    CHECK(connection->query("SELECT COUNT(*), COUNT(DISTINCT oid) FROM history").at(0) ==
          Row({std::int64_t{1204}, std::int64_t{1202}}));
}

TEST_CASE("Names that are too long are not adopted from the first system, but all others are") {
    const FreshStore fresh(Engine::sqlite, Schema::none);
    const auto connection = fresh.connect()();
    make_first_system(*connection);
    connection->execute("INSERT INTO objects (oid, name, class) VALUES (50, ?, 'Gene')",
                        std::array<Value, 1>{std::string(513, 'x')});
    const auto done = archive::initialise(*connection, some_time);
    REQUIRE(done);
    CHECK(done->adopted_objects == 3);
    CHECK(done->reasons.at(0) == "first_objects 50: class or name too long");
}

TEST_CASE("Adoption does not overwrite tables that have the names it needs") {
    const FreshStore fresh(GENERATE(support::engines()), Schema::none);
    const auto connection = fresh.connect()();
    make_first_system(*connection);
    connection->execute("CREATE TABLE first_objects (a INTEGER)");
    const auto refused = archive::initialise(*connection, some_time);
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().text, Catch::Contains("first_objects"));
    CHECK(connection->query("SELECT COUNT(*) FROM objects").at(0).integer(0) == 5);
}
