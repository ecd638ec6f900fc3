// The contract of store/connection.hpp on every engine.
// SPDX-License-Identifier: MIT
#include <array>

#include "support/stores.hpp"

using namespace store;
using support::failure_of;
using support::FreshStore;
using support::Schema;

namespace {

std::vector<Value> values(std::initializer_list<Value> list) { return list; }

constexpr auto insert_thing = "INSERT INTO things (id, number, words, bytes) VALUES (?, ?, ?, ?)";

std::vector<Value> thing(const std::string& id, std::int64_t number = 1) {
    return {id, number, "", Blob{}};
}

std::int64_t count_things(Connection& connection) {
    return connection.query("SELECT COUNT(*) FROM things").at(0).integer(0);
}

// A table for any content: the types of both engines, keys compared as in the schema.
struct Things {
    explicit Things(Engine engine = GENERATE(support::both_engines()))
        : fresh(engine, Schema::none), connection(fresh.connect()()) {
        connection->execute(
            engine == Engine::sqlite
                ? "CREATE TABLE things (id TEXT NOT NULL PRIMARY KEY, number INTEGER,"
                  " words TEXT, bytes BLOB) STRICT"
                : "CREATE TABLE things (id VARCHAR(64) NOT NULL PRIMARY KEY,"
                  " number BIGINT, words LONGTEXT, bytes LONGBLOB) ENGINE=InnoDB"
                  " DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin");
    }
    const FreshStore fresh;
    const std::unique_ptr<Connection> connection;
};

}  // namespace

TEST_CASE_METHOD(Things, "Every value is read as it was written") {
    const std::string with_nul("a\0b", 3);
    std::string all_bytes;
    for (int byte = 0; byte < 256; ++byte) all_bytes += static_cast<char>(byte);
    const auto written = GENERATE_COPY(
        values({"plain", std::int64_t{42}, "words", Blob{"bytes"}}),
        values({"nothing", std::monostate{}, std::monostate{}, std::monostate{}}),
        values({"empty", std::int64_t{0}, "", Blob{""}}),
        values({"least", std::numeric_limits<std::int64_t>::min(), "\\ ' \" % ? ;", Blob{}}),
        values({"most", std::numeric_limits<std::int64_t>::max(), "\xF0\x9F\x90\x9B \xC3\xA9",
                Blob{all_bytes}}),
        values({"nul", std::int64_t{-1}, with_nul, Blob{with_nul}}));
    REQUIRE(connection->execute(insert_thing, written) == 1);
    const auto rows = connection->query("SELECT id, number, words, bytes FROM things");
    REQUIRE(rows.size() == 1);
    CHECK(rows[0] == Row(written));
}

TEST_CASE_METHOD(Things, "A text and a blob of 5 MB are read whole") {
    std::string bytes(5'000'000, '\0');
    unsigned state = 1;
    for (auto& byte : bytes)
        byte = static_cast<char>((state = state * 1664525U + 1013904223U) >> 24);
    std::string text;
    while (text.size() < 5'000'000) text += "unc-26 \xCE\xB2 ";
    const auto written = values({"big", std::int64_t{1}, text, Blob{bytes}});
    connection->execute(insert_thing, written);
    const auto rows = connection->query("SELECT id, number, words, bytes FROM things");
    REQUIRE(rows.size() == 1);
    CHECK((rows[0] == Row(written)));
}

TEST_CASE_METHOD(
    Things, "Keys differ, and are ordered, by their bytes: case and a blank at the end count") {
    for (const auto* id : {"b", "\xC3\xA4", "B", "a", "a ", "\xC3\x84"})
        CHECK(connection->execute(insert_thing, thing(id)) == 1);
    std::string order;
    for (const auto& row : connection->query("SELECT id FROM things ORDER BY id"))
        order += row.text(0) + "|";
    CHECK(order == "B|a|a |b|\xC3\x84|\xC3\xA4|");
    const auto found = connection->query("SELECT id FROM things WHERE id = ?", values({"a "}));
    REQUIRE(found.size() == 1);
    CHECK(found[0].text(0) == "a ");
}

TEST_CASE_METHOD(Things,
                 "Counting, summing and joining texts give the same types on both engines") {
    for (const auto* id : {"one", "two"})
        connection->execute(insert_thing, values({id, std::int64_t{21}, "w", Blob{}}));
    const auto rows = connection->query(
        "SELECT COUNT(*), SUM(number), MAX(id || '-' || words), 'back\\slash', MIN(bytes)"
        " FROM things");
    CHECK(rows.at(0) ==
          Row(values({std::int64_t{2}, std::int64_t{42}, "two-w", "back\\slash", Blob{}})));
}

TEST_CASE_METHOD(Things, "An update counts the rows it matched, changed or not") {
    connection->execute(insert_thing, thing("a", 7));
    const auto update = "UPDATE things SET number = ? WHERE number = ?";
    CHECK(connection->execute(update, values({std::int64_t{7}, std::int64_t{7}})) == 1);
    CHECK(connection->execute(update, values({std::int64_t{8}, std::int64_t{9}})) == 0);
    CHECK(connection->execute("DELETE FROM things") == 1);
}

