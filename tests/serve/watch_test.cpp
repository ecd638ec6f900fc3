// The page of a watch list, the forms that change it, and short addresses.
// SPDX-License-Identifier: MIT
#include "serve/world.hpp"

using namespace std::chrono_literals;
using namespace world;

namespace {

Response send(World& world, const std::string& body, Fields fields = {},
              const std::string& path = "/watch") {
    return world.post(path, body, std::move(fields));
}

// Where a form leads, below base_url.
std::string sent_to(World& world, const std::string& body) {
    const auto response = send(world, body);
    CHECK(response.status == 303);
    CHECK(response.field("Cache-Control") == "no-store");
    const std::string location(response.field("Location"));
    REQUIRE(location.starts_with(site_path));
    return location.substr(site_path.size());
}

}  // namespace

TEST_CASE("The page of a watch list in another spelling is redirected to the recorded one") {
    World world;
    world.release(1, {unc26});
    CHECK(world.open("/watch?object=Gene:nobody").status == 200);
    const auto moved = world.open("/watch?pasted=x&object=gene:wbgene00006763");
    CHECK(moved.status == 301);
    CHECK(moved.field("Location") == site_path + "/watch?object=Gene:WBGene00006763&pasted=x");
}

TEST_CASE("An object that vanished is marked with its release and successor") {
    World world;
    world.release(1, {unc26});
    world.small.keep(world.build(1));
    world.small.remove_object(unc26);
    world.small.set_object({"Gene", "WBGene00009999"},
                           {support::tag("Name", {support::text("unc-26")}),
                            support::tag("Live", {support::text("1")})});
    world.small.publish("WS2", World::day(2));
    static_cast<void>(world.get(plain));
    const auto page = world.open("/watch?object=Gene:WBGene00006763");
    CHECK(says(page, "<span class=\"gone\">vanished</span> in <a href=\"" + site_path +
                         "/release/WS2\""));
    CHECK(says(page, "name=\"instead\" value=\"Gene%3AWBGene00006763 Gene%3AWBGene00009999\""));
    CHECK(sent_to(world, "object=Gene:WBGene00006763&object=Paper:WBPaper00031000&instead="
                         "Gene%253AWBGene00006763+Gene%253AWBGene00009999") ==
          "/watch?object=Gene:WBGene00009999&object=Paper:WBPaper00031000");
    CHECK(send(world, "instead=Gene:x").status == 400);
}

TEST_CASE("A form leads to the page of the list that it makes") {
    World world;
    world.release(1, {unc26, daf16, paper});
    CHECK(sent_to(world, "object=Gene:WBGene00006763&names=%0D%0Adaf-16%0D%0A") ==
          "/watch?object=Gene:WBGene00000912&object=Gene:WBGene00006763");
    CHECK(sent_to(world, "names=nobody,unc-26&class=Gene&q=a+b") ==
          "/watch?class=Gene&q=a%20b&object=Gene:WBGene00006763&pasted=Gene%3Anobody");
    CHECK(sent_to(world, "names=Gene+unc-26&file=Paper:WBPaper00031000") ==
          "/watch?object=Gene:WBGene00006763&object=Paper:WBPaper00031000");
    CHECK(sent_to(world, "") == "/watch");
    CHECK(sent_to(world, "object=Gene:a%0D%0Ab") == "/watch?object=Gene:a%0Ab");
    std::string many = "names=unc-26&";
    for (int i = 0; i < 200; ++i) many += "object=Gene:n" + std::to_string(i) + "&";
    CHECK(sent_to(world, many).ends_with("&left_out=1"));
    CHECK(says(world.open(sent_to(world, many)), ">1 name did not fit:"));
}

TEST_CASE("A list that is kept has one short address, with the feeds of its objects") {
    World world;
    world.release(1, {unc26});
    world.release(2, {paper});
    const std::string objects = "object=Gene:WBGene00006763&object=Paper:WBPaper00031000";
    const auto address = sent_to(world, objects + "&keep=1");
    REQUIRE(address.starts_with("/watch/"));
    const auto id = address.substr(7);
    // Whoever keeps the same list gets the same address.
    CHECK(sent_to(world, "keep=1&names=unc-26,Paper:WBPaper00031000,Gene:wbgene00006763") ==
          address);
    CHECK(world.small.query("SELECT id FROM watch_lists").size() == 1);
    CHECK(says(world.open(address), "/rss?watch=" + id));
    const std::string full(body_of(world.get(objects + "&format=atom")));
    const auto feed = world.get("watch=" + id + "&format=atom");
    CHECK(says(feed, site_top + "/rss?watch=" + id + "&amp;format=atom\""));
    CHECK(says(feed, site_top + address + "\""));
    // That of the feed, and of its items.
    REQUIRE(full.find("<id>", full.find("<entry>")) != std::string::npos);
    for (std::size_t at = 0; (at = full.find("<id>", at)) != std::string::npos; ++at)
        CHECK(says(feed, full.substr(at, full.find("</id>", at) - at)));
    CHECK(says(world.open("/opml?watch=" + id), "xmlUrl"));
    CHECK(says(world.open("/rss/archive?before=50&watch=" + id), "/rss?watch=" + id + "\""));
}

