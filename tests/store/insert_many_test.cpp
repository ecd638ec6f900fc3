// Many rows written by one call.
// SPDX-License-Identifier: MIT
#include <memory>

#include "store/dialect.hpp"
#include "support/catch.hpp"
#include "support/forwarding_connection.hpp"
#include "support/stores.hpp"

namespace {

using store::Access;
using store::Blob;
using store::Value;

const store::Insert into_meta{.table = "meta", .columns = {"name", "value"}, .keys = {}};

std::string numbered(std::int64_t number) { return "row-" + std::to_string(number); }

std::vector<Value> numbered_rows(std::int64_t count) {
    std::vector<Value> values;
    for (std::int64_t number = 0; number < count; ++number) {
        values.emplace_back(numbered(number));
        values.emplace_back(number);
    }
    return values;
}

store::Rows rows_that_stand(store::Connection& connection) {
    return connection.query("SELECT name, value FROM meta WHERE name LIKE 'row-%'"
                            " ORDER BY value");
}

void insert(store::Connection& connection, const store::Insert& insert,
            const std::vector<Value>& values) {
    store::Transaction transaction(connection, Access::write);
    insert_many(transaction, insert, values);
    transaction.commit();
}

// Counts the rows of each statement that passes through.
class Counting final : public support::ForwardingConnection {
   public:
    using ForwardingConnection::ForwardingConnection;
    std::int64_t execute(std::string_view sql, std::span<const Value> values = {}) override {
        sizes.push_back(values.size());
        return ForwardingConnection::execute(sql, values);
    }

    std::vector<std::size_t> sizes;  // values of each statement
};

}  // namespace

TEST_CASE("Any number of rows is written, each once and unchanged") {
    for (const std::int64_t count : {0, 1, 3, 4, 5, 63, 64, 65, 85, 200}) {
        support::both_stores([&](const store::Connect& connect) {
            INFO("rows: " << count);
            const auto connection = connect();
            insert(*connection, into_meta, numbered_rows(count));
            const auto rows = rows_that_stand(*connection);
            REQUIRE(rows.size() == static_cast<std::size_t>(count));
            for (std::int64_t at = 0; at < count; ++at)
                CHECK(rows[static_cast<std::size_t>(at)] == store::Row({numbered(at), at}));
        });
    }
}

TEST_CASE("Of many rows those whose key is taken can be left out") {
    support::both_stores([](const store::Connect& connect) {
        const auto connection = connect();
        const store::Insert insert_into{"meta", {"name", "value"}, {"name"}};
        for (const std::int64_t count : {3, 85}) {
            store::Transaction transaction(*connection, Access::write);
            insert_missing(transaction, insert_into, numbered_rows(count));
            transaction.execute("UPDATE meta SET value = 1000 WHERE name = 'row-1'");
            transaction.commit();
        }
        const auto rows = rows_that_stand(*connection);
        REQUIRE(rows.size() == 85);
        CHECK(rows.back() == store::Row({"row-1", std::int64_t{1000}}));
    });
}

TEST_CASE("MariaDB gets many rows in few statements, and SQLite one statement per row") {
    const support::FreshStore fresh(GENERATE(support::both_engines()));
    Counting connection(fresh.connect()());
    insert(connection, into_meta, numbered_rows(64 + 64 + 16 + 4 + 1 + 1));
    if (fresh.engine() == store::Engine::sqlite)
        CHECK(connection.sizes == std::vector<std::size_t>(150, 2));
    else
        CHECK(connection.sizes == std::vector<std::size_t>{128, 128, 32, 8, 2, 2});
}

TEST_CASE("Rows of many bytes are spread over more statements") {
    const support::FreshStore fresh(store::Engine::mysql);
    Counting connection(fresh.connect()());
    const store::Insert into_lists{.table = "watch_lists",
                                   .columns = {"id", "created_at", "last_used", "objects"},
                                   .keys = {}};
    std::vector<Value> values;
    for (int number = 0; number < 20; ++number)
        for (const auto& value : {numbered(number), std::string("now"), std::string("today"),
                                  std::string(number < 8    ? 200'000
                                              : number == 8 ? 3'000'000
                                                            : 1,
                                              'x')})
            values.emplace_back(value);
    insert(connection, into_lists, values);
    // 4 + 4 of 0.2 MB, the one of 3 MB alone, then 11 small ones.
    CHECK(connection.sizes == std::vector<std::size_t>{16, 16, 4, 16, 16, 4, 4, 4});
    CHECK(connection.query("SELECT count(*), sum(length(objects)) FROM watch_lists").at(0) ==
          store::Row({std::int64_t{20}, std::int64_t{8 * 200'000 + 3'000'000 + 11}}));
}

TEST_CASE("A key in use makes all of the rows fail, and none of them stays") {
    support::both_stores([](const store::Connect& connect) {
        const auto connection = connect();
        auto values = numbered_rows(100);
        values[180] = numbered(3);
        const auto failure = support::failure_of([&] { insert(*connection, into_meta, values); });
        CHECK(failure.kind().duplicate);
        CHECK(rows_that_stand(*connection).empty());
    });
}

TEST_CASE("Values that are not a whole number of rows are an error of the caller") {
    const support::FreshStore fresh(store::Engine::sqlite);
    CHECK_THROWS_AS(insert(*fresh.connect()(), into_meta, {Value{"a"}}), std::logic_error);
}
