// The schema is created, upgraded or refused in the same way on both engines.
// SPDX-License-Identifier: MIT
#include "store/schema.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/text.hpp"
#include "base/words.hpp"
#include "store/dialect.hpp"
#include "store/tag_bits.hpp"
#include "support/faulty_connection.hpp"
#include "support/stores.hpp"
#include "support/watched_connection.hpp"

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
    for (const auto& row : names) tables[row.text(0)] = columns_of(connection, row.text(0));
    return tables;
}

// Makes the schema as a program of that time did.
void make_schema(Connection& connection, int number) {
    const std::string twin = connection.engine() == Engine::sqlite ? ".sqlite" : "";
    std::ifstream file("tests/store/fixtures/schema_" + std::to_string(number) + twin + ".sql");
    for (const auto& sql : statements_of(std::string(std::istreambuf_iterator<char>(file), {})))
        connection.execute(sql);
}

constexpr auto to_newest = [](Connection& connection) {
    if (!initialise(connection)) FAIL("the store is refused");
};

// Interrupts `run` at statements of it, each time on a store of its own, and lets it continue.
// Returns how often it was interrupted.
//   prepare  makes what the store has before
//   check    looks at what it has afterwards
template <class Prepare, class Run, class Check>
int interrupt_at_statements(Schema schema, Prepare prepare, Run run, Check check) {
    const auto engine = GENERATE(support::both_engines());
    return support::sweep(support::Fault::lost, [&](const auto& plan) {
        const FreshStore store(engine, schema);
        const auto connection = store.connect()();
        prepare(*connection);
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
    CHECK(sqlite.size() == 31);
    CHECK(sqlite.at("history").size() == 15);
}

TEST_CASE("An object with only a name gets the same defaults on both engines") {
    support::both_stores([](const Connect& connect) {
        const auto connection = connect();
        connection->execute(
            "INSERT INTO objects (class, name, name_key) VALUES ('Gene', 'A', 'a')");
        const auto rows = connection->query(
            "SELECT oid, class, name, name_key, label, signature, last_modification_date,"
            " ace_version, hits, last_requested, label_key, other_names FROM objects");
        REQUIRE(rows.size() == 1);
        CHECK(rows[0] == Row({std::int64_t{1}, "Gene", "A", "a", "", "", "2007-01-01", "",
                              std::int64_t{0}, "", "", ""}));
        CHECK_THROWS_AS(connection->execute("INSERT INTO objects (class, name, name_key)"
                                            " VALUES ('Gene', 'A', 'a')"),
                        Failure);
    });
}

TEST_CASE("A release has one row for an object") {
    support::both_stores([](const Connect& connect) {
        const auto connection = connect();
        connection->execute(
            "INSERT INTO objects (class, name, name_key) VALUES ('Gene', 'A', 'a')");
        const auto insert =
            "INSERT INTO history (oid, version, date, recorded_at, kind, label, notes)"
            " VALUES (1, 'WS187', '2008-02-15', '2008-02-16T00:00:00Z', 'changed', '', '{}')";
        CHECK(connection->execute(insert) == 1);
        CHECK_THROWS_AS(connection->execute(insert), Failure);
        const auto rows = connection->query("SELECT * FROM history");
        REQUIRE(rows.size() == 1);
        CHECK(rows[0] == Row({std::int64_t{1}, std::int64_t{1}, "WS187", std::int64_t{0}, "",
                              "2008-02-15", "2008-02-16T00:00:00Z", "", "changed", "", "{}", "",
                              "", std::int64_t{0}, std::int64_t{0}}));
    });
}

TEST_CASE("An empty database gets the schema, and a second run changes nothing") {
    const FreshStore fresh(GENERATE(support::both_engines()), Schema::none);
    const auto connection = fresh.connect()();
    const auto before = check_schema(*connection);
    REQUIRE_FALSE(before);
    CHECK_THAT(before.error().text, Catch::Contains("varve init"));
    const auto first = initialise(*connection);
    REQUIRE(first);
    CHECK((first->from == 0 && first->to == newest_schema()));
    REQUIRE(check_schema(*connection));
    connection->execute("UPDATE meta SET value = 7 WHERE name = 'generation'");
    const auto second = initialise(*connection);
    REQUIRE(second);
    CHECK((second->from == newest_schema() && second->to == newest_schema()));
    CHECK(
        connection->query("SELECT value FROM meta WHERE name = 'generation'").at(0).integer(0) ==
        7);
}

TEST_CASE("The databases' own clients can run the schema files twice") {
    SECTION("sqlite3") {
        const FreshStore fresh(Engine::sqlite, Schema::none);
        const support::TempDir folder;
        const auto script = folder.write("schema.sql", schema_sql(Engine::sqlite));
        for (int run = 0; run < 2; ++run)
            CHECK(support::run_program({client("sqlite3"), "-bail", fresh.url().path.string()},
                                       script) == 0);
        CHECK(check_schema(*fresh.connect()()));
    }
    SECTION("mariadb") {
        const FreshStore fresh(Engine::mysql, Schema::none);
        const support::TempDir folder;
        const auto script = folder.write("schema.sql", schema_sql(Engine::mysql));
        for (int run = 0; run < 2; ++run)
            CHECK(support::run_program({client("mariadb"), "--no-defaults", "--user=root",
                                        "--socket=" + fresh.url().socket, fresh.url().database},
                                       script) == 0);
        CHECK(check_schema(*fresh.connect()()));
    }
}

TEST_CASE("Creating the schema continues after an interruption at any statement") {
    const auto tried = interrupt_at_statements(
        Schema::none, [](Connection&) {}, to_newest,
        [](Connection& connection) {
            CHECK(check_schema(connection));
            CHECK(tables_of(connection).size() == 31);
            CHECK(connection.query("SELECT COUNT(*) FROM meta").at(0).integer(0) == 18);
        });
    CHECK(tried > 7);
}

TEST_CASE("A schema that is newer than the program is refused and not changed") {
    support::both_stores([](const Connect& connect) {
        const auto connection = connect();
        connection->execute("UPDATE meta SET value = 99 WHERE name = 'schema'");
        const auto checked = check_schema(*connection);
        REQUIRE_FALSE(checked);
        CHECK(checked.error().kind == base::ErrorKind::refused);
        CHECK_THAT(checked.error().text, Catch::Contains("newer"));
        CHECK_FALSE(initialise(*connection));
        CHECK(schema_of(*connection) == 99);
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

TEST_CASE("An older schema is upgraded step by step, and an interrupted step continues") {
    const std::array steps{
        Migration{newest_schema() + 1,
                  "CREATE TABLE more (a TEXT) STRICT; INSERT INTO more VALUES ('; -- x');",
                  "CREATE TABLE IF NOT EXISTS more (a TEXT);"
                  "INSERT INTO more SELECT '; -- x' FROM DUAL"
                  " WHERE NOT EXISTS (SELECT 1 FROM more);"},
        Migration{newest_schema() + 2, "CREATE TABLE last (a TEXT) STRICT",
                  "CREATE TABLE IF NOT EXISTS last (a TEXT)"}};
    interrupt_at_statements(
        Schema::ours, [](Connection&) {},
        [&](Connection& connection) { upgrade(connection, steps); },
        [](Connection& connection) {
            CHECK(schema_of(connection) == newest_schema() + 2);
            CHECK(tables_of(connection).size() == 33);
            const auto rows = connection.query("SELECT a FROM more");
            REQUIRE(rows.size() == 1);
            CHECK(rows[0].text(0) == "; -- x");
        });
}

TEST_CASE("A store of an older schema is refused until init has upgraded it to the newest") {
    const auto engine = GENERATE(support::both_engines());
    const int number = GENERATE(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    const FreshStore fresh(engine), old(engine, Schema::none);
    const auto connection = old.connect()();
    make_schema(*connection, number);
    connection->execute(
        "INSERT INTO releases (version, released_on) VALUES ('WS1', '2001-01-01')");
    connection->execute("UPDATE meta SET value = 41 WHERE name = 'generation'");
    const auto refused = check_schema(*connection);
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().text, Catch::Contains("varve init"));
    const auto done = initialise(*connection);
    REQUIRE(done);
    CHECK(done->from == number);
    CHECK(check_schema(*connection));
    CHECK(tables_of(*connection) == tables_of(*fresh.connect()()));
    const auto names = "SELECT name FROM meta ORDER BY name";
    CHECK(connection->query(names) == fresh.connect()()->query(names));
    CHECK(connection->query("SELECT version, replacing FROM releases") ==
          Rows{Row({"WS1", std::int64_t{0}})});
}

TEST_CASE("An upgrade makes the keys of labels as the program does") {
    const auto engine = GENERATE(support::both_engines());
    const FreshStore old(engine, Schema::none);
    const auto connection = old.connect()();
    make_schema(*connection, 2);
    // U+00C4, a capital letter, is not one of ASCII's.
    const std::string label = "ABCDEFGHIJKLMNOPQRSTUVWXYZ az09 \xC3\x84 @[`{ %_";
    const auto add = [&](const char* name, const std::string& called) {
        connection->execute("INSERT INTO objects (class, name, name_key, label)"
                            " VALUES ('Gene', ?, ?, ?)",
                            std::vector<Value>{name, base::fold_ascii(name), called});
    };
    add("A", label);
    add("B", "B");
    add("C", "");
    add("D", "d");
    REQUIRE(initialise(*connection));
    CHECK(connection->query("SELECT name, label, label_key FROM objects ORDER BY name") ==
          Rows{Row({"A", label, base::search_key(label)}), Row({"B", "B", ""}),
               Row({"C", "", ""}), Row({"D", "d", "d"})});
}

TEST_CASE("An upgrade that is interrupted at any statement continues, also between objects") {
    const auto tried = interrupt_at_statements(
        Schema::none,
        [&](Connection& connection) {
            make_schema(connection, 2);
            for (const std::string name : {"A", "B", "C"})
                connection.execute(
                    "INSERT INTO objects (class, name, name_key, label)"
                    " VALUES ('Gene', ?, ?, ?)",
                    std::vector<Value>{name, base::fold_ascii(name), "Unc-" + name});
        },
        to_newest,
        [&](Connection& connection) {
            CHECK(check_schema(connection));
            CHECK(connection.query("SELECT label_key FROM objects ORDER BY oid") ==
                  Rows{Row({"unc-a"}), Row({"unc-b"}), Row({"unc-c"})});
        });
    CHECK(tried > 7);
}

TEST_CASE("A store that another program upgrades meanwhile is upgraded for both") {
    const auto engine = GENERATE(support::both_engines());
    const int schema = GENERATE(3, 7);
    // Runs the other program behind a statement, in between of two transactions, and nowhere for 0.
    const auto upgrade_both = [&](int at) {
        const FreshStore old(engine, Schema::none);
        const auto other = old.connect()();
        make_schema(*other, schema);
        other->execute("INSERT INTO objects (class, name, name_key, label)"
                       " VALUES ('Gene', 'A', 'a', 'Unc-26')");
        other->execute("INSERT INTO history (oid, version, date, recorded_at, kind, label, notes)"
                       " VALUES (1, 'WS1', '2001-01-01', '2001-01-02T00:00:00Z', 'changed', '',"
                       " '{}')");
        bool is_writing = false;
        support::Statements between;
        const auto connection =
            support::watched(old.connect(), [&](support::Statement statement, std::string_view) {
                const bool has_written = is_writing && statement == support::Statement::commit;
                if (statement == support::Statement::begin_write) is_writing = true;
                if (has_written) is_writing = false;
                if (is_writing) return;  // the other one would wait
                between.count(has_written);
                if (between.all == at) REQUIRE(initialise(*other));
            })();
        INFO("statement " << at);
        REQUIRE(initialise(*connection));
        CHECK(between.all >= at);
        CHECK(check_schema(*other));
        CHECK(other->query("SELECT o.label_key, h.class, h.bytes FROM objects o"
                           " JOIN history h ON h.oid = o.oid") ==
              Rows{Row({"unc26", "Gene", std::int64_t{2}})});
        CHECK(other->query("SELECT class, objects FROM row_counts ORDER BY class") ==
              Rows{Row({"", std::int64_t{1}}), Row({"Gene", std::int64_t{1}})});
        return between;
    };
    const auto between = upgrade_both(0);
    CHECK(between.all > 10);
    for (const int at : support::strikes_in(between)) upgrade_both(at);
}

TEST_CASE("Labels are folded in steps of their own, and correct ones are not changed") {
    support::both_stores([](const Connect& connect) {
        const auto connection = connect();
        connection->execute("UPDATE meta SET value = 3 WHERE name = 'schema'");
        constexpr std::int64_t objects = 20'001;
        {
            Transaction transaction(*connection, Access::write);
            std::vector<Value> values;
            for (std::int64_t oid = 1; oid <= objects; ++oid) {
                const auto name = "N" + std::to_string(oid);
                values.insert(values.end(), {Value{oid}, Value{"Gene"}, Value{name},
                                             Value{base::fold_ascii(name)}, Value{"L" + name}});
            }
            insert_many(transaction,
                        {"objects", {"oid", "class", "name", "name_key", "label"}, {}}, values);
            transaction.commit();
        }
        const auto right = [&] {
            return connection
                ->query("SELECT COUNT(*) FROM objects WHERE label_key = ?",
                        std::vector<Value>{"ln20001"})
                .at(0)
                .integer(0);
        };
        fill_label_keys(*connection);
        CHECK(right() == 1);
        CHECK(connection->query("SELECT COUNT(DISTINCT label_key), MIN(LENGTH(label_key))"
                                " FROM objects") == Rows{Row({objects, std::int64_t{3}})});
        connection->execute("UPDATE objects SET label_key = 'wrong' WHERE oid = 20001");
        fill_label_keys(*connection);
        CHECK(right() == 1);
    });
}

TEST_CASE("An upgrade fills the renames from the notes of vanished objects") {
    const auto engine = GENERATE(support::both_engines());
    const int number = GENERATE(1, 2, 3, 4);
    const FreshStore old(engine, Schema::none);
    const auto connection = old.connect()();
    make_schema(*connection, number);
    connection->execute(
        "INSERT INTO releases (version, released_on) VALUES ('WS2', '2001-02-01')");
    for (const std::string name : {"old", "new", "gone", "lost"})
        connection->execute("INSERT INTO objects (class, name, name_key) VALUES ('Gene', ?, ?)",
                            std::vector<Value>{name, name});
    const auto add = [&](std::int64_t oid, const char* kind, const char* signature,
                         const char* notes) {
        connection->execute("INSERT INTO history (oid, version, date, recorded_at, signature,"
                            " kind, label, notes) VALUES (?, 'WS2', '2001-02-01',"
                            " '2001-02-02T00:00:00Z', ?, ?, '', ?)",
                            std::vector<Value>{oid, signature, kind, notes});
    };
    const std::string content(32, 'a');
    add(1, "vanished", "", R"({"changes":[],"renamed_to":{"class":"Gene","name":"new"}})");
    add(2, "created", content.c_str(),
        R"({"changes":[],"renamed_from":{"class":"Gene","name":"old"}})");
    add(3, "vanished", "", R"({"changes":[]})");
    add(4, "vanished", "", R"({"changes":[],"renamed_to":{"class":"Gene","name":"un\"known"}})");
    for (int run = 0; run < 2; ++run) {
        if (run == 0) REQUIRE(initialise(*connection));
        if (run == 1) fill_renames(*connection);
        CHECK(connection->query("SELECT version, oid, digest, class, signature, new_name"
                                " FROM renames ORDER BY oid") ==
              Rows{Row({"WS2", std::int64_t{1}, "", "Gene", content, "new"}),
                   Row({"WS2", std::int64_t{4}, "", "Gene", "", "un\"known"})});
    }
}

TEST_CASE(
    "An upgrade fills the words of names and labels, and continues where it was interrupted") {
    interrupt_at_statements(
        Schema::none,
        [&](Connection& connection) {
            make_schema(connection, 5);
            const auto add = [&](const char* name, const char* label) {
                connection.execute("INSERT INTO objects (class, name, name_key, label, label_key)"
                                   " VALUES ('GO_term', ?, ?, ?, ?)",
                                   std::vector<Value>{name, base::fold_ascii(name), label,
                                                      base::fold_ascii(label)});
            };
            add("GO:0004439", "Phosphatidylinositol-4,5-bisphosphate BINDING");
            add("Sylvia Martinelli", "");
            add("alone", "alone");
        },
        to_newest,
        [&](Connection& connection) {
            CHECK(connection.query("SELECT word, class, name FROM words ORDER BY word, name") ==
                  Rows{Row({"0004439", "GO_term", "GO:0004439"}),
                       Row({"5", "GO_term", "GO:0004439"}),
                       Row({"binding", "GO_term", "GO:0004439"}),
                       Row({"bisphosphate", "GO_term", "GO:0004439"}),
                       Row({"martinelli", "GO_term", "Sylvia Martinelli"}),
                       Row({"phosphatidylinositol4", "GO_term", "GO:0004439"})});
            CHECK(connection.query("SELECT DISTINCT other_names FROM objects") ==
                  Rows{Row({""})});
        });
}

TEST_CASE(
    "An upgrade names and counts the rows of history, and continues where it was interrupted") {
    interrupt_at_statements(
        Schema::none,
        [&](Connection& connection) {
            make_schema(connection, 7);
            for (const std::string name : {"A", "a", "\xC3\x84"})
                connection.execute(
                    "INSERT INTO objects (class, name, name_key) VALUES (?, ?, ?)",
                    std::vector<Value>{name == "a" ? "Paper" : "Gene", name, name});
            for (const std::string version : {"WS1", "WS2"})
                for (std::int64_t oid = version == "WS1" ? 1 : 2; oid <= 3; ++oid)
                    connection.execute(
                        "INSERT INTO history (oid, version, date, recorded_at, kind, label,"
                        " notes)"
                        " VALUES (?, ?, '2001-01-01', '2001-01-02T00:00:00Z', ?, '', ?)",
                        std::vector<Value>{oid, version, oid == 3 ? "created" : "changed",
                                           version == "WS1" ? "{}" : "{\"\xC3\x84\":0}"});
        },
        to_newest,
        [&](Connection& connection) {
            const std::int64_t one = 1, two = 2;
            CHECK(connection.query(
                      "SELECT class, name, version, bytes FROM history ORDER BY sid") ==
                  Rows{Row({"Gene", "A", "WS1", two}), Row({"Paper", "a", "WS1", two}),
                       Row({"Gene", "\xC3\x84", "WS1", two}),
                       Row({"Paper", "a", "WS2", std::int64_t{8}}),
                       Row({"Gene", "\xC3\x84", "WS2", std::int64_t{8}})});
            CHECK(connection.query("SELECT class, version, kind, objects FROM row_counts"
                                   " ORDER BY class, version, kind") ==
                  Rows{Row({"", "WS1", "changed", two}), Row({"", "WS1", "created", one}),
                       Row({"", "WS2", "changed", one}), Row({"", "WS2", "created", one}),
                       Row({"Gene", "WS1", "changed", one}), Row({"Gene", "WS1", "created", one}),
                       Row({"Gene", "WS2", "created", one}),
                       Row({"Paper", "WS1", "changed", one}),
                       Row({"Paper", "WS2", "changed", one})});
        });
}

TEST_CASE("An upgrade makes what searches compare new, and continues where it was interrupted") {
    interrupt_at_statements(
        Schema::none,
        [&](Connection& connection) {
            make_schema(connection, 7);
            connection.execute(
                "INSERT INTO objects (class, name, name_key, label, label_key, other_names)"
                " VALUES ('Gene', 'G1', 'g1', '\xC3\x89lan x-1', '\xC3\x89lan x-1', 'JC8.10')");
            for (const std::string word : {"\xC3\xA9lan", "jc8.10", "x-1", "unc", "x-9"})
                connection.execute(
                    "INSERT INTO words (word, class, name) VALUES (?, 'Gene', 'G1')",
                    std::vector<Value>{word});
        },
        to_newest,
        [&](Connection& connection) {
            // The words of former labels stay.
            CHECK(connection.query("SELECT word, class, name FROM words ORDER BY word") ==
                  Rows{Row({"elan", "Gene", "G1"}), Row({"jc810", "Gene", "G1"}),
                       Row({"unc", "Gene", "G1"}), Row({"x1", "Gene", "G1"}),
                       Row({"x9", "Gene", "G1"})});
            CHECK(connection.query("SELECT label_key FROM objects") == Rows{Row({"elan x1"})});
        });
}

TEST_CASE(
    "An upgrade gives rows the bits of their tags, and continues where it was interrupted") {
    const std::string notes = R"({"changes":[{"op":"added","path":[{"tag":"A"}],"after":)"
                              R"([{"text":"op","children":[{"tag":"b"}]}]}]})";
    const auto bits = bit_of_tag("a") | bit_of_tag("B") | bit_of_op("added");
    interrupt_at_statements(
        Schema::none,
        [&](Connection& connection) {
            make_schema(connection, 7);
            connection.execute(
                "INSERT INTO objects (class, name, name_key) VALUES ('Gene', 'A', 'a')");
            const std::vector<std::string> rows{notes, "{}", "damaged", notes};
            for (std::size_t row = 0; row < rows.size(); ++row)
                connection.execute(
                    "INSERT INTO history (oid, version, date, recorded_at, kind, label, notes)"
                    " VALUES (1, ?, '2001-01-01', '2001-01-02T00:00:00Z', 'changed', '', ?)",
                    std::vector<Value>{std::to_string(row), rows[row]});
        },
        to_newest,
        [&](Connection& connection) {
            CHECK(connection.query("SELECT tag_bits FROM history ORDER BY sid") ==
                  Rows{Row({bits}), Row({std::int64_t{0}}), Row({std::int64_t{0}}), Row({bits})});
        });
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
