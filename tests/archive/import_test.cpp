// What an import refuses, and what it leaves behind when it is broken off.
// SPDX-License-Identifier: MIT
#include <array>

#include "archives.hpp"
#include "store/import_mark.hpp"
#include "support/faulty_connection.hpp"

using archives::exported;
using archives::imported;
using store::Leftovers;
using store::Value;
using support::Fault;
using support::FreshStore;

namespace {

// An archive with rows in every table.
const std::string& sample() {
    static const std::string bytes = [] {
        const FreshStore fresh(store::Engine::sqlite);
        archives::fill(*fresh.connect()());
        return exported(fresh.connect());
    }();
    return bytes;
}

std::string replaced(std::string bytes, const std::string& from, const std::string& to) {
    const auto at = bytes.find(from);
    if (at == std::string::npos) throw std::logic_error("not in the archive: " + from);
    return bytes.replace(at, from.size(), to);
}

std::string line_of(const std::string& bytes, std::size_t number) {
    std::size_t at = 0;
    while (--number > 0) at = bytes.find('\n', at) + 1;
    return bytes.substr(at, bytes.find('\n', at) + 1 - at);
}

struct Wrong {
    const char* from;
    const char* to;
    const char* told;  // what the error says
};

// The objects stand on lines 2 to 5, history on 6 and 7, trees on 8 to 11.
const std::array wrongs{
    Wrong{"{\"varve_export\":1", "{\"varve_export\":2", "line 1: an export of format 2"},
    Wrong{"{\"varve_export\":1", "{\"varve\":1", "line 1: "},
    Wrong{"\"schema\":4}", "\"schema\":3}", "schema 3"},
    Wrong{"{\"table\":\"objects\"", "{\"table\":\"things\"", "line 2: unknown table \"things\""},
    Wrong{"{\"oid\":-5,", "{\"id\":-5,", "line 2: objects: unknown column \"id\""},
    Wrong{"{\"oid\":-5,", "{", "line 2: objects: column oid is missing"},
    Wrong{"{\"oid\":-5,", "{\"oid\":-5,\"oid\":-5,", "line 2: objects: column oid stands twice"},
    Wrong{"{\"oid\":-5,", "{\"oid\":\"-5\",", "line 2: objects: column oid is no integer"},
    Wrong{"{\"oid\":-5,", "{\"oid\":-5.0,", "line 2: objects: column oid is no integer"},
    Wrong{"{\"oid\":-5,", "{\"oid\":9223372036854775808,",
          "line 2: objects: column oid is no integer"},
    Wrong{"{\"oid\":-5,", "{\"oid\":null,", "line 2: objects: column oid is null"},
    Wrong{"\"name\":\"negative\"", "\"name\":7", "line 2: objects: column name is no string"},
    Wrong{"\"name\":\"negative\"", "\"name\":\"\xFF\"", "line 2: no JSON object: "},
    Wrong{"\"name\":\"negative\"", "\"name\":\"\\ud800\"", "line 2: no JSON object: "},
    Wrong{"\"name\":\"negative\"", "\"name\":[[[[[[[[[[1]]]]]]]]]]", "line 2: no JSON object: "},
    Wrong{"\"name\":\"negative\"", "\"name\":\"unc-26\"",
          "line 4: objects: the store refuses it: "},
    Wrong{"\"class\":\"Gene\",\"name\":\"unc-26\"",
          "\"class\":\"0123456789012345678901234567890123456789012345678901234567890123-\","
          "\"name\":\"unc-26\"",
          "line 4: objects: the store refuses it: "},
    Wrong{"\"oid\":1,\"version\":\"WS187\",\"revision\"",
          "\"oid\":2,\"version\":\"WS187\",\"revision\"",
          "line 7: history: the store refuses it: "},
    Wrong{"\"tree\":{\"base64\":\"YWI=\"}", "\"tree\":{\"base64\":\"YWI\"}",
          "line 8: trees: column tree has bad base64"},
    Wrong{"\"tree\":{\"base64\":\"YWI=\"}", "\"tree\":{\"base64\":\"YWJ=\"}",
          "line 8: trees: column tree has bad base64"},
    Wrong{"\"tree\":{\"base64\":\"YWI=\"}", "\"tree\":{\"base64\":\"Y=I=\"}",
          "line 8: trees: column tree has bad base64"},
    Wrong{"\"tree\":{\"base64\":\"YWI=\"}", "\"tree\":{\"base64\":\" YW=\"}",
          "line 8: trees: column tree has bad base64"},
    Wrong{"\"tree\":{\"base64\":\"YWI=\"}", "\"tree\":{\"base64\":\"====\"}",
          "line 8: trees: column tree has bad base64"},
    Wrong{"\"tree\":{\"base64\":\"YWI=\"}", "\"tree\":\"YWI=\"",
          "line 8: trees: column tree is no {"},
    Wrong{"\"tree\":{\"base64\":\"YWI=\"}", "\"tree\":{\"base64\":\"\",\"a\":1}",
          "line 8: trees: column tree is no {"},
    Wrong{"\"tree\":{\"base64\":\"YWI=\"}", "\"tree\":null",
          "line 8: trees: column tree is null"},
    Wrong{"{\"table\":\"trees\"", "{\"more\":1,\"table\":\"trees\"", "line 8: not two members"},
    Wrong{"{\"table\":\"trees\"", "\n{\"table\":\"trees\"", "line 8: no JSON object: "},
    Wrong{"{\"table\":\"trees\"", "[\n{\"table\":\"trees\"", "line 8: no JSON object: "},
    Wrong{"{\"table\":\"trees\",\"row\":{", "{\"table\":\"trees\",\"line\":{",
          "line 8: a row is a table's name and an object"},
    Wrong{"{\"table\":\"trees\"", "{\"varve_export\":1,\"schema\":4}\n{\"table\":\"trees\"",
          "line 8: a second first line"},
    Wrong{"{\"table\":\"meta\",\"row\":{\"name\":\"adopted\",\"value\":3}}\n", "",
          "19 rows of meta are told, and 18 stand before"},
    Wrong{"\"name\":\"adopted\"", "\"name\":\"importing\"", ": the mark of an import"},
    Wrong{"\"name\":\"adopted\"", "\"name\":\"generation\"", "meta: the store refuses it: "},
    Wrong{"\"name\":\"schema\",\"value\":4", "\"name\":\"schema\",\"value\":5",
          ": another schema than the first line's"},
    Wrong{"\"name\":\"schema\",\"value\":4", "\"name\":\"scheme\",\"value\":4",
          ": meta has no schema"},
    Wrong{"{\"end\":true", "{\"end\":false", ": a last line without"},
    Wrong{"\"rows\":{\"objects\":4", "\"rows\":{\"objects\":5", "5 rows of objects are told"},
    Wrong{"\"rows\":{\"objects\":4", "\"rows\":{\"object\":4", ": a last line without"},
};

}  // namespace

