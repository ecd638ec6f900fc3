// SPDX-License-Identifier: MIT
#include <thread>

#include "render/feed.hpp"
#include "serve/world.hpp"
#include "support/gunzip.hpp"

using namespace world;

namespace {

const std::string list = "object=Gene:WBGene00006763&object=Paper:WBPaper00031000";

std::string media_type(std::string_view name) {
    return std::string(render::format_named(name)->media_type) + "; charset=utf-8";
}

}  // namespace

TEST_CASE("A named format has priority over Accept, which decides only without one") {
    World world;
    for (const auto& format : render::formats()) {
        INFO(format.name);
        const auto named = world.get(plain + "&format=" + std::string(format.name),
                                     {{"accept", "application/rss+xml;q=0.1"}});
        CHECK(named.field("Content-Type") == media_type(format.name));
        CHECK(named.field("Vary") ==
              (format.name == "json" ? "Accept-Encoding" : "Accept-Encoding, Accept"));
        const auto chosen = world.get(plain, {{"accept", std::string(format.media_type)}});
        CHECK(chosen.field("Content-Type") == media_type(format.name));
        CHECK(chosen.field("Vary") == "Accept-Encoding, Accept");
        CHECK(chosen.field("ETag") != named.field("ETag"));
    }
    CHECK(world.get(plain, {{"accept", "image/png"}}).status == 200);
}

TEST_CASE("A browser gets RSS and Atom as XML with elements of XHTML, under a tag of its own") {
    const std::string browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    const std::string xml = "application/xml; charset=utf-8";
    World world;
    world.release_up_to(2);
    for (const auto* address : {"/rss?class=Gene&name=WBGene00006763", "/release/WS2?format=rss",
                                "/rss?class=Gene&name=WBGene00006763&format=atom"}) {
        INFO(address);
        const auto reader = world.open(address);
        const auto shown = world.open(address, {{"accept", browser}});
        CHECK(shown.field("Content-Type") == xml);
        CHECK(shown.field("ETag") != reader.field("ETag"));
        CHECK(shown.field("Vary") == reader.field("Vary"));
        CHECK(shown.body->find("http://www.w3.org/1999/xhtml") != std::string::npos);
        CHECK(reader.body->find("http://www.w3.org/1999/xhtml") == std::string::npos);
        const auto loads = world.rendered();
        CHECK(world
                  .open(address, {{"accept", browser},
                                  {"if-none-match", std::string(shown.field("ETag"))}})
                  .status == 304);
        CHECK(*world.open(address, {{"accept", browser}}).body == *shown.body);
        CHECK(*world.open(address).body == *reader.body);
        CHECK(world.rendered() == loads);
        CHECK(shown.field("Content-Security-Policy").starts_with("default-src 'none'"));
        CHECK(reader.field("Content-Security-Policy").empty());
    }
    CHECK(world.get(plain + "&format=json", {{"accept", browser}}).field("Content-Type") ==
          media_type("json"));
    CHECK(
        world.get(plain, {{"accept", "text/html, application/rss+xml"}}).field("Content-Type") ==
        media_type("rss"));
    CHECK(world.open("/release/WS2", {{"accept", browser}}).field("Content-Type") ==
          "text/html; charset=utf-8");
}

TEST_CASE("Each format and coding of a feed has its own entity tag") {
    World world;
    std::vector<std::string> tags;
    for (const auto& format : render::formats())
        for (const auto* coding : {"identity", "gzip"})
            tags.emplace_back(world
                                  .get(plain + "&format=" + std::string(format.name),
                                       {{"accept-encoding", coding}})
                                  .field("ETag"));
    std::sort(tags.begin(), tags.end());
    CHECK(std::adjacent_find(tags.begin(), tags.end()) == tags.end());
}

TEST_CASE("A feed links itself and its archive in its own format, and says what it leaves out") {
    World world;
    world.release_up_to(60);
    const auto feed = world.get("junk=1&format=atom&name=WBGene00006763;class=Gene&tag=Live");
    CHECK(says(feed, "https://example.org/changes/rss?class=Gene&amp;name=WBGene00006763&amp;"
                     "tag=Live&amp;format=atom\""));
    CHECK(says(feed, "/rss/archive?class=Gene&amp;name=WBGene00006763&amp;tag=Live&amp;"
                     "format=atom&amp;before=50"));
    CHECK(says(feed, ", at Live"));
    CHECK_FALSE(says(feed, "junk"));
    CHECK_FALSE(says(world.get(plain + "&tag=Name"), "/WS60<"));
}