TEST_CASE("An unknown short address says what to do, and a list of nothing is not kept") {
    World world;
    world.release(1, {unc26});
    for (const std::string url : {"/watch/abcdefghijklmnop", "/rss?watch=abcdefghijklmnop",
                                  "/opml?watch=abcdefghijklmnop"}) {
        INFO(url);
        const auto page = world.open(url);
        CHECK(page.status == 404);
        CHECK(says(page, "Make the list again at " + site_top + "/watch"));
    }
    CHECK(world.open("/watch/x").status == 404);
    CHECK(world.open("/watch/").status == 404);
    CHECK(send(world, "keep=1").status == 400);
    CHECK(send(world, "keep=1&object=Gene:nobody").status == 404);
    CHECK(world.small.query("SELECT id FROM watch_lists").empty());
}

TEST_CASE("A list is kept without objects that nobody knows, and its page asks about them") {
    World world;
    world.release(1, {unc26});
    const auto address = sent_to(world, "keep=1&object=Gene:nobody&object=gene:wbgene00006763");
    CHECK(address.ends_with("?pasted=Gene%3Anobody"));
    CHECK(world.small.query("SELECT objects FROM watch_lists").at(0).text(0) ==
          "Gene:WBGene00006763\n");
    CHECK(says(world.open(address), "<b>Gene:nobody</b> no object has that name"));
    CHECK(sent_to(world, "keep=1&names=unc-26,nobody").ends_with("?pasted=nobody"));
}

TEST_CASE("A list whose names are longer than 16 KB has no short address") {
    World world;
    std::string list = "keep=1";
    for (int i = 0; i < 100; ++i) {
        const ObjectName object{"Gene", std::string(200, 'x') + std::to_string(i)};
        world.labels[object] = object.name;
        world.set_value(object, "0");
        list += "&object=Gene:" + object.name;
    }
    world.release(1);
    const auto refused = send(world, list);
    CHECK(refused.status == 413);
    CHECK(says(refused, "which has room for 16 KB"));
    CHECK(world.small.query("SELECT id FROM watch_lists").empty());
}

TEST_CASE("A site that keeps as many lists as it can refuses another one, and says what works") {
    World world;
    world.release(1, {unc26});
    world.small.execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)"
        " INSERT INTO watch_lists (id, objects, created_at, last_used)"
        " SELECT i, 'Gene:a' || CHAR(10), '2008-01-01T00:00:00Z', '9999-01-01' FROM n");
    const auto keep = [&] { return send(world, "keep=1&object=Gene:" + unc26.name); };
    const auto refused = keep();
    CHECK(refused.status == 507);
    CHECK(says(refused, "Use the long address"));
    CHECK(says(world.open("/metrics"), "varve_watch_lists 100000\n"));
    // What is not kept counts against no limit.
    for (int i = 0; i < 100; ++i) CHECK(keep().status == 507);
}

TEST_CASE("Only the watch list takes POST, and nothing but a form of its own site") {
    World world;
    world.release(1, {unc26});
    CHECK(world.ask("PUT", "/watch").field("Allow") == "GET, HEAD, POST");
    CHECK(send(world, "", {}, "/watch/abcdefghijklmnop").field("Allow") == "GET, HEAD");
    for (const std::string path : {"/", "/rss", "/history", "/opml"})
        CHECK(send(world, "", {}, path).status == 405);
    CHECK(send(world, "", {{"content-type", "text/plain"}}).status == 415);
    const auto refused = send(world, "object=broken");
    CHECK(refused.status == 400);
    CHECK(refused.field("Cache-Control") == "no-store");
    for (const auto& [fields, status] : std::vector<std::pair<Fields, int>>{
             {{{"sec-fetch-site", "same-origin"}, {"origin", "http://localhost:8080"}}, 303},
             {{{"sec-fetch-site", "cross-site"}, {"origin", "https://example.org"}}, 403},
             {{{"origin", "https://example.org"}}, 303},
             {{{"origin", "null"}}, 403},
             {{{"sec-fetch-site", "same-site"}, {"origin", "null"}}, 403},
             {{{"sec-fetch-site", "none"}, {"origin", "null"}}, 403},
             {{{"sec-fetch-site", "same-origin"}, {"origin", "null"}}, 303},
             {{{"sec-fetch-site", "none"}}, 303},
             {{{"sec-fetch-site", "same-site"}, {"origin", "https://other.changes.test"}}, 403},
             {{}, 303},
             {{{"origin", "https://example.org.evil.example"}}, 403},
             {{{"origin", "http://example.org"}}, 403},
             {{{"origin", "http://localhost:8080"}, {"host", "localhost:8080"}}, 303},
             {{{"origin", "http://localhost:8080"}, {"host", "localhost"}}, 403},
             {{{"origin", "localhost"}, {"host", "localhost"}}, 403}})
        CHECK(send(world, "", fields).status == status);
    Request long_one;
    long_one.method = "POST";
    long_one.path = "/watch";
    long_one.body_error = serve::body_too_long();
    CHECK(world.site.answer(long_one).status == 413);
}

