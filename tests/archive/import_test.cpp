// What an import refuses, and what it leaves behind when it is interrupted.
// SPDX-License-Identifier: MIT

#include "archives.hpp"
#include "support/faulty_connection.hpp"

using archive::Leftovers;
using archives::exported;
using archives::imported;
using store::Value;
using support::Fault;
using support::FreshStore;

namespace {

// Returns an archive with rows in every table.
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

struct Mistake {
    const char* from;
    const char* to;
    const char* message;  // a part of it
};

// Lines 2 to 6 are releases, 7 to 10 objects, 11 and 12 history, 13 to 16 trees.
const std::vector<Mistake> mistakes{
    {R"({"varve_export":1)", R"({"varve_export":2)", "line 1: the export has format 2"},
    {R"("schema":3})", R"("schema":4})", "schema 4"},
    {R"({"table":"objects")", R"({"table":"things")", R"(line 7: unknown table "things")"},
    {R"({"oid":-5,)", R"({"id":-5,)", R"(line 7: objects: unknown column "id")"},
    {R"({"oid":-5,)", "{", "line 7: objects: column oid is missing"},
    {R"({"oid":-5,)", R"({"oid":-5,"oid":-5,)", "line 7: objects: column oid appears twice"},
    {R"({"oid":-5,)", R"({"oid":"-5",)", "line 7: objects: column oid is not a 64-bit integer"},
    {R"({"oid":-5,)", R"({"oid":9223372036854775808,)",
     "line 7: objects: column oid is not a 64-bit integer"},
    {R"({"oid":-5,)", R"({"oid":null,)", "line 7: objects: column oid is null"},
    {R"("name":"negative")", R"("name":7)", "line 7: objects: column name is not a string"},
    {R"("name":"negative")", "\"name\":\"\xFF\"", "line 7: not a JSON object: "},
    {R"("name":"negative")", "\"name\":\"\\ud800\"", "line 7: not a JSON object: "},
    {R"("name":"negative")", R"("name":[[[[[[[[[[1]]]]]]]]]])", "line 7: not a JSON object: "},
    {R"("name":"negative")", R"("name":"unc-26")", "line 9: objects: the store rejects it: "},
    {R"("class":"Gene","name":"unc-26")",
     R"("class":"0123456789012345678901234567890123456789012345678901234567890123-",)"
     R"("name":"unc-26")",
     "line 9: objects: the store rejects it: "},
    {R"("oid":1,"version":"WS187","revision")", R"("oid":2,"version":"WS187","revision")",
     "line 12: history: the store rejects it: "},
    {R"("tree":{"base64":"YWI="})", R"("tree":{"base64":"YWI"})",
     "line 13: trees: column tree has invalid base64"},
    {R"("tree":{"base64":"YWI="})", R"("tree":{"base64":"YWJ="})",
     "line 13: trees: column tree has invalid base64"},
    {R"("tree":{"base64":"YWI="})", R"("tree":{"base64":"===="})",
     "line 13: trees: column tree has invalid base64"},
    {R"("tree":{"base64":"YWI="})", R"("tree":"YWI=")", "line 13: trees: column tree is not {"},
    {R"("tree":{"base64":"YWI="})", R"("tree":{"base64":"","a":1})",
     "line 13: trees: column tree is not {"},
    {R"("since":"","tree":{"base64":"YWI="})", R"("since":null,"tree":null)",
     "line 13: trees: column since is null"},
    {R"({"table":"trees")", R"({"more":1,"table":"trees")",
     "line 13: the line has not exactly two members"},
    {R"({"table":"trees")", "\n{\"table\":\"trees\"", "line 13: not a JSON object: "},
    {R"({"table":"trees","row":{)", R"({"table":"trees","line":{)",
     "line 13: a row needs the name of a table and an object"},
    {R"({"table":"trees")", "{\"varve_export\":1,\"schema\":3}\n{\"table\":\"trees\"",
     "line 13: a second header line"},
    {"{\"table\":\"meta\",\"row\":{\"name\":\"a note\",\"value\":3,\"text\":\"\"}}\n", "",
     "it counts 5 rows of meta, but 4 came before it"},
    {R"("name":"a note")", R"("name":"importing")", ": this row marks an unfinished import"},
    {R"("name":"a note")", R"("name":"another")", "meta: the store rejects it: "},
    {R"("name":"schema","value":3)", R"("name":"schema","value":8)",
     ": the schema differs from that of the first line"},
    {R"("name":"schema","value":3)", R"("name":"scheme","value":7)",
     ": meta lacks the row of the schema"},
    {R"({"end":true)", R"({"end":false)", ": the last line lacks"},
    {R"("rows":{"releases":5,"objects":4)", R"("rows":{"releases":5,"objects":5)",
     "it counts 5 rows of objects"},
    {R"("objects":4)", R"("object":4)", ": the last line lacks"},
};

}  // namespace

