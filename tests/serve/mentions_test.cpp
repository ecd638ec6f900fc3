// Mentions in feeds and on pages of objects, from the store to the answer.
// SPDX-License-Identifier: MIT
#include "render/feed.hpp"
#include "serve/world.hpp"
#include "tables/mentions.hpp"
#include "tables/releases.hpp"
#include "tables/trees.hpp"

using namespace world;

namespace {

// A world in which a source feed has entries.
struct MentionWorld : World {
    MentionWorld() {
        release_up_to(2);
        small.execute("INSERT INTO feeds (id, url, url_digest, base_url, name, added_at) VALUES "
                      "(1, 'https://lab.example/feed', 'd', 'https://lab.example', 'Lab news', "
                      "'2008-01-01T00:00:00Z')",
                      {});
    }
    // Records an entry as a harvester does, which names these objects.
    void mention(int entry, const std::string& title, const std::vector<ObjectName>& objects) {
        store::perform(small.pool, store::Access::write, [&](store::Transaction& transaction) {
            const auto id = std::to_string(entry);
            transaction.execute(
                "INSERT INTO entries (id, feed, guid, guid_digest, seen_digest, link, title, "
                "first_seen, last_seen, tree, content) VALUES (?, 1, ?, ?, '', ?, ?, "
                "'2008-01-02T10:00:00Z', '2008-01-02', ?, ?)",
                {store::Value{std::int64_t{entry}}, store::Value{id}, store::Value{id},
                 store::Value{"https://lab.example/" + id}, store::Value{title},
                 store::Value{store::Blob{tables::packed_tree({})}},
                 store::Value{store::Blob{}}});
            if (tables::replace_mentions(transaction, entry, objects, small.now))
                tables::move_generation(transaction);
        });
        small.now += std::chrono::seconds(2);  // the generation is read once a second
    }
    void edit(int entry, const std::vector<ObjectName>& objects) {
        store::perform(small.pool, store::Access::write, [&](store::Transaction& transaction) {
            if (tables::replace_mentions(transaction, entry, objects, small.now))
                tables::move_generation(transaction);
        });
        small.now += std::chrono::seconds(2);
    }
};

const std::string page_url = "/history?class=Gene&name=WBGene00006763";
const std::string with_mentions = plain + "&include=mentions";

}  // namespace

TEST_CASE("A mention alone makes the page of its object anew") {
    MentionWorld world;
    const auto before = world.open(page_url);
    CHECK_FALSE(says(before, "Mentioned in"));
    CHECK_FALSE(before.field("Last-Modified").empty());
    world.mention(1, "unc-26 in the news", {unc26});
    const auto after = world.open(page_url);
    CHECK(says(after, ">unc-26 in the news</a> <small>Lab news, "));
    CHECK(after.field("ETag") != before.field("ETag"));
    // Mentions may go without a trace, and a date would hide that.
    CHECK(after.field("Last-Modified").empty());
    CHECK(says(world.open(page_url + "&format=json"), "\"feed_name\":\"Lab news\""));
    CHECK_FALSE(says(world.open("/history?class=Gene&name=WBGene00000912"), "Mentioned in"));
    world.edit(1, {});
    CHECK(*world.open(page_url).body == *before.body);
}

TEST_CASE("A feed has mentions on request, under an address of its own") {
    MentionWorld world;
    const auto plain_before = world.get(plain);
    world.mention(1, "unc-26 in the news", {unc26});
    for (const auto& format : render::formats()) {
        INFO(format.name);
        const auto feed = world.get(with_mentions + "&format=" + std::string(format.name));
        CHECK(feed.status == 200);
        CHECK(says(feed, "Mentioned in Lab news: unc-26 in the news"));
        CHECK(says(feed, "tag:example.org,2007:/mention/Gene/WBGene00006763/1"));
        CHECK(says(feed, ", with mentions"));
        CHECK(says(feed, "include=mentions"));
        CHECK(feed.field("Last-Modified").empty());
    }
    const auto plain_after = world.get(plain);
    CHECK(*plain_after.body == *plain_before.body);
    CHECK(plain_after.field("ETag") == plain_before.field("ETag"));
}

TEST_CASE("The entity tag of a feed with mentions changes with them") {
    MentionWorld world;
    const auto none = world.get(with_mentions);
    const auto tag = std::string(none.field("ETag"));
    CHECK(world.get(with_mentions, {{"if-none-match", tag}}).status == 304);
    world.mention(1, "unc-26 in the news", {unc26});
    CHECK(world.get(with_mentions, {{"if-none-match", tag}}).status == 200);
    const auto one = std::string(world.get(with_mentions).field("ETag"));
    CHECK(world.get(with_mentions, {{"if-none-match", one}}).status == 304);
    world.mention(2, "again", {unc26});
    CHECK(world.get(with_mentions, {{"if-none-match", one}}).status == 200);
    world.edit(2, {});
    CHECK(world.get(with_mentions, {{"if-none-match", one}}).status == 304);
}

TEST_CASE("A watch list has the mentions of all of its objects on request") {
    MentionWorld world;
    world.mention(1, "both", {unc26, paper});
    world.mention(2, "another", {daf16});
    const auto feed = world.get(
        "object=Gene:WBGene00006763&object=Paper:WBPaper00031000&include=mentions&format=json");
    CHECK(says(feed, "/mention/Gene/WBGene00006763/1"));
    CHECK(says(feed, "/mention/Paper/WBPaper00031000/1"));
    CHECK_FALSE(says(feed, "another"));
}

TEST_CASE("A feed shows as many of the newest mentions as it was with_mentions for items") {
    MentionWorld world;
    for (int i = 1; i <= 3; ++i) world.mention(i, "number " + std::to_string(i), {unc26});
    const auto feed = world.get(with_mentions + "&n=2");
    CHECK(says(feed, "number 3"));
    CHECK(says(feed, "number 2"));
    CHECK_FALSE(says(feed, "number 1"));
    CHECK_FALSE(says(feed, "<fh:complete/>"));
    CHECK(says(world.get(with_mentions), "<fh:complete/>"));
}

TEST_CASE("An entry that mentions an object survives what the object does") {
    MentionWorld world;
    world.mention(1, "unc-26 in the news", {unc26});
    world.release(3, {unc26});
    const auto feed = world.get(with_mentions);
    CHECK(says(feed, "/mention/Gene/WBGene00006763/1"));
    CHECK(says(feed, "Gene/WBGene00006763/WS3"));
}