TEST_CASE("A watch list is one feed of its objects at one URL") {
    World world;
    world.release(1, {unc26});
    world.release(2, {unc26, paper});
    const auto feed = world.get(list);
    CHECK(feed.status == 200);
    CHECK(feed.field("Vary") == "Accept-Encoding, Accept");
    CHECK(says(feed, "WBPaper00031000/WS2"));
    CHECK(says(feed, "WBGene00006763/WS1"));
    const auto same = world.get("object=Paper:WBPaper00031000;object=Gene:WBGene00006763;"
                                "object=Paper:WBPaper00031000");
    CHECK(same.body == feed.body);
    CHECK(world.rendered() == 1);
    CHECK(world.hits() == 0);
}

TEST_CASE(
    "A list in another spelling is redirected to the recorded one, with unknown objects in it") {
    World world;
    const auto feed = world.get("object=gene:wbgene00006763&object=Gene:nobody&n=3");
    CHECK(feed.status == 301);
    CHECK(feed.field("Location") == "https://example.org/changes/rss?"
                                    "object=Gene:WBGene00006763&object=Gene:nobody&n=3");
}

TEST_CASE("A class has a feed; another spelling is redirected, and an unknown class is 404") {
    World world;
    world.release(1, {unc26});
    world.release(2, {paper});
    const auto feed = world.get("class=Gene");
    CHECK(feed.status == 200);
    CHECK(feed.field("Vary") == "Accept-Encoding, Accept");
    CHECK(says(feed, "WBGene00006763/WS1"));
    CHECK_FALSE(says(feed, "WBPaper"));
    CHECK(world.get("class=gene&n=9").field("Location") ==
          "https://example.org/changes/rss?class=Gene&n=9");
    const auto unknown = world.get("class=Pseudogene");
    CHECK(unknown.status == 404);
    CHECK(says(unknown, "Pseudogene"));
    CHECK_FALSE(says(unknown, "secret"));
    CHECK(world.hits() == 0);
}

TEST_CASE("A release has a feed where a format is named or preferred to a page") {
    World world;
    world.release(1, {unc26});
    world.release(2, {paper, unc26});
    const auto named = world.open("/release/WS2?format=rss");
    CHECK(named.field("Content-Type") == media_type("rss"));
    CHECK(named.field("Vary") == "Accept-Encoding, Accept");
    CHECK(says(named, "WBPaper00031000/WS2"));
    CHECK_FALSE(says(named, "/WS1<"));
    const auto liked = world.open("/release/WS2", {{"accept", "application/atom+xml"}});
    CHECK(liked.field("Content-Type") == media_type("atom"));
    CHECK(liked.field("Vary") == "Accept-Encoding, Accept");
    CHECK(says(liked, "/release/WS2?format=atom"));
    const auto json = world.open("/release/WS2", {{"accept", "application/feed+json"}});
    CHECK(json.field("Vary") == "Accept-Encoding, Accept");
    CHECK(world.open("/release/WS2?format=pdf").status == 400);
    CHECK(world.open("/release/WS9?format=rss").status == 404);
    CHECK(says(world.open("/release/WS9?format=rss"), "WS9"));
    CHECK(world.open("/release/W%20S?format=rss").status == 404);
    CHECK(world.open("/release/").status == 404);
    CHECK(world.open("/release/WS2/feed").status == 404);
}