TEST_CASE("Each error in an archive is reported with its line, and no row stays") {
    for (const auto engine : {store::Engine::sqlite, store::Engine::mysql}) {
        const FreshStore fresh(engine);
        for (const auto& mistake : mistakes) {
            INFO(support::name_of(engine) << ": " << mistake.from << " -> " << mistake.to);
            const auto done =
                imported(fresh.connect(), replaced(sample(), mistake.from, mistake.to));
            REQUIRE_FALSE(done);
            CHECK_THAT(done.error().text, Catch::Contains(mistake.message));
            CHECK(archives::is_as_new(fresh.connect()));
        }
        CHECK(imported(fresh.connect(), sample()));
        CHECK(exported(fresh.connect()) == sample());
    }
}

TEST_CASE("A text that nobody could read is reported with its line, and no row stays") {
    support::each_store([](const store::Connect& connect) {
        store::Pool pool(connect, 2);
        const auto done = archive::import_store(
            pool, archives::reading(sample()), Leftovers::refuse,
            [](std::string_view table, std::string_view column, std::string_view text) {
                const bool is_it = table == "trees" && column == "version" && text == "WS188";
                return std::string(is_it ? "is a bad one" : "");
            });
        REQUIRE_FALSE(done);
        CHECK_THAT(done.error().text,
                   Catch::Matches("line [0-9]+: trees: column version is a bad one"));
        CHECK(archives::is_as_new(connect));
    });
}

TEST_CASE("A truncated archive is refused, and no row of it stays") {
    const FreshStore fresh(store::Engine::sqlite);
    for (std::size_t size = 0; size + 1 < sample().size(); size += size < 300 ? 1 : 97) {
        INFO("bytes: " << size);
        REQUIRE_FALSE(imported(fresh.connect(), sample().substr(0, size)));
        REQUIRE(archives::is_as_new(fresh.connect()));
    }
    const auto whole_lines = replaced(sample(), sample().substr(sample().find("{\"end\"")), "");
    const auto done = imported(fresh.connect(), whole_lines);
    REQUIRE_FALSE(done);
    CHECK_THAT(done.error().text, Catch::Contains("the export is truncated"));
    CHECK(imported(fresh.connect(), sample().substr(0, sample().size() - 1)));
}

TEST_CASE("Tables in another order, and anything after the last line, are refused") {
    const FreshStore fresh(store::Engine::sqlite);
    const auto object = line_of(sample(), 7);
    const auto swapped = replaced(replaced(sample(), object, ""), "{\"table\":\"trees\"",
                                  object + "{\"table\":\"trees\"");
    const auto done = imported(fresh.connect(), swapped);
    REQUIRE_FALSE(done);
    CHECK(done.error().text == "line 12: a row of objects after rows of history");
    const auto more = imported(fresh.connect(), sample() + "\n");
    REQUIRE_FALSE(more);
    CHECK_THAT(more.error().text, Catch::Contains("after the last line"));
    CHECK(archives::is_as_new(fresh.connect()));
}

