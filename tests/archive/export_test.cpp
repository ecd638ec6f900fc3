// The store as JSON Lines: an import restores exactly what was exported, on either engine.
// SPDX-License-Identifier: MIT
#include "archive/archive.hpp"

#include <set>

#include "archives.hpp"
#include "support/forwarding_connection.hpp"

using archives::exported;
using archives::imported;
using store::Value;
using support::FreshStore;

namespace {

std::vector<std::string> texts_of(const store::Rows& rows) {
    std::vector<std::string> texts;
    for (const auto& row : rows) texts.push_back(row.text(0));
    return texts;
}

std::size_t bytes_of(const store::Row& row) {
    std::size_t bytes = 0;
    for (std::size_t at = 0; at < row.size(); ++at) {
        try {
            bytes += row.blob(at).size();
        } catch (const std::logic_error&) {
            bytes += sizeof(std::int64_t);  // a number or a short text
        }
    }
    return bytes;
}

// Records how many bytes the largest result had.
class Measuring final : public support::ForwardingConnection {
   public:
    using ForwardingConnection::ForwardingConnection;
    [[nodiscard]] store::Rows query(std::string_view sql,
                                    std::span<const Value> values = {}) override {
        auto rows = ForwardingConnection::query(sql, values);
        std::size_t bytes = 0;
        for (const auto& row : rows) bytes += bytes_of(row);
        largest = std::max(largest, bytes);
        return rows;
    }

    std::size_t largest = 0;
};

}  // namespace