TEST_CASE("Each thing that is wrong with an archive is told by its line, and nothing stays") {
    for (const auto engine : {store::Engine::sqlite, store::Engine::mysql}) {
        const FreshStore fresh(engine);
        for (const auto& wrong : wrongs) {
            INFO(support::name_of(engine) << ": " << wrong.from << " -> " << wrong.to);
            const auto done = imported(fresh.connect(), replaced(sample(), wrong.from, wrong.to));
            REQUIRE_FALSE(done);
            CHECK_THAT(done.error().text, Catch::Contains(wrong.told));
            CHECK(archives::is_as_new(fresh.connect()));
        }
        CHECK(imported(fresh.connect(), sample()));
        CHECK(exported(fresh.connect()) == sample());
    }
}

TEST_CASE("An archive that is cut off anywhere is refused, and nothing of it stays") {
    const FreshStore fresh(store::Engine::sqlite);
    for (std::size_t size = 0; size + 1 < sample().size(); size += size < 300 ? 1 : 97) {
        INFO("bytes: " << size);
        REQUIRE_FALSE(imported(fresh.connect(), sample().substr(0, size)));
        REQUIRE(archives::is_as_new(fresh.connect()));
    }
    const auto whole_lines = replaced(sample(), sample().substr(sample().find("{\"end\"")), "");
    const auto done = imported(fresh.connect(), whole_lines);
    REQUIRE_FALSE(done);
    CHECK_THAT(done.error().text, Catch::Contains("the export is cut off"));
    CHECK(imported(fresh.connect(), sample().substr(0, sample().size() - 1)));
}