TEST_CASE_METHOD(Things, "One statement is run repeatedly with other values") {
    for (std::int64_t n = 0; n < 300; ++n)
        connection->execute(insert_thing, thing(std::to_string(n), n));
    // A longer text, a shorter one and none in turn: nothing of the previous run may remain.
    for (std::int64_t n = 0; n < 300; ++n) {
        const auto rows = connection->query("SELECT number FROM things WHERE id = ? LIMIT ?",
                                            values({std::to_string(n), std::int64_t{1}}));
        REQUIRE(rows.at(0).integer(0) == n);
    }
    // More statements than a connection keeps.
    for (std::int64_t n = 0; n < 600; ++n) {
        const auto rows =
            connection->query("SELECT " + std::to_string(n) + " + ?", values({std::int64_t{1}}));
        REQUIRE(rows.at(0).integer(0) == n + 1);
    }
}

TEST_CASE_METHOD(Things, "Others see a transaction when it is committed and not before") {
    const auto one = fresh.connect()(), other = fresh.connect()();
    one->begin(Access::write);
    one->execute(insert_thing, thing("a"));
    CHECK(count_things(*other) == 0);
    one->commit();
    CHECK(count_things(*other) == 1);
}

TEST_CASE_METHOD(Things, "A transaction that is not committed leaves nothing") {
    {
        Transaction transaction(*connection, Access::write);
        transaction.execute(insert_thing, thing("a"));
    }
    CHECK(count_things(*connection) == 0);
    CHECK_FALSE(connection->is_broken());
}

TEST_CASE_METHOD(Things, "A reading transaction sees one state from its first query to its end") {
    const auto reader = fresh.connect()();
    reader->begin(Access::read);
    CHECK(count_things(*reader) == 0);
    connection->execute(insert_thing, thing("a"));
    CHECK(count_things(*reader) == 0);
    reader->commit();
    CHECK(count_things(*reader) == 1);
}

TEST_CASE("A writing transaction sees what others have committed meanwhile") {
    // Only where writers can overlap: SQLite's are alone after BEGIN IMMEDIATE.
    const Things things(Engine::mysql);
    const auto one = things.fresh.connect()();
    one->begin(Access::write);
    CHECK(count_things(*one) == 0);
    things.connection->execute(insert_thing, thing("a"));
    CHECK(count_things(*one) == 1);
    one->rollback();
}

TEST_CASE_METHOD(Things, "A transaction for reading refuses to write") {
    connection->begin(Access::read);
    const auto failure = failure_of([&] { connection->execute(insert_thing, thing("a")); });
    CHECK_FALSE(failure.kind().transient);
    connection->rollback();
    CHECK(connection->execute(insert_thing, thing("a")) == 1);
}

TEST_CASE_METHOD(Things, "A key in use is a duplicate, and the transaction continues") {
    Transaction transaction(*connection, Access::write);
    const auto row = thing("a");
    transaction.execute(insert_thing, row);
    const auto failure = failure_of([&] { transaction.execute(insert_thing, row); });
    CHECK(failure.kind().duplicate);
    CHECK_FALSE(failure.kind().transient);
    CHECK_FALSE(failure.kind().needs_operator);
    transaction.commit();
    CHECK(count_things(*connection) == 1);
}

TEST_CASE("A row that refers to no object is refused and is not a duplicate") {
    const FreshStore fresh(GENERATE(support::both_engines()));
    const auto connection = fresh.connect()();
    const auto failure = failure_of([&] {
        connection->execute("INSERT INTO trees (oid, version, tree) VALUES (?, ?, ?)",
                            values({std::int64_t{99}, "WS186", Blob{"x"}}));
    });
    CHECK(failure.kind().orphan);
    CHECK_FALSE(failure.kind().duplicate);
    CHECK_FALSE(failure.kind().transient);
}

TEST_CASE("A name that is too long is refused and never cut") {
    const FreshStore fresh(GENERATE(support::both_engines()));
    const auto connection = fresh.connect()();
    const auto insert = "INSERT INTO objects (class, name, name_key) VALUES (?, ?, ?)";
    std::string longest;
    for (int n = 0; n < 512; ++n) longest += "\xC3\xA9";
    CHECK(connection->execute(insert, values({std::string(64, 'c'), longest, longest})) == 1);
    CHECK_THROWS_AS(connection->execute(insert, values({"c", longest + "x", "x"})), Failure);
    CHECK_THROWS_AS(connection->execute(insert, values({std::string(65, 'c'), "x", "x"})),
                    Failure);
}

TEST_CASE_METHOD(Things, "Wrong SQL or values are reported and break nothing") {
    CHECK_FALSE(failure_of([&] { (void)connection->query("SELEC 1"); }).kind().transient);
    CHECK_FALSE(
        failure_of([&] { (void)connection->query("SELECT 1 FROM nowhere"); }).kind().transient);
    CHECK_THROWS_AS(connection->query("SELECT ?"), std::logic_error);
    CHECK_THROWS_AS(connection->query("SELECT 1", values({"x"})), std::logic_error);
    CHECK_THROWS(connection->query("SELECT 1; DELETE FROM things"));
    CHECK_FALSE(connection->is_broken());
    CHECK(count_things(*connection) == 0);
}

TEST_CASE("A row reports a wrong column or type at once") {
    const Row row(values({std::monostate{}, std::int64_t{1}, "text", Blob{"blob"}}));
    CHECK(row.is_null(0));
    CHECK(row.text(0).empty());
    CHECK(row.blob(0).empty());
    CHECK(row.size() == 4);
    CHECK_THROWS_AS(row.integer(0), std::logic_error);
    CHECK_THROWS_AS(row.text(1), std::logic_error);
    CHECK_THROWS_AS(row.integer(2), std::logic_error);
    CHECK_THROWS_AS(row.text(3), std::logic_error);
    CHECK_THROWS_AS(row.is_null(4), std::out_of_range);
}
