// SPDX-License-Identifier: MIT
#include "render/feed.hpp"
#include "serve/backroom.hpp"
#include "support/gunzip.hpp"

using namespace backroom;

namespace {

const std::string pair = "object=Gene:WBGene00006763&object=Paper:WBPaper00031000";

// A world of so many releases that changed the gene.
void record(World& world, int releases) {
    world.back.objects = {unc26, paper};
    world.back.rows.clear();
    for (int i = releases; i > 0; --i) world.back.rows.push_back(row(unc26, i));
    ++world.back.moment.generation;
    world.back.tick += std::chrono::minutes(1);
}

// The tag of the feed when it had so many releases.
std::string tag_at(World& world, int releases, const std::string& query = plain,
                   const std::string& coding = "identity") {
    record(world, releases);
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

TEST_CASE("who names an earlier state gets the newer items alone, and the tag of the whole") {
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

TEST_CASE("one tag of a list that is known is enough, in whichever coding it came") {
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
    "without A-IM, with * or an unknown tag the whole document is sent; with its own, 304") {
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

TEST_CASE("states of 50 releases ago are known, older ones are not") {
    World world;
    const auto first = tag_at(world, 1), second = tag_at(world, 2);
    record(world, 52);
    CHECK(world.get(plain, having(second)).status == 226);
    CHECK(world.get(plain, having(first)).status == 200);
}

TEST_CASE("a document that is full is looked back from with the rows that it had then") {
    World world;
    const auto earlier = tag_at(world, 60, plain + "&n=20");
    record(world, 65);
    const auto response = world.get(plain + "&n=20", having(earlier));
    CHECK(response.status == 226);
    CHECK(items_in(response) == 5);
    CHECK(world.back.window.most == 70);
}

TEST_CASE("never more items are newer than a document has") {
    World world;
    const auto earlier = tag_at(world, 60, plain + "&n=2");
    record(world, 70);
    CHECK(items_in(world.get(plain + "&n=2", having(earlier))) == 2);
}

TEST_CASE("a watch list gives the newer items of all of its objects") {
    World world;
    const auto earlier = tag_at(world, 3, pair);
    record(world, 4);
    world.back.rows.insert(world.back.rows.begin() + 1, row(paper, 4));
    const auto response = world.get(pair, having(earlier));
    CHECK(response.status == 226);
    CHECK(items_in(response) == 2);
    CHECK(says(response, "WBPaper00031000/WS4"));
}

TEST_CASE("who is ahead of a list's page that is kept for a minute is not sent back to it") {
    World world;
    const auto old = tag_at(world, 2, pair);
    const auto kept = tag_at(world, 3, pair);
    world.back.rows.insert(world.back.rows.begin(), row(unc26, 4));
    ++world.back.moment.generation;
    CHECK(world.get(pair).field("ETag") == kept);
    const auto newer = world.get(pair, having(old));
    CHECK(newer.status == 226);
    const std::string ahead(newer.field("ETag"));
    CHECK(ahead != kept);
    const auto again = world.get(pair, having(ahead));
    CHECK(again.status == 304);
    CHECK(again.field("ETag") == ahead);
    CHECK(again.field("Cache-Control") == "public, max-age=3600");
    CHECK(again.body == nullptr);
}

TEST_CASE("classes, releases and archives are sent whole") {
    World world;
    const auto earlier = tag_at(world, 3, "class=Gene");
    record(world, 4);
    CHECK(world.get("class=Gene", having(earlier)).status == 200);
    CHECK(world.open("/release/WS1?format=rss", having("\"x\"")).status == 200);
    CHECK(world.open("/rss/archive?" + plain + "&before=50", having("\"x\"")).status == 200);
}

TEST_CASE("every format offers newer items, and HEAD tells of them") {
    World world;
    for (const auto& format : render::formats()) {
        const auto query = plain + "&format=" + std::string(format.name);
        const auto earlier = tag_at(world, 3, query);
        record(world, 4);
        const auto response = world.ask("HEAD", "/rss", query, having(earlier));
        CHECK(response.status == 226);
        CHECK_FALSE(response.send_body);
        CHECK(response.field("Content-Type").starts_with(format.media_type));
    }
}

TEST_CASE("while the store is away a reader gets the page that is kept, whole") {
    World world;
    const auto earlier = tag_at(world, 3);
    static_cast<void>(tag_at(world, 4));
    world.back.moment.store_reachable = false;
    world.back.error = base::Error{Kind::unavailable, "away"};
    CHECK(world.get(plain, having(earlier)).status == 200);
}