TEST_CASE("All releases are a page, and a feed where a format is named or preferred to it") {
    World world;
    world.release(1, {unc26});
    world.release(2, {paper, unc26});
    const auto page = world.open("/releases");
    CHECK(page.status == 200);
    CHECK(page.field("Vary") == "Accept-Encoding, Accept");
    CHECK(says(page, "/release/WS2\""));
    CHECK(says(page, "/releases?format=atom\""));
    CHECK(world.open("/releases", {{"if-none-match", std::string(page.field("ETag"))}}).status ==
          304);
    const auto named = world.open("/releases?format=rss");
    CHECK(named.field("Content-Type") == media_type("rss"));
    CHECK(named.field("Vary") == "Accept-Encoding, Accept");
    CHECK(says(named, "tag:example.org,2007:/releases/WS2<"));
    CHECK(says(named, "<title>WS2: 2 objects changed</title>"));
    CHECK(
        world.open("/releases?format=rss", {{"if-none-match", std::string(named.field("ETag"))}})
            .status == 304);
    const auto liked = world.open("/releases", {{"accept", "application/atom+xml"}});
    CHECK(liked.field("Content-Type") == media_type("atom"));
    CHECK(says(liked, "/releases?format=atom\""));
    CHECK(world.open("/releases?format=pdf").status == 400);
    CHECK(world.open("/releases?from=-1").status == 400);
    CHECK(world.open("/releases?from=9").status == 404);
    CHECK(world.open("/releases/archive").status == 404);
    CHECK(says(world.open("/"), "/releases?format=rss\""));
}

TEST_CASE("A full page of an archive is cacheable for a day, and the newest one like a feed") {
    World world;
    world.release_up_to(70);
    const auto full = world.open("/rss/archive?" + plain + "&before=50");
    CHECK(full.status == 200);
    CHECK(full.field("Cache-Control") == "public, max-age=86400");
    CHECK(full.field("Vary") == "Accept-Encoding, Accept");
    CHECK(says(full, "/WS1<"));
    CHECK(says(full, "/WS50<"));
    CHECK_FALSE(says(full, "/WS51<"));
    CHECK(says(full, "archive"));
    const auto tail = world.open("/rss/archive?" + plain + "&before=100&format=atom");
    CHECK(tail.field("Cache-Control") == "public, max-age=3600");
    CHECK(tail.field("Vary") == "Accept-Encoding, Accept");
    const auto beyond = world.open("/rss/archive?" + plain + "&before=150");
    CHECK(beyond.status == 404);
    CHECK(says(beyond, "before=150"));
    CHECK(world.open("/rss/archive?" + plain).status == 400);
    CHECK(world.open("/rss/archive?" + plain + "&before=7").status == 400);
    CHECK(world.hits() == 0);
}

TEST_CASE("Pages of a class's archive are not cacheable for a day, nor any of a no-store site") {
    World world;
    world.release_up_to(70);
    CHECK(world.open("/rss/archive?class=Gene&before=50").field("Cache-Control") ==
          "public, max-age=3600");
    auto settings = settings_with();
    settings.max_age = 0;
    World unkept(settings);
    unkept.release_up_to(50);
    CHECK(unkept.open("/rss/archive?" + plain + "&before=50").field("Cache-Control") ==
          "public, max-age=0");
}

