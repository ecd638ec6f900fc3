// The schema is created or refused in the same way on both engines.
// SPDX-License-Identifier: MIT
#include "store/store.hpp"

#include <array>
#include <filesystem>
#include <map>

#include "store/dialect.hpp"
#include "support/faulty_connection.hpp"
#include "support/stores.hpp"

using namespace store;
using support::FreshStore;
using support::Schema;

namespace {

std::map<std::string, std::vector<std::string>> tables_of(Connection& connection) {
    const auto names = connection.query(
        connection.engine() == Engine::mysql
            ? "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()"
            : "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
    std::map<std::string, std::vector<std::string>> tables;
    for (const auto& row : names)
        for (const auto& column : columns_of(connection, row.text(0)))
            tables[row.text(0)].push_back(column.name);
    return tables;
}

// Interrupts `run` at statements of it, each time on a store of its own, and lets it continue.
// Returns how often it was interrupted.
//   check  looks at what the store has afterwards
template <class Run, class Check>
int interrupt_at_statements(Schema schema, Run run, Check check) {
    const auto engine = GENERATE(support::both_engines());
    return support::sweep(support::Fault::lost, [&](const auto& plan) {
        const FreshStore store(engine, schema);
        const auto connection = store.connect()();
        try {
            run(*support::faulty(store.connect(), plan)());
            CHECK_FALSE(plan->struck());
        } catch (const Failure&) {
            CHECK(plan->struck());
        }
        run(*connection);
        check(*connection);
    });
}

std::string client(const std::string& name) {
    for (const std::string folder : {"/usr/bin/", "/usr/local/bin/"})
        if (std::filesystem::exists(folder + name)) return folder + name;
    throw std::runtime_error(name + " is not installed");
}

}  // namespace

TEST_CASE("Both schema files make the same tables with the same columns") {
    const FreshStore one(Engine::sqlite), other(Engine::mysql);
    const auto sqlite = tables_of(*one.connect()()), mysql = tables_of(*other.connect()());
    CHECK(sqlite == mysql);
    CHECK(sqlite.size() == 26);
    CHECK(sqlite.at("history").size() == 15);
}

TEST_CASE("An object with only a name gets the same defaults on both engines") {
    support::both_stores([](const Connect& connect) {
        const auto connection = connect();
        connection->execute(
            "INSERT INTO objects (class, name, name_key) VALUES ('Gene', 'A', 'a')");
        const auto rows = connection->query(
            "SELECT oid, class, name, name_key, label, signature, last_modification_date,"
            " build, bytes, held, hits, last_requested, label_key, other_names FROM objects");
        REQUIRE(rows.size() == 1);
        const std::int64_t none = 0;
        CHECK(rows[0] == Row({std::int64_t{1}, "Gene", "A", "a", "", "", "2007-01-01", none, none,
                              "", none, "", "", ""}));
        CHECK_THROWS_AS(connection->execute("INSERT INTO objects (class, name, name_key)"
                                            " VALUES ('Gene', 'A', 'a')"),
                        Failure);
    });
}

TEST_CASE("An empty database gets the schema, and a second run changes nothing") {
    const FreshStore fresh(GENERATE(support::both_engines()), Schema::none);
    const auto connection = fresh.connect()();
    const auto before = check_schema(*connection);
    REQUIRE_FALSE(before);
    CHECK_THAT(before.error().text, Catch::Contains("varve init"));
    CHECK(initialise(*connection) == true);
    REQUIRE(check_schema(*connection));
    connection->execute("INSERT INTO meta (name, value) VALUES ('a note', 7)");
    CHECK(initialise(*connection) == false);
    CHECK(connection->query("SELECT value FROM meta WHERE name = 'a note'").size() == 1);
}

TEST_CASE("The databases' own clients can run the schema files twice") {
    const FreshStore fresh(GENERATE(support::both_engines()), Schema::none);
    const support::TempDir folder;
    const auto script = folder.write("schema.sql", schema_sql(fresh.engine()));
    const auto words =
        fresh.engine() == Engine::sqlite
            ? std::vector{client("sqlite3"), std::string("-bail"), fresh.url().path.string()}
            : std::vector{client("mariadb"), std::string("--no-defaults"),
                          std::string("--user=root"), "--socket=" + fresh.url().socket,
                          fresh.url().database};
    for (int run = 0; run < 2; ++run) CHECK(support::run_program(words, script) == 0);
    CHECK(check_schema(*fresh.connect()()));
}

TEST_CASE("Creating the schema continues after an interruption at any statement") {
    const auto tried = interrupt_at_statements(
        Schema::none,
        [](Connection& connection) {
            if (!initialise(connection)) FAIL("the store is refused");
        },
        [](Connection& connection) {
            CHECK(check_schema(connection));
            CHECK(tables_of(connection).size() == 26);
            CHECK(connection.query("SELECT COUNT(*) FROM meta").at(0).integer(0) == 3);
        });
    CHECK(tried > 7);
}

TEST_CASE(
    "A store of another schema is refused: an older one names `varve init`, a newer one stays") {
    support::both_stores([](const Connect& connect) {
        const auto connection = connect();
        connection->execute("UPDATE meta SET value = 1 WHERE name = 'schema'");
        for (const auto& older :
             {check_schema(*connection), initialise(*connection).map([](auto) {})}) {
            REQUIRE_FALSE(older);
            CHECK_THAT(older.error().text, Catch::Contains("use a new one, and run varve init"));
        }
        connection->execute("UPDATE meta SET value = 99 WHERE name = 'schema'");
        const auto newer = check_schema(*connection);
        REQUIRE_FALSE(newer);
        CHECK(newer.error().kind == base::ErrorKind::refused);
        CHECK_THAT(newer.error().text, Catch::Contains("newer"));
        CHECK_FALSE(initialise(*connection));
        CHECK(schema_of(*connection) == 99);
    });
}

TEST_CASE("A connection that is lost while the schema is checked is replaced") {
    const auto engine = GENERATE(support::both_engines());
    const FreshStore store(engine);
    support::sweep(support::Fault::lost, [&](const auto& plan) {
        Pool pool(support::faulty(store.connect(), plan), 2);
        CHECK(check_schema(pool));
    });
}

TEST_CASE("Tables of another program are refused and not changed") {
    const FreshStore fresh(GENERATE(support::both_engines()), Schema::none);
    const auto connection = fresh.connect()();
    const std::string table = GENERATE("objects", "history", "releases", "meta");
    connection->execute("CREATE TABLE " + table + " (something INTEGER)");
    const auto refused = initialise(*connection);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == base::ErrorKind::refused);
    CHECK_THAT(refused.error().text, Catch::Contains(table));
    CHECK(tables_of(*connection).size() == 1);
}

TEST_CASE("A script is divided into its statements") {
    using List = std::vector<std::string>;
    CHECK(statements_of("").empty());
    CHECK(statements_of("-- nothing; at all\n").empty());
    CHECK(statements_of("a;b ;\n c") == List{"a", "b", "c"});
    CHECK(statements_of("a -- x; 'y\n b;") == List{"a \n b"});
    CHECK(statements_of("a '-- ; ''' b; c") == List{"a '-- ; ''' b", "c"});
    CHECK(statements_of("a; -- last, without a line end") == List{"a"});
}
