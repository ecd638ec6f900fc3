// Mentions in feeds and on pages of objects, from the store to the answer.
// SPDX-License-Identifier: MIT
#include "serve/world.hpp"
#include "tables/mentions.hpp"
#include "tables/trees.hpp"

using namespace world;

namespace {

// A world in which a source feed has entries.
struct MentionWorld : World {
    MentionWorld() {
        release_up_to(2);
        small.execute(
            "INSERT INTO feeds (id, url, url_digest, base_url, name, created_at) VALUES "
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
        });
        edit(entry, objects);
    }
    void edit(int entry, const std::vector<ObjectName>& objects) {
        store::perform(small.pool, store::Access::write, [&](store::Transaction& transaction) {
            tables::replace_mentions(transaction, entry, objects, small.now);
        });
        make_stale();
    }
};

const std::string page_url = "/history?class=Gene&name=WBGene00006763";
const std::string with_mentions = plain + "&include=mentions";

}  // namespace

TEST_CASE("A mention alone makes the page of its object anew") {
    MentionWorld world;
    const auto before = world.open(page_url);
    CHECK_FALSE(says(before, "Mentioned in"));
    world.mention(1, "unc-26 in the news", {unc26});
    const auto after = world.open(page_url);
    CHECK(says(after, ">unc-26 in the news</a> <small>Lab news, "));
    CHECK(after.field("ETag") != before.field("ETag"));
    CHECK(says(world.open(page_url + "&format=json"), "\"feed_name\":\"Lab news\""));
    // A query may hold a key.
    world.small.execute("UPDATE feeds SET name = '', url = 'https://lab.example/feed?key=x'");
    world.make_stale();
    CHECK(says(world.open(page_url + "&format=json"),
               "\"feed_name\":\"https://lab.example/feed\""));
    world.edit(1, {});
    CHECK(*world.open(page_url).body == *before.body);
}

TEST_CASE("A feed has mentions on request, under an address of its own") {
    MentionWorld world;
    const auto plain_before = world.get(plain);
    world.mention(1, "unc-26 in the news", {unc26});
    const auto feed = world.get(with_mentions);
    CHECK(says(feed, "tag:example.org,2007:/mention/Gene/WBGene00006763/1"));
    CHECK(says(feed, "include=mentions"));
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
