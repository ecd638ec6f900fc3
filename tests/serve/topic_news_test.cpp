// What the hub is told of a topic: its news as a feed, and its position.
// SPDX-License-Identifier: MIT
#include <set>

#include "net/url.hpp"
#include "serve/world.hpp"
#include "support/feed_rules.hpp"

using namespace world;

namespace {

using Subject = hub::Topic::Subject;

hub::Topic topic(const std::string& url) { return {.url = site_top + url}; }
const std::string gene_url = "/rss?" + plain;
const std::string pair_url = "/rss?object=Gene:WBGene00006763&object=Paper:WBPaper00031000";

std::optional<hub::FeedNews> news_of(World& world, const std::string& url,
                                     const std::string& since = "") {
    const auto news = world.site.news(topic(url), since);
    INFO((news ? "" : news.error().text));
    REQUIRE(news);
    return *news;
}
std::string position_of(World& world, const std::string& url) {
    const auto news = news_of(world, url);
    REQUIRE(news);
    CHECK(news->body.empty());
    return news->position;
}
const support::FeedFormat& format_of(const std::string& url) {
    for (const auto& format : support::feed_formats)
        if (url.ends_with("format=" + std::string(format.format))) return format;
    return support::feed_formats.front();
}
// Returns the releases or objects of the items: the last part of their ids.
std::vector<std::string> items_of(const hub::FeedNews& news, const std::string& url) {
    std::vector<std::string> ids;
    for (const auto& item : format_of(url).read(news.body).items)
        ids.push_back(item.guid.substr(item.guid.find(",2007:") + 6));
    return ids;
}
base::ErrorKind failure_of(World& world, const std::string& url) {
    const auto news = world.site.news(topic(url), "");
    REQUIRE_FALSE(news);
    return news.error().kind;
}
// Records again what the gene has of a release, as a row of another object.
void record_late(World& world, const ObjectName& object, const std::string& version,
                 const std::string& recorded_at) {
    world.small.execute(
        "INSERT INTO history (oid, version, revision, since, date, recorded_at, signature, kind,"
        " label, notes, class, name)"
        " SELECT (SELECT oid FROM objects WHERE name = ?), version, 0, since, date, ?, signature,"
        " kind, label, notes, ?, ? FROM history WHERE version = ?"
        " AND oid = (SELECT oid FROM objects WHERE name = ?)",
        {store::Value{object.name}, store::Value{recorded_at}, store::Value{object.class_name},
         store::Value{object.name}, store::Value{version}, store::Value{unc26.name}});
    world.small.name_rows();
    world.make_stale();
}

}  // namespace

TEST_CASE("The news of each kind of topic are its new items, in each format") {
    for (const auto& [url, fresh] : std::map<std::string, std::vector<std::string>>{
             {gene_url + "&format=rss", {"Gene/WBGene00006763/WS3"}},
             {pair_url, {"Gene/WBGene00006763/WS3", "Paper/WBPaper00031000/WS3"}},
             {"/rss?class=Gene&format=rss",
              {"Gene/WBGene00000912/WS3", "Gene/WBGene00006763/WS3"}},
             {"/releases?format=rss", {"/releases/WS2"}}})
        for (const auto* format : {"rss", "atom"}) {
            auto in_format = url;
            if (in_format.ends_with("format=rss")) in_format.resize(in_format.size() - 11);
            in_format += (in_format.find('?') == std::string::npos ? "?format=" : "&format=");
            in_format += format;
            INFO(in_format);
            World world(site_with_hub());
            world.release(1, {unc26, daf16, paper});
            world.release(2, {unc26});
            const auto position = position_of(world, in_format);
            CHECK_FALSE(news_of(world, in_format, position));
            world.release(3, {unc26, daf16, paper});
            const auto news = news_of(world, in_format, position);
            REQUIRE(news);
            CHECK(items_of(*news, in_format) == fresh);
            CHECK(news->content_type ==
                  "application/" + std::string(format) + "+xml; charset=utf-8");
            CHECK(format_of(in_format).findings(news->body, site_top + in_format,
                                                world.small.now + std::chrono::hours(24)) ==
                  std::vector<std::string>());
            CHECK_FALSE(format_of(in_format).read(news->body).complete);
            CHECK_FALSE(news_of(world, in_format, news->position));
        }
}

TEST_CASE("A feed in which all is new, and any JSON Feed, is sent as it is fetched") {
    for (const auto& [url, earlier] : std::map<std::string, int>{
             {gene_url, 0}, {gene_url + "&format=atom", 0}, {gene_url + "&format=json", 2}}) {
        World world(site_with_hub());
        world.release_up_to(earlier);
        const auto position = position_of(world, url);
        world.release_up_to(earlier + 2);
        const auto news = news_of(world, url, position);
        REQUIRE(news);
        const auto fetched = world.open(url);
        CHECK(news->body == *fetched.body);
        CHECK(news->content_type == fetched.field("Content-Type"));
    }
}

TEST_CASE("An object that nobody asked for since a release is compared for its news") {
    World world(site_with_hub());
    world.release_up_to(1);
    const auto position = position_of(world, gene_url);
    world.set_value(unc26, "new");
    world.small.put(world.build(2));
    const auto news = news_of(world, gene_url, position);
    REQUIRE(news);
    CHECK(items_of(*news, gene_url) == std::vector<std::string>{"Gene/WBGene00006763/WS2"});
}