TEST_CASE("The archive has every table but those of the hub, of fetches and of jobs, with its "
          "primary key and long columns") {
    const FreshStore fresh(store::Engine::mysql);
    const auto connection = fresh.connect()();
    std::set<std::string> names{"topics",        "hub_requests",  "subscriptions",
                                "notifications", "hub_notes",     "fetch_events",
                                "base_urls",     "harvest_notes", "parts"};
    for (const auto& table : archive::tables()) {
        const std::vector<Value> name{std::string(table.name)};
        names.insert(std::string(table.name));
        const auto keys = connection->query(
            "SELECT column_name FROM information_schema.statistics WHERE table_schema ="
            " DATABASE() AND table_name = ? AND index_name = 'PRIMARY' ORDER BY seq_in_index",
            name);
        CHECK(texts_of(keys) == std::vector<std::string>(table.keys.begin(), table.keys.end()));
        const auto long_ones = connection->query(
            "SELECT column_name FROM information_schema.columns WHERE table_schema = DATABASE()"
            " AND table_name = ? AND data_type LIKE 'long%' ORDER BY ordinal_position",
            name);
        CHECK(texts_of(long_ones) ==
              std::vector<std::string>(table.long_columns.begin(), table.long_columns.end()));
    }
    const auto all = texts_of(connection->query(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()"));
    CHECK(names == std::set<std::string>(all.begin(), all.end()));
}

TEST_CASE("Both engines describe their columns alike") {
    const FreshStore one(store::Engine::sqlite), other(store::Engine::mysql);
    const auto sqlite = one.connect()(), mysql = other.connect()();
    for (const auto& table : archive::tables()) {
        INFO(table.name);
        const auto columns = columns_of(*sqlite, std::string(table.name));
        CHECK_FALSE(columns.empty());
        CHECK(columns == columns_of(*mysql, std::string(table.name)));
    }
    const auto columns = columns_of(*sqlite, "trees");
    CHECK(std::ranges::count(columns, store::Column{"tree", store::ColumnType::blob, true}) == 1);
}

TEST_CASE("An archive has a line for each row, between a header and a last line") {
    support::each_store([](const store::Connect& connect) {
        const auto connection = connect();
        archives::insert(*connection, "objects", archives::object(3, "a\"\n"));
        archives::insert(*connection, "releases", {Value("WS187"), "2008-02-15"});
        archives::insert(
            *connection, "trees",
            {Value(std::int64_t{3}), "WS187", "WS185", store::Blob{std::string("\0\1\2\3", 4)}});
        connection->execute("DELETE FROM meta WHERE name <> 'schema'");
        CHECK(exported(connect) ==
              "{\"varve_export\":1,\"schema\":3}\n"
              "{\"table\":\"releases\",\"row\":{\"version\":\"WS187\","
              "\"released_on\":\"2008-02-15\"}}\n"
              "{\"table\":\"objects\",\"row\":{\"oid\":3,\"class\":\"Gene\","
              "\"name\":\"a\\\"\\n\",\"name_key\":\"a\\\"\\n\",\"label\":\"label\","
              "\"signature\":\"0123456789abcdef0123456789abcdef\","
              "\"last_modification_date\":\"2008-02-15\",\"build\":2,"
              "\"bytes\":-9223372036854775808,\"held\":\"WS186\",\"hits\":7,"
              "\"last_requested\":\"2008-02-16T09:15:20Z\","
              "\"label_key\":\"label's key\",\"other_names\":\"one other name\\nanother\"}}\n"
              "{\"table\":\"trees\",\"row\":{\"oid\":3,\"version\":\"WS187\",\"since\":\"WS185\","
              "\"tree\":{\"base64\":\"AAECAw==\"}}}\n"
              "{\"table\":\"meta\",\"row\":{\"name\":\"schema\",\"value\":3,\"text\":\"\"}}\n"
              "{\"end\":true,\"rows\":{\"releases\":1,\"objects\":1,\"history\":0,\"trees\":1,"
              "\"accepted\":0,\"mass_changes\":0,"
              "\"words\":0,\"tokens\":0,\"watch_lists\":0,"
              "\"feeds\":0,\"entries\":0,\"entry_changes\":0,\"mentions\":0,\"archives\":0,"
              "\"known_urls\":0,\"builds\":0,\"meta\":1}}\n");
    });
}

TEST_CASE("A store moves to the other engine and back without losing a byte") {
    const FreshStore first(GENERATE(support::engines()));
    const FreshStore second(archives::other(first.engine())), third(first.engine());
    archives::fill(*first.connect()());
    const auto bytes = exported(first.connect());
    const auto counts = imported(second.connect(), bytes);
    REQUIRE(counts);
    CHECK(counts->at(1) == archive::TableCount{"objects", 4});
    CHECK(counts->at(6) == archive::TableCount{"words", 1});
    CHECK(counts->at(8) == archive::TableCount{"watch_lists", 1});
    CHECK(counts->at(15) == archive::TableCount{"builds", 1});
    CHECK(counts->back() == archive::TableCount{"meta", 5});
    CHECK(exported(second.connect()) == bytes);
    REQUIRE(imported(third.connect(), exported(second.connect())));
    CHECK(exported(third.connect()) == bytes);
    CHECK(first.connect()()->query("SELECT * FROM history ORDER BY sid") ==
          third.connect()()->query("SELECT * FROM history ORDER BY sid"));
}

TEST_CASE("An imported store numbers new rows after the old ones") {
    const FreshStore first(GENERATE(support::engines()));
    const FreshStore second(archives::other(first.engine()));
    archives::insert(*first.connect()(), "objects", archives::object(41, "a"));
    REQUIRE(imported(second.connect(), exported(first.connect())));
    const auto connection = second.connect()();
    connection->execute("INSERT INTO objects (class, name, name_key) VALUES ('G', 'b', 'b')");
    CHECK(connection->query("SELECT oid FROM objects WHERE name = 'b'").at(0).integer(0) == 42);
}

TEST_CASE("Rows of many pages, some with megabytes, are exported in order, once each and few at "
          "a time") {
    const FreshStore first(GENERATE(support::engines()));
    const FreshStore second(archives::other(first.engine()));
    std::vector<Value> trees;
    for (std::int64_t oid = 1; oid <= 2300; ++oid)
        for (const std::string version : {"WS9", "WS10"}) {
            const std::size_t size = oid > 1000 && oid < 1011 ? 1'500'000 : 5;
            trees.insert(trees.end(),
                         {oid, version, "", store::Blob{version + std::string(size, 'x')}});
        }
    Measuring connection(first.connect()());
    archives::insert(connection, "releases", {Value("WS9"), "2007-01-01", "WS10", "2007-02-01"});
    archives::insert(connection, "objects", archives::objects(2300));
    archives::insert(connection, "trees", trees);
    std::string bytes;
    REQUIRE(archive::export_store(connection, [&](std::string_view some) {
        bytes += some;
        return base::Result<void>();
    }));
    CHECK(connection.largest > 1'500'000);
    CHECK(connection.largest < 10'000'000);
    CHECK(bytes.find("\"trees\":4600,") != std::string::npos);
    CHECK(bytes.find("{\"oid\":7,\"version\":\"WS10\"") <
          bytes.find("{\"oid\":7,\"version\":\"WS9\""));
    REQUIRE(imported(second.connect(), bytes));
    CHECK((exported(second.connect()) == bytes));
}

TEST_CASE("An export has one state of the store, whatever others write meanwhile") {
    support::each_store([](const store::Connect& connect) {
        const auto connection = connect(), writer = connect();
        archives::insert(*writer, "objects", archives::objects(5000));
        const auto before = exported(connect);
        std::string bytes;
        const auto done = archive::export_store(*connection, [&](std::string_view some) {
            if (bytes.empty()) {
                writer->execute("DELETE FROM objects WHERE oid = 5000");
                archives::insert(*writer, "releases", {Value("WS1"), ""});
            }
            bytes += some;
            return base::Result<void>();
        });
        REQUIRE(done);
        CHECK((bytes == before));
        CHECK(writer->query("SELECT count(*) FROM objects").at(0).integer(0) == 4999);
    });
}

TEST_CASE("An export that cannot be written or read ends with the reason") {
    const FreshStore fresh(store::Engine::sqlite);
    const auto connection = fresh.connect()();
    const auto unwritten = archive::export_store(*connection, [](std::string_view) {
        return base::Result<void>(base::fail(base::ErrorKind::unavailable, "no space left"));
    });
    REQUIRE_FALSE(unwritten);
    CHECK(unwritten.error().text == "no space left");
    const auto error = [&] {
        const auto done = archive::export_store(
            *connection, [](std::string_view) { return base::Result<void>(); });
        REQUIRE_FALSE(done);
        return done.error().text;
    };
    archives::insert(*connection, "releases", {Value("WS1"), "\xFF"});
    CHECK(error() == "releases, version WS1: column released_on is not UTF-8");
    connection->execute("UPDATE meta SET text = 'WS1' WHERE name = 'forgetting'");
    CHECK_THAT(error(), Catch::EndsWith("varve forget release WS1 --with-later"));
    connection->execute("DROP TABLE accepted");
    CHECK_THAT(error(), Catch::StartsWith("the store lacks table accepted: "));
}

TEST_CASE("A store without our schema is neither exported nor filled") {
    const FreshStore fresh(GENERATE(support::engines()), support::Schema::none);
    const auto connection = fresh.connect()();
    const auto out =
        archive::export_store(*connection, [](std::string_view) { return base::Result<void>(); });
    REQUIRE_FALSE(out);
    CHECK_THAT(out.error().text, Catch::Contains("varve init"));
    const auto in = imported(fresh.connect(), "");
    REQUIRE_FALSE(in);
    CHECK_THAT(in.error().text, Catch::Contains("varve init"));
}

TEST_CASE("Lines are split, numbered and limited") {
    const std::string bytes = "one\n\n" + std::string(3'000'000, 'x') + "\nlast";
    archive::LineReader lines(archives::reading(bytes, 100'000), 3'000'000, 64);
    CHECK(*lines.next().value() == "one");
    CHECK(lines.next().value()->empty());
    CHECK(lines.next().value()->size() == 3'000'000);
    CHECK(*lines.next().value() == "last");
    CHECK(lines.number() == 4);
    CHECK_FALSE(lines.next().value());
    CHECK_FALSE(lines.next().value());
    CHECK(lines.number() == 4);

    archive::LineReader bounded(archives::reading(bytes, 100'000), 2'999'999, 64);
    CHECK(bounded.next());
    CHECK(bounded.next());
    const auto third = bounded.next();
    REQUIRE_FALSE(third);
    CHECK(third.error().kind == base::ErrorKind::too_large);
    CHECK(third.error().text == "line 3 has more than 2999999 bytes");
}
