// SPDX-License-Identifier: MIT
#include "render/feed.hpp"
#include "serve/world.hpp"
#include "support/gunzip.hpp"

using namespace world;

namespace {

const std::string pair = "object=Gene:WBGene00006763&object=Paper:WBPaper00031000";

// Returns the entity tag of a feed after that many releases that changed the gene.
std::string tag_at(World& world, int releases, const std::string& query = plain,
                   const std::string& coding = "identity") {
    world.release_up_to(releases);
    return std::string(world.get(query, {{"accept-encoding", coding}}).field("ETag"));
}

Fields having(const std::string& tag) { return {{"if-none-match", tag}, {"a-im", "feed"}}; }

int items_in(const Response& response) {
    const auto body = body_of(response);
    int count = 0;
    for (auto at = body.find("<item>"); at != std::string::npos; at = body.find("<item>", at + 1))
        ++count;
    return count;
}

}  // namespace

TEST_CASE(
    "A client that names an earlier state gets only the newer items, with the tag of the whole") {
    World world;
    const auto earlier = tag_at(world, 10);
    const auto whole = tag_at(world, 12);
    const auto response = world.get(plain, having("W/" + earlier));
    CHECK(response.status == 226);
    CHECK(response.field("IM") == "feed");
    CHECK(response.field("Cache-Control") == "no-store, im");
    CHECK(response.field("ETag") == whole);
    CHECK(response.field("Vary") == "Accept-Encoding, Accept, A-IM");
    CHECK(response.field("Content-Type") == "application/rss+xml; charset=utf-8");
    CHECK(response.field("Last-Modified") == "Sat, 12 Jan 2008 00:00:00 GMT");
    CHECK(items_in(response) == 2);
    CHECK(says(response, "/WS12<"));
    CHECK(says(response, "/WS11<"));
    CHECK_FALSE(says(response, "/WS10<"));
    CHECK_FALSE(says(response, "fh:complete"));
}

TEST_CASE("One known tag of a list is enough, in whichever coding it was sent") {
    World world;
    const auto coded = tag_at(world, 3, plain, "gzip");
    const auto whole = tag_at(world, 4);
    auto fields = having("\"other\", " + coded);
    fields["accept-encoding"] = "gzip";
    const auto response = world.get(plain, fields);
    CHECK(response.status == 226);
    CHECK(response.field("Content-Encoding") == "gzip");
    CHECK(response.field("ETag") == whole.substr(0, 33) + "-gzip\"");
    CHECK(support::gunzip(*response.body).find("/WS4<") != std::string::npos);
}

TEST_CASE(
    "Without A-IM, with * or an unknown tag the whole document is sent, with its own tag 304") {
    World world;
    const auto earlier = tag_at(world, 3);
    const auto whole = tag_at(world, 4);
    CHECK(world.get(plain, {{"if-none-match", earlier}}).status == 200);
    CHECK(world.get(plain, {{"if-none-match", earlier}, {"a-im", "vcdiff"}}).status == 200);
    CHECK(world.get(plain, having("\"unknown\"")).status == 200);
    CHECK(world.get(plain, having("*")).status == 304);
    CHECK(world.get(plain, {{"a-im", "feed"}}).status == 200);
    CHECK(world.get(plain, having(earlier + ", " + whole)).status == 304);
}

TEST_CASE("States of 50 releases ago are known, and older ones are not") {
    World world;
    const auto first = tag_at(world, 1), second = tag_at(world, 2);
    world.release_up_to(52);
    CHECK(world.get(plain, having(second)).status == 226);
    CHECK(world.get(plain, having(first)).status == 200);
}

TEST_CASE("A full document is compared with the rows that it had earlier") {
    World world;
    const auto earlier = tag_at(world, 60, plain + "&n=20");
    world.release_up_to(65);
    const auto response = world.get(plain + "&n=20", having(earlier));
    CHECK(response.status == 226);
    CHECK(items_in(response) == 5);
}

TEST_CASE("There are never more newer items than a document has") {
    World world;
    const auto earlier = tag_at(world, 60, plain + "&n=2");
    world.release_up_to(70);
    CHECK(items_in(world.get(plain + "&n=2", having(earlier))) == 2);
}

TEST_CASE("A watch list gives the newer items of all its objects") {
    World world;
    const auto earlier = tag_at(world, 3, pair);
    world.release(4, {unc26, paper});
    const auto response = world.get(pair, having(earlier));
    CHECK(response.status == 226);
    CHECK(items_in(response) == 2);
    CHECK(says(response, "WBPaper00031000/WS4"));
}

TEST_CASE(
    "A client with a newer document than the cached one is not sent back to the older one") {
    World world;
    const auto old = tag_at(world, 2, pair);
    world.release_up_to(4);
    // The row of WS4 is recorded later, by another host.
    world.small.execute("CREATE TABLE late AS SELECT * FROM history WHERE version = 'WS4'");
    world.small.execute("DELETE FROM history WHERE version = 'WS4'");
    world.small.count_rows();
    world.small.write_elsewhere();
    const auto cached = std::string(world.get(pair).field("ETag"));
    world.small.execute("INSERT INTO history SELECT * FROM late");
    world.small.count_rows();
    world.small.write_elsewhere();
    CHECK(world.get(pair).field("ETag") == cached);
    const auto newer = world.get(pair, having(old));
    CHECK(newer.status == 226);
    const std::string ahead(newer.field("ETag"));
    CHECK(ahead != cached);
    const auto again = world.get(pair, having(ahead));
    CHECK(again.status == 304);
    CHECK(again.field("ETag") == ahead);
    CHECK(again.field("Cache-Control") == "public, max-age=3600");
    CHECK(again.body == nullptr);
}

TEST_CASE("Classes, releases and archives are always sent whole") {
    World world;
    const auto earlier = tag_at(world, 3, "class=Gene");
    world.release_up_to(4);
    CHECK(world.get("class=Gene", having(earlier)).status == 200);
    CHECK(world.open("/release/WS1?format=rss", having("\"x\"")).status == 200);
    CHECK(world.open("/rss/archive?" + plain + "&before=50", having("\"x\"")).status == 200);
}

TEST_CASE("Every format offers newer items, and HEAD describes them") {
    for (const auto& format : render::formats()) {
        World world;
        const auto query = plain + "&format=" + std::string(format.name);
        const auto earlier = tag_at(world, 3, query);
        world.release_up_to(4);
        const auto response = world.ask("HEAD", "/rss", query, having(earlier));
        CHECK(response.status == 226);
        CHECK_FALSE(response.send_body);
        CHECK(response.field("Content-Type").starts_with(format.media_type));
    }
}

TEST_CASE("While the store is down a reader gets the whole cached page") {
    World world;
    const auto earlier = tag_at(world, 3);
    static_cast<void>(tag_at(world, 4));
    world.small.set_store_down(true);
    CHECK(world.get(plain, having(earlier)).status == 200);
}
