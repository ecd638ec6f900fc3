// SPDX-License-Identifier: MIT
#include <thread>

#include "render/feed.hpp"
#include "serve/world.hpp"

using namespace world;

namespace {

const std::string list = "object=Gene:WBGene00006763&object=Paper:WBPaper00031000";

std::string media_type(std::string_view name) {
    return std::string(render::format_named(name)->media_type) + "; charset=utf-8";
}

}  // namespace

TEST_CASE("A browser gets XML with elements of XHTML, under a tag of its own") {
    const std::string browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    World world;
    world.release_up_to(2);
    const auto reader = world.get(plain);
    const auto shown = world.get(plain, {{"accept", browser}});
    CHECK(shown.field("Content-Type") == "application/xml; charset=utf-8");
    CHECK(shown.field("ETag") != reader.field("ETag"));
    CHECK(says(shown, "http://www.w3.org/1999/xhtml"));
    CHECK_FALSE(says(reader, "http://www.w3.org/1999/xhtml"));
    CHECK(shown.field("Content-Security-Policy").starts_with("default-src 'none'"));
    CHECK(reader.field("Content-Security-Policy").empty());
    const auto rendered = world.rendered();
    CHECK(*world.get(plain, {{"accept", browser}}).body == *shown.body);
    CHECK(*world.get(plain).body == *reader.body);
    CHECK(world.rendered() == rendered);
    CHECK(world.get(plain + "&format=json", {{"accept", browser}}).field("Content-Type") ==
          media_type("json"));
}

TEST_CASE("A list or class in another spelling is redirected to the recorded one") {
    World world;
    CHECK(world.get("object=gene:wbgene00006763&object=Gene:nobody&n=3").field("Location") ==
          site_path + "/rss?object=Gene:WBGene00006763&object=Gene:nobody&n=3");
    CHECK(world.get("class=gene&n=9").field("Location") == site_path + "/rss?class=Gene&n=9");
    CHECK(world.hits() == 0);
}

TEST_CASE("Releases are pages, and feeds where a format is named or preferred to a page") {
    World world;
    world.release(1, {unc26});
    for (const std::string path : {"/release/WS1", "/releases"}) {
        INFO(path);
        const auto page = world.open(path);
        const auto named = world.open(path + "?format=rss");
        const auto liked = world.open(path, {{"accept", "application/atom+xml"}});
        CHECK(page.field("Content-Type") == "text/html; charset=utf-8");
        CHECK(named.field("Content-Type") == media_type("rss"));
        CHECK(liked.field("Content-Type") == media_type("atom"));
        CHECK(says(liked, path + "?format=atom"));
        for (const auto& response : {page, named, liked})
            CHECK(response.field("Vary") == "Accept-Encoding, Accept");
        const Fields known{{"if-none-match", std::string(named.field("ETag"))}};
        CHECK(world.open(path + "?format=rss", known).status == 304);
        CHECK(world.open(path + "?format=pdf").status == 400);
    }
    for (const auto* path : {"/release/W%20S?format=rss", "/release/", "/release/WS1/feed",
                             "/releases?page=9", "/releases/archive"})
        CHECK(world.open(path).status == 404);
}

// It would wait for itself if it did not get the older page.
TEST_CASE("While a feed of many objects is rendered again, other requests get the earlier one") {
    for (const auto& query : {std::string("class=Gene"), list}) {
        const Fields fields{{"accept-encoding", "gzip"}};
        World world;
        world.release_up_to(2);
        // The row of WS2 is recorded later, by another host.
        world.small.execute("CREATE TABLE late AS SELECT * FROM history WHERE version = 'WS2'");
        world.small.execute("DELETE FROM history WHERE version = 'WS2'");
        world.small.name_rows();
        world.make_stale();
        const auto before = world.get(query, fields);
        world.small.execute("INSERT INTO history SELECT * FROM late");
        world.small.name_rows();
        world.make_stale();
        static_cast<void>(world.open("/healthz"));  // it is known that the store answers
        Response meanwhile;
        world.small.store_switch.before_statement = [&] {
            world.small.store_switch.before_statement = nullptr;
            std::thread([&] { meanwhile = world.get(query, fields); }).join();
        };
        const auto after = world.get(query, fields);
        CHECK(meanwhile.body == before.body);
        CHECK(after.field("ETag") != before.field("ETag"));
    }
}