TEST_CASE("A row that is recorded later for an old release goes out alone") {
    for (const auto& url : {pair_url, std::string("/rss?class=Paper"),
                            std::string("/rss?class=Paper&name=WBPaper00031000"),
                            std::string("/release/WS1?format=atom")}) {
        INFO(url);
        World world(site_with_hub());
        world.release(1, {unc26});
        world.release(2, {unc26, paper});
        const auto position = position_of(world, url);
        record_late(world, paper, "WS1", "2008-02-01T00:00:00Z");
        const auto news = news_of(world, url, position);
        REQUIRE(news);
        CHECK(items_of(*news, url) == std::vector<std::string>{"Paper/WBPaper00031000/WS1"});
    }
}

TEST_CASE("A site that is rolled back has no news, and none when it goes on") {
    for (const auto& url : {gene_url, std::string("/releases?format=rss")}) {
        INFO(url);
        World world(site_with_hub());
        world.release_up_to(1);
        const auto earlier = world.build(1);
        world.release_up_to(2);
        const auto later = world.build(2);
        const auto position = position_of(world, url);
        world.small.put(earlier);
        CHECK_FALSE(news_of(world, url, position));
        world.small.put(later);
        CHECK_FALSE(news_of(world, url, position));
    }
}

TEST_CASE("An object that vanishes has that as news, and its feed stays") {
    World world(site_with_hub());
    world.release_up_to(1);
    const auto position = position_of(world, gene_url);
    world.small.remove_object(unc26);
    world.small.put(world.small.build("WS2", World::day(2)));
    const auto news = news_of(world, gene_url, position);
    REQUIRE(news);
    CHECK(items_of(*news, gene_url) == std::vector<std::string>{"Gene/WBGene00006763/WS2"});
    CHECK_FALSE(news_of(world, gene_url, news->position));
}

TEST_CASE("A topic that no feed has is absent") {
    World world(site_with_hub());
    world.release_up_to(1);
    for (const auto* url :
         {"/rss?class=Gene&name=Nothing", "/rss?class=Nothing", "/release/WS9?format=rss",
          "/rss?watch=abcdefghijklmnop", "/history?class=Gene&name=WBGene00006763",
          "/rss?class=Gene&name=wbgene00006763", "/rss?class=Gene&name=WBGene00006763&since=WS9"})
        CHECK(failure_of(world, url) == ErrorKind::absent);
    CHECK(world.site.news({.url = "https://elsewhere.org" + gene_url}, "").error().kind ==
          ErrorKind::absent);
}

TEST_CASE("A topic that only a later release has is not gone while the site is rolled back") {
    World world(site_with_hub());
    world.release_up_to(1);
    const auto earlier = world.build(1);
    world.small.set_object({"Gene", "New"}, {support::tag("Live")});
    world.release_up_to(2);
    const std::string object_url = "/rss?class=Gene&name=New",
                      release_url = "/release/WS2?format=rss";
    const auto of_object = position_of(world, object_url),
               of_release = position_of(world, release_url);
    const auto later = world.build(2);
    world.small.put(earlier);
    CHECK(failure_of(world, object_url) == ErrorKind::unavailable);
    CHECK(failure_of(world, release_url) == ErrorKind::unavailable);
    world.small.put(later);
    CHECK_FALSE(news_of(world, object_url, of_object));
    CHECK_FALSE(news_of(world, release_url, of_release));
}

TEST_CASE("While the store is away a topic is unavailable") {
    World world(site_with_hub());
    world.release_up_to(1);
    for (const auto& url : {gene_url, pair_url, std::string("/rss?class=Gene"),
                            std::string("/release/WS1?format=rss")}) {
        world.set_store_down(true);
        CHECK(failure_of(world, url) == ErrorKind::unavailable);
        world.set_store_down(false);
    }
}

TEST_CASE("Narrowed feeds of an object have only news that they show") {
    World world(site_with_hub());
    world.release_up_to(2);
    const auto tagged = gene_url + "&tag=Live", newest = gene_url + "&n=1",
               after = gene_url + "&since=WS1", none = gene_url + "&change=removed";
    std::map<std::string, std::string> positions;
    for (const auto& url : {tagged, newest, after, none})
        positions[url] = position_of(world, url);
    world.release_up_to(3);
    for (const auto& url : {tagged, newest, after}) {
        INFO(url);
        const auto news = news_of(world, url, positions[url]);
        REQUIRE(news);
        CHECK(items_of(*news, url) == std::vector<std::string>{"Gene/WBGene00006763/WS3"});
    }
    CHECK_FALSE(news_of(world, none, positions[none]));
}

TEST_CASE("Everybody may read a public site, and holders of a token a private one") {
    World open_to_all(site_with_hub());
    CHECK(open_to_all.site.may_read("") == true);
    // Whoever opens a private site without asking for tokens still knows who may read it.
    auto look = site_with_hub();
    look.is_private = true;
    World world(look);
    world.add_token("reader", "secret");
    CHECK(world.site.may_read(base::sha256_hex("secret")) == true);
    CHECK(world.site.may_read(base::sha256_hex("other")) == false);
    CHECK(world.site.may_read("") == false);
    REQUIRE(serve::revoke_token(world.small.pool, "reader"));
    serve::TokenHolders fresh(world.small.pool);
    CHECK(*fresh.holder_with_digest(base::sha256_hex("secret")) == std::nullopt);
}

TEST_CASE("An object that cannot be compared with the build now is no object without news") {
    World world(site_with_hub());
    world.release(1, {unc26});
    const auto position = position_of(world, gene_url);
    world.set_value(unc26, "2");
    const auto build = world.build(2);
    build->break_with({base::ErrorKind::unavailable, "away"});
    world.small.put(build);
    const auto news = world.site.news(topic(gene_url), position);
    REQUIRE_FALSE(news);
    CHECK(news.error().kind == base::ErrorKind::unavailable);
    world.small.put(world.build(2));
    CHECK(news_of(world, gene_url, position));
}