// It would wait for itself if it did not get the older page.
TEST_CASE("While a feed of many objects is rendered again, other requests get the earlier one") {
    for (const auto& query : {std::string("class=Gene"), list}) {
        for (const auto* coding : {"identity", "gzip"}) {
            const Fields fields{{"accept-encoding", coding}};
            World world;
            world.release_up_to(2);
            // The row of WS2 is recorded later, by another host.
            world.small.execute(
                "CREATE TABLE late AS SELECT * FROM history WHERE version = 'WS2'");
            world.small.execute("DELETE FROM history WHERE version = 'WS2'");
            world.small.count_rows();
            world.small.write_elsewhere();
            const auto before = world.get(query, fields);
            world.small.execute("INSERT INTO history SELECT * FROM late");
            world.small.count_rows();
            world.small.write_elsewhere();
            world.tick += std::chrono::minutes(1);
            static_cast<void>(world.small.service.cache_version());
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
}

TEST_CASE("Archives of classes, lists and releases have their own addresses") {
    World world;
    world.release(1, {unc26});
    CHECK(world.open("/rss/archive?class=Gene&before=50").status == 200);
    CHECK(world.open("/rss/archive?object=Gene:WBGene00006763&before=50").status == 200);
    CHECK(world.open("/release/WS1/archive?before=50&format=rss").status == 200);
    CHECK(world.open("/release/WS1/archive?before=100&format=rss").status == 404);
    CHECK(world.open("/release/WS1/archive?format=rss").status == 400);
    CHECK(world.open("/rss/archive?class=gene&name=wbgene00006763&before=50").field("Location") ==
          "https://example.org/changes/rss/archive?class=Gene&name=WBGene00006763&before=50");
}

TEST_CASE("Feeds of many objects are rendered at most once a minute, and for each new build") {
    World world;
    world.release(1, {unc26});
    int expected = 0;
    for (const auto* query : {"class=Gene", "object=Gene:WBGene00006763"}) {
        world.tick += std::chrono::hours(1);
        world.small.write_elsewhere();
        static_cast<void>(world.get(query));
        CHECK(world.rendered() == ++expected);
        world.small.write_elsewhere();
        world.tick += std::chrono::seconds(59);
        static_cast<void>(world.get(query));
        CHECK(world.rendered() == expected);
        world.tick += std::chrono::seconds(1);
        static_cast<void>(world.get(query));
        CHECK(world.rendered() == ++expected);
        world.small.put(world.build(world.newest + expected));
        static_cast<void>(world.get(query));
        CHECK(world.rendered() == ++expected);
    }
}

TEST_CASE("The entity tag follows the rows: other writes keep it, and a new row changes it") {
    World world;
    world.release(1, {unc26});
    const auto before = std::string(world.get(plain).field("ETag"));
    world.small.write_elsewhere();
    CHECK(world.get(plain).field("ETag") == before);
    world.release(2, {unc26});
    CHECK(world.get(plain).field("ETag") != before);
}

TEST_CASE("A client gets 304 for a feed that is not in memory, and no notes are read for it") {
    World world(settings_with("c", 0));
    world.release(1, {unc26});
    const auto coding = std::string(GENERATE("identity", "gzip"));
    const auto whole = world.get(plain, {{"accept-encoding", coding}});
    REQUIRE(whole.status == 200);
    const auto tag = std::string(whole.field("ETag"));
    // Whoever reads them leaves the row out, and gives the feed another tag.
    world.small.execute("UPDATE history SET notes = 'damaged' WHERE kind = 'changed'");
    const auto known =
        world.get(plain, {{"accept-encoding", coding}, {"if-none-match", "\"x\", " + tag}});
    CHECK(known.status == 304);
    CHECK(!known.body);
    for (const auto* field : {"ETag", "Last-Modified", "Cache-Control", "Vary"})
        CHECK(known.field(field) == whole.field(field));
    const auto other =
        world.get(plain, {{"accept-encoding", coding}, {"if-none-match", "\"x\""}});
    CHECK(other.status == 200);
    CHECK(other.field("ETag") != tag);
}

TEST_CASE("The entity tag changes when another name of an object becomes known") {
    World world(settings_with("c", 0));
    world.release(1, {unc26});
    CHECK(world.get(plain).status == 200);
    world.small.execute("UPDATE history SET kind = 'created'");
    const auto tag = std::string(world.get(plain).field("ETag"));
    CHECK(world.get(plain, {{"if-none-match", tag}}).status == 304);
    auto notes = world.small.query("SELECT notes FROM history").at(0).text(0);
    notes.insert(1, R"("renamed_from":{"class":"Gene","name":"WBGene00000008"},)");
    world.small.execute("UPDATE history SET notes = ?", {store::Value{notes}});
    const auto renamed = world.get(plain, {{"if-none-match", tag}});
    CHECK(renamed.status == 200);
    CHECK(says(renamed, "WBGene00000008"));
}

TEST_CASE("A bad query is refused before anything is loaded, and the parameter is named") {
    World world;
    const std::vector<std::pair<std::string, std::string>> bad = {{"&n=0", "n="},
                                                                  {"&n=-1", "n="},
                                                                  {"&n=1e9", "n="},
                                                                  {"&n=1000000000", "n="},
                                                                  {"&change=moved", "change="},
                                                                  {"&change=", "change="},
                                                                  {"&tag=", "tag="},
                                                                  {"&since=a/b", "since="},
                                                                  {"&format=xml", "format="},
                                                                  {"&class=Gene", "class="},
                                                                  {"&object=Gene:x", "object="}};
    for (const auto& [query, parameter] : bad) {
        INFO(query);
        const auto response = world.get(plain + query);
        CHECK(response.status == 400);
        CHECK(says(response, parameter));
    }
    CHECK(world.rendered() == 0);
}