TEST_CASE("The port that is usual for its scheme is no other site") {
    for (const auto& [base_url, origin] :
         {std::pair("http://x.test:80/changes", "http://x.test"),
          std::pair("https://x.test:443", "https://x.test"),
          std::pair("http://x.test:8080", "http://x.test:8080")}) {
        World world(settings_with(), base_url);
        world.release(1, {unc26});
        CHECK(send(world, "", {{"origin", origin}}).status == 303);
        CHECK(send(world, "", {{"origin", std::string(origin) + "1"}}).status == 403);
    }
}

TEST_CASE(
    "A network may keep a hundred new lists in a day, and all together not hundreds at once") {
    World world;
    for (int i = 0; i <= 101; ++i) {
        const ObjectName object{"Gene", "n" + std::to_string(i)};
        world.labels[object] = object.name;
        world.set_value(object, "0");
    }
    world.release(1);
    const auto keep = [&](int i, const std::string& address) {
        return world.post("/watch", "keep=1&object=Gene:n" + std::to_string(i), {}, address);
    };
    for (int i = 0; i < 100; ++i)
        CHECK(keep(i, "2001:db8:1:" + std::to_string(i) + "::1").status == 303);
    const auto of_all = keep(100, "2001:db8:2::1");
    CHECK(of_all.status == 429);
    CHECK(says(of_all, "on this site just now"));
    CHECK(of_all.field("Retry-After") == "2");
    world.tick += 4s;
    // Neither what is refused nor what is there uses up what other networks may keep.
    for (int i = 0; i < 5; ++i) {
        const auto of_network = keep(100, "2001:db8:1:ffff::1");
        CHECK(of_network.status == 429);
        CHECK(says(of_network, "from your network today"));
        CHECK(base::parse_count(of_network.field("Retry-After")).value() > 600);
        CHECK(keep(0, "2001:db8:1::1").status == 303);
    }
    CHECK(keep(100, "2001:db8:2::1").status == 303);
    CHECK(keep(101, "2001:db8:3::1").status == 303);
}

TEST_CASE("A private site takes a form with a token only, and its list is behind the token too") {
    World world(private_settings());
    world.release(1, {unc26});
    world.add_token("reader", "secret");
    CHECK(send(world, "keep=1&object=Gene:WBGene00006763").status == 401);
    const auto kept =
        send(world, "keep=1&object=Gene:WBGene00006763", {{"authorization", "Bearer secret"}});
    CHECK(kept.status == 303);
    const std::string path = std::string(kept.field("Location")).substr(site_path.size());
    CHECK(world.open(path).status == 401);
    CHECK(world.open(path, {{"authorization", "Bearer secret"}}).status == 200);
    const auto feed = world.get("watch=" + path.substr(7) + "&token=secret");
    CHECK(says(feed, "rss?watch=" + path.substr(7) + "&amp;token=secret"));
}

TEST_CASE("A store that cannot be reached makes forms and short addresses 503") {
    World world;
    world.release(1, {unc26});
    const auto address = sent_to(world, "keep=1&object=Gene:WBGene00006763");
    world.set_store_down(true);
    CHECK(world.open(address).status == 503);
    CHECK(send(world, "names=unc-26").status == 503);
    CHECK(send(world, "keep=1&object=Gene:WBGene00006763").status == 503);
    world.set_store_down(false);
    CHECK(world.open(address).status == 200);
}

TEST_CASE(
    "The day on which a short address was last used is written with the counts of requests") {
    World world;
    world.release(1, {unc26});
    const auto address = sent_to(world, "keep=1&object=Gene:WBGene00006763");
    const auto last_used = [&] {
        world.small.service.flush_hits();
        return world.small.query("SELECT last_used FROM watch_lists").at(0).text(0);
    };
    CHECK(last_used() == "2008-01-01");
    for (const auto& url :
         {address, "/rss?watch=" + address.substr(7), "/opml?watch=" + address.substr(7)}) {
        world.small.now += std::chrono::days(1);
        const auto today =
            base::format_date(std::chrono::floor<std::chrono::days>(world.small.now));
        CHECK(world.open(url).status == 200);
        CHECK(last_used() == today);
    }
    const auto seen = last_used();
    static_cast<void>(world.open("/watch?object=Gene:WBGene00006763"));
    CHECK(last_used() == seen);
}