TEST_CASE("A bad line far into an archive is reported with its number, and thousands of rows are "
          "deleted") {
    const FreshStore source(store::Engine::sqlite);
    archives::insert(*source.connect()(), "objects", archives::objects(9000));
    const auto bytes =
        replaced(exported(source.connect()), "\"name\":\"n8500\"", "\"name\":\"n8499\"");
    support::each_store([&](const store::Connect& connect) {
        const auto done = imported(connect, bytes);
        REQUIRE_FALSE(done);
        CHECK_THAT(done.error().text, Catch::StartsWith("line 8501: objects: the store rejects"));
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

TEST_CASE("Only an import that starts over accepts a store with an unfinished import") {
    support::each_store([](const store::Connect& connect) {
        const auto connection = connect();
        const std::int64_t one = 1;
        archives::insert(*connection, "objects", archives::object(1, "left over"));
        archives::insert(*connection, "trees", {Value(one), "WS1", "", store::Blob{"x"}});
        archives::insert(*connection, "meta", {Value("importing"), one, ""});
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

TEST_CASE("What happens before the n-th read of an archive ends its import, and is left alone") {
    const FreshStore fresh(GENERATE(support::engines()));
    const auto connect = fresh.connect();
    // Reads 200 bytes at a time, and acts before the n-th time.
    const auto import_with = [&](std::size_t nth,
                                 const std::function<base::Result<void>()>& act) {
        store::Pool pool(connect, 2);
        auto slowly = archives::reading(sample(), 200);
        std::size_t reads = 0;
        const auto done = archive::import_store(
            pool,
            [&](std::span<char> into) -> base::Result<std::size_t> {
                if (++reads == nth)
                    if (const auto acted = act(); !acted) return tl::unexpected(acted.error());
                return slowly(into);
            },
            Leftovers::refuse);
        REQUIRE_FALSE(done);
        return done.error();
    };
    SECTION("the reader fails") {
        const auto error = import_with(20, [] {
            return base::Result<void>(base::fail(base::ErrorKind::unavailable, "tape torn"));
        });
        CHECK(error.text == "tape torn");
        CHECK(archives::is_as_new(connect));
    }
    SECTION("another import takes over the store, when this one has written its mark") {
        const auto error = import_with(4, [&] {
            REQUIRE(imported(connect, sample(), Leftovers::clear));
            return base::Result<void>();
        });
        CHECK(error.kind == base::ErrorKind::conflict);
        CHECK(exported(connect) == sample());
    }
    SECTION("another program writes a row") {
        const auto error = import_with(9, [&] {
            archives::insert(*connect(), "objects", archives::object(77, "another"));
            return base::Result<void>();
        });
        CHECK(error.kind == base::ErrorKind::conflict);
        CHECK_THAT(error.text, Catch::Contains("objects does not contain the imported rows"));
        CHECK(connect()->query("SELECT * FROM objects WHERE oid = 77").size() == 1);
        CHECK_FALSE(store::check_schema(*connect()));
    }
}

TEST_CASE("An import survives a transient fault at any statement") {
    const auto engine = GENERATE(support::engines());
    const auto fault = GENERATE(from_range(support::all_faults));
    support::sweep(fault, [&](const std::shared_ptr<support::FaultPlan>& plan) {
        const FreshStore fresh(engine);
        store::Pool pool(support::faulty(fresh.connect(), plan), 2, support::no_waiting());
        // The first check of the schema is not retried.
        try {
            const auto done =
                archive::import_store(pool, archives::reading(sample()), Leftovers::refuse);
            REQUIRE(done);
            REQUIRE(exported(fresh.connect()) == sample());
        } catch (const store::Failure&) {
            REQUIRE(plan->struck());
            REQUIRE(archives::is_as_new(fresh.connect()));
        }
    });
}

TEST_CASE("An interrupted import leaves all rows or a mark, and can be started over") {
    for (const auto fault : {Fault::lost, Fault::lost_commit, Fault::undone_commit}) {
        support::each_store([&](const store::Connect& connect) {
            support::sweep(fault, [&](const std::shared_ptr<support::FaultPlan>& plan) {
                auto once = support::no_waiting();
                once.attempts = 1;
                store::Pool pool(support::faulty(connect, plan), 2, once);
                try {
                    const auto done = archive::import_store(pool, archives::reading(sample()),
                                                            Leftovers::clear);
                    REQUIRE(done);
                    REQUIRE_FALSE(plan->struck());
                } catch (const store::Failure&) {
                }
                const bool is_whole =
                    store::check_schema(*connect()).has_value() && !archives::is_as_new(connect);
                if (is_whole) REQUIRE(exported(connect) == sample());
                const auto again = imported(connect, sample(), Leftovers::clear);
                REQUIRE(again.has_value() != is_whole);
                REQUIRE(exported(connect) == sample());
                connect()->execute("INSERT INTO meta (name, value) VALUES ('importing', 1)");
            });
        });
    }
}