TEST_CASE("Tables in another order, and anything behind the last line, are refused") {
    const FreshStore fresh(store::Engine::sqlite);
    const auto object = line_of(sample(), 2);
    const auto swapped = replaced(replaced(sample(), object, ""), "{\"table\":\"trees\"",
                                  object + "{\"table\":\"trees\"");
    const auto done = imported(fresh.connect(), swapped);
    REQUIRE_FALSE(done);
    CHECK(done.error().text == "line 7: a row of objects behind history");
    const auto more = imported(fresh.connect(), sample() + "\n");
    REQUIRE_FALSE(more);
    CHECK_THAT(more.error().text, Catch::Contains("behind the last line"));
    CHECK(archives::is_as_new(fresh.connect()));
}

TEST_CASE("A bad line far into an archive is told by its own number, and thousands of rows go") {
    const FreshStore source(store::Engine::sqlite);
    const auto connection = source.connect()();
    std::vector<Value> objects;
    for (std::int64_t oid = 1; oid <= 9000; ++oid) {
        const auto object = archives::object(oid, "n" + std::to_string(oid));
        objects.insert(objects.end(), object.begin(), object.end());
    }
    archives::insert(*connection, "objects", objects);
    const auto bytes =
        replaced(exported(source.connect()), "\"name\":\"n8500\"", "\"name\":\"n8499\"");
    support::each_store([&](const store::Connect& connect) {
        const auto done = imported(connect, bytes);
        REQUIRE_FALSE(done);
        CHECK_THAT(done.error().text, Catch::StartsWith("line 8501: objects: the store refuses"));
        CHECK(archives::is_as_new(connect));
    });
}

TEST_CASE("A store that is not empty is left as it is") {
    support::each_store([](const store::Connect& connect) {
        for (const auto leftovers : {Leftovers::refuse, Leftovers::clear}) {
            REQUIRE((leftovers == Leftovers::clear || imported(connect, sample())));
            const auto done = imported(connect, sample(), leftovers);
            REQUIRE_FALSE(done);
            CHECK_THAT(done.error().text, Catch::Contains("not empty"));
            CHECK(exported(connect) == sample());
        }
    });
}

TEST_CASE("A store with an unfinished import is refused by all but an import that begins anew") {
    support::each_store([](const store::Connect& connect) {
        const auto connection = connect();
        const std::int64_t one = 1;
        archives::insert(*connection, "objects", archives::object(1, "left over"));
        archives::insert(*connection, "trees", {Value(one), "WS1", store::Blob{"x"}});
        archives::insert(*connection, "meta", {Value("importing"), one});
        const auto fits = store::check_schema(*connection);
        REQUIRE_FALSE(fits);
        CHECK_THAT(fits.error().text, Catch::Contains("varve import --again"));
        CHECK_THROWS(exported(connect));
        const auto refused = imported(connect, sample());
        REQUIRE_FALSE(refused);
        CHECK_THAT(refused.error().text, Catch::Contains("varve import --again"));
        CHECK(connection->query("SELECT * FROM objects").size() == 1);
        REQUIRE(imported(connect, sample(), Leftovers::clear));
        CHECK(exported(connect) == sample());
    });
}

TEST_CASE("An import ends when another one takes over the store, and leaves that one's rows") {
    support::each_store([](const store::Connect& connect) {
        store::Pool pool(connect, 2);
        // The other one comes when the first has its mark and wants more bytes.
        bool came = false;
        const auto slowly = archives::reading(sample(), 200);
        std::size_t reads = 0;
        const auto done = store::import_store(
            pool,
            [&](std::span<char> into) {
                if (++reads == 4)
                    came = imported(connect, sample(), Leftovers::clear).has_value();
                return slowly(into);
            },
            Leftovers::refuse);
        REQUIRE_FALSE(done);
        CHECK(done.error().kind == base::Kind::conflict);
        CHECK(came);
        CHECK(exported(connect) == sample());
    });
}

TEST_CASE("Rows that something else writes meanwhile are noticed, and left alone") {
    support::each_store([](const store::Connect& connect) {
        store::Pool pool(connect, 2);
        const auto slowly = archives::reading(sample(), 200);
        std::size_t reads = 0;
        const auto done = store::import_store(
            pool,
            [&](std::span<char> into) {
                if (++reads == 9)
                    archives::insert(*connect(), "objects", archives::object(77, "another"));
                return slowly(into);
            },
            Leftovers::refuse);
        REQUIRE_FALSE(done);
        CHECK(done.error().kind == base::Kind::conflict);
        CHECK_THAT(done.error().text, Catch::Contains("objects has other rows"));
        CHECK(connect()->query("SELECT * FROM objects WHERE oid = 77").size() == 1);
        CHECK_FALSE(store::check_schema(*connect()));
    });
}

TEST_CASE("An import whose reader fails clears up and hands on the reason") {
    support::each_store([](const store::Connect& connect) {
        store::Pool pool(connect, 2);
        const auto slowly = archives::reading(sample(), 700);
        std::size_t reads = 0;
        const auto done = store::import_store(
            pool,
            [&](std::span<char> into) -> base::Result<std::size_t> {
                if (++reads == 6) return base::fail(base::Kind::unavailable, "tape torn");
                return slowly(into);
            },
            Leftovers::refuse);
        REQUIRE_FALSE(done);
        CHECK(done.error().text == "tape torn");
        CHECK(archives::is_as_new(connect));
    });
}

TEST_CASE("An import goes on over faults that pass, at any statement") {
    for (const auto fault :
         {Fault::lost, Fault::deadlock, Fault::lost_commit, Fault::undone_commit}) {
        support::each_store([&](const store::Connect& connect) {
            for (int at = 1;; ++at) {
                INFO("fault " << static_cast<int>(fault) << " at statement " << at);
                const auto plan = std::make_shared<support::FaultPlan>(fault, at);
                store::Pool pool(support::faulty(connect, plan), 2, support::no_waiting());
                // The first look at the schema is not run again.
                try {
                    const auto done =
                        store::import_store(pool, archives::reading(sample()), Leftovers::refuse);
                    REQUIRE(done);
                    REQUIRE(exported(connect) == sample());
                    if (!plan->struck()) return;
                    const auto connection = connect();
                    store::Transaction transaction(*connection, store::Access::write);
                    transaction.execute("INSERT INTO meta (name, value) VALUES ('importing', 1)");
                    transaction.commit();
                    store::Pool sound(connect, 2);
                    store::ImportMark mark(sound);
                    REQUIRE(mark.set(Leftovers::clear));
                    REQUIRE(mark.remove());
                } catch (const store::Failure&) {
                    REQUIRE(archives::is_as_new(connect));
                }
            }
        });
    }
}

TEST_CASE("An import that is broken off leaves all or a mark, and can be begun anew") {
    for (const auto fault : {Fault::lost, Fault::lost_commit, Fault::undone_commit}) {
        support::each_store([&](const store::Connect& connect) {
            for (int at = 1;; ++at) {
                INFO("fault " << static_cast<int>(fault) << " at statement " << at);
                const auto plan = std::make_shared<support::FaultPlan>(fault, at);
                auto once = support::no_waiting();
                once.attempts = 1;
                store::Pool pool(support::faulty(connect, plan), 2, once);
                try {
                    const auto done =
                        store::import_store(pool, archives::reading(sample()), Leftovers::clear);
                    REQUIRE(done);
                    REQUIRE_FALSE(plan->struck());
                    return;
                } catch (const store::Failure&) {
                }
                const bool is_whole =
                    store::check_schema(*connect()).has_value() && !archives::is_as_new(connect);
                if (is_whole) REQUIRE(exported(connect) == sample());
                const auto again = imported(connect, sample(), Leftovers::clear);
                REQUIRE(again.has_value() != is_whole);
                REQUIRE(exported(connect) == sample());
                connect()->execute("INSERT INTO meta (name, value) VALUES ('importing', 1)");
            }
        });
    }
}
