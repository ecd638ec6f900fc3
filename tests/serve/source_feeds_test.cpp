// Our copies of source feeds over HTTP, as topics of the hub, their pages, and what monitors see of harvesters.
// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "feed/opml.hpp"
#include "harvest/archives.hpp"
#include "harvest/claims.hpp"
#include "harvest/entries.hpp"
#include "harvest/versions.hpp"
#include "serve/world.hpp"
#include "support/feed_rules.hpp"
#include "tables/counters.hpp"

using namespace world;
using namespace std::chrono_literals;

namespace {

using Catch::Matchers::Contains;
using store::Transaction;

// A site with a hub that has one source feed; the clock of the store is its own.
struct SourceWorld : World {
    explicit SourceWorld(serve::Settings settings = settings_with())
        : World(site_with_hub(), std::move(settings)) {
        small.now = *base::parse_rfc3339("2026-11-24T12:00:00Z");
        feed = store::perform(small.pool, store::Access::write, [&](Transaction& transaction) {
            return harvest::add_feed(transaction,
                                     {.url = "https://lab.example/feed", .name = "Lab news"},
                                     small.now)
                ->id;
        });
        url = "/rss?feed=" + std::to_string(feed);
    }
    template <class F>
    auto write(F fn) {
        return store::perform(small.pool, store::Access::write, fn);
    }
    void record(const std::string& id, const std::string& title,
                std::chrono::minutes later = 1min) {
        small.now += later;
        tick += later;
        feed::Entry entry;
        entry.id = id;
        entry.title = title;
        entry.link = "https://lab.example/" + id;
        entry.authors = {{.name = "A. Writer", .mail = {}, .url = {}}};
        entry.categories = {"news"};
        entry.content = "<p>text <script>bad()</script></p>";
        entry.digest = title;
        const std::vector<harvest::ReadyEntry> ready{harvest::make_ready(entry)};
        write([&](Transaction& transaction) {
            return harvest::record_entries(transaction, feed, ready, small.now);
        });
    }
    std::string last_read() {
        return small.query("SELECT last_read FROM feeds WHERE id = 1")[0].text(0);
    }
    std::optional<hub::FeedNews> news(const std::string& topic_url,
                                      const std::string& since = "") {
        const auto found = site.news({.url = site_top + topic_url}, since);
        INFO((found ? "" : found.error().text));
        REQUIRE(found);
        return *found;
    }

    std::int64_t feed = 0;
    std::string url;
};

using Strings = std::vector<std::string>;
Strings titles_of(const support::ReadFeed& feed) {
    Strings titles;
    for (const auto& item : feed.items) titles.push_back(item.title);
    return titles;
}

}  // namespace

TEST_CASE("A copy follows its feed within a minute, and is gone when that is removed") {
    SourceWorld world;
    world.record("a", "First");
    CHECK_THAT(body_of(world.open(world.url)), Contains("First"));
    world.record("b", "Second", 0min);
    CHECK_THAT(body_of(world.open(world.url)), !Contains("Second"));
    world.make_stale();
    CHECK_THAT(body_of(world.open(world.url)), Contains("Second"));
    harvest::remove_feed(world.small.pool, world.feed);
    world.make_stale();
    const auto gone = world.open(world.url);
    CHECK(gone.status == 404);
    CHECK_THAT(body_of(gone), Contains("no source feed with the number 1"));
}

TEST_CASE("Who asks for a copy is noted once a day, and later if the store is away") {
    SourceWorld world;
    world.small.execute("UPDATE feeds SET last_read = '2026-11-01'");
    int writes = 0;
    world.small.store_switch.before_write = [&] { ++writes; };
    CHECK(world.open(world.url).status == 200);
    CHECK(world.last_read() == "2026-11-24");
    const auto first = writes;
    CHECK(first > 0);
    CHECK(world.open(world.url).status == 200);
    world.make_stale();
    CHECK(world.open(world.url).status == 200);
    CHECK(world.open("/rss?feed=9").status == 404);
    CHECK(writes == first);
    world.small.now += 24h;
    world.make_stale();
    const auto refuse = [] { throw store::Failure("full", {.needs_operator = true}, 13); };
    world.small.store_switch.before_write = refuse;
    CHECK(world.open(world.url).status == 200);
    CHECK(world.last_read() == "2026-11-24");
    world.small.store_switch.before_write = nullptr;
    world.make_stale();
    CHECK(world.open(world.url).status == 200);
    CHECK(world.last_read() == "2026-11-25");
}

TEST_CASE(
    "While the store is away a copy that is cached is served, and others are asked for again") {
    SourceWorld world;
    world.record("a", "First");
    CHECK(world.open(world.url).status == 200);
    world.set_store_down(true);
    CHECK(world.open(world.url).status == 200);
    CHECK(world.open(world.url + "&n=1").status == 503);
    CHECK(world.open("/feeds").status == 503);
    // Whoever finds it cached must not keep it for long, also when the store is asked again.
    world.tick += 1min;
    const auto stale = world.open(world.url);
    CHECK(stale.status == 200);
    CHECK(stale.field("Cache-Control") == "public, max-age=60");
    world.set_store_down(false);
    world.tick += 1min;
    CHECK(world.open(world.url).field("Cache-Control") == "public, max-age=3600");
}

TEST_CASE("On a private site copies and the pages of feeds need a token, and links carry it") {
    SourceWorld world(private_settings());
    world.add_token("reader", "secret");
    world.record("a", "First");
    world.record("b", "Second");
    for (const auto* path : {"/rss?feed=1", "/feeds", "/feeds?feed=1", "/feeds?format=opml"}) {
        CHECK(world.open(path).status == 401);
        const auto mark = std::string(path).find('?') == std::string::npos ? "?" : "&";
        CHECK(world.open(path + std::string(mark) + "token=secret").status == 200);
    }
    const auto response = world.open("/rss?feed=1&n=1&token=secret");
    CHECK_THAT(body_of(response), Contains("older=") && Contains("token=secret"));
    const auto read = support::read_rss(*response.body);
    CHECK(world.open(read.older.substr(site_top.size())).status == 200);
    // So does another process.
    SourceWorld other(private_settings());
    other.add_token("reader", "secret");
    other.record("a", "First");
    other.record("b", "Second");
    CHECK(other.open("/rss?feed=1&n=1&token=secret").field("ETag") == response.field("ETag"));
}

TEST_CASE("The news of a copy are its new items, edits included, in each format") {
    for (const auto& format : support::feed_formats) {
        SourceWorld world;
        world.record("a", "First");
        const auto url = world.url + "&format=" + format.format;
        const auto start = world.news(url);
        REQUIRE(start);
        CHECK(start->body.empty());
        CHECK_FALSE(world.news(url, start->position));
        world.record("b", "Second");
        world.record("a", "First edited");
        const auto news = world.news(url, start->position);
        REQUIRE(news);
        CHECK(news->content_type == world.open(url).field("Content-Type"));
        CHECK(format.findings(news->body, site_top + url, world.small.now) == Strings());
        auto titles = titles_of(format.read(news->body));
        REQUIRE(titles.size() == (format.format == std::string("json") ? 3U : 2U));
        CHECK_THAT(titles[0], Contains("Edited: First edited"));
        CHECK(titles[1] == "Second");
        CHECK_FALSE(world.news(url, news->position));
    }
}

TEST_CASE("What was recorded earlier and came later than a look comes with all items, once") {
    SourceWorld world;
    world.record("a", "First");
    const auto url = world.url + "&format=atom";
    world.record("b", "Second");
    const auto start = world.news(url);
    REQUIRE(start);
    world.small.now -= 2min;
    world.record("c", "Late");  // as "First" was
    const auto news = world.news(url, start->position);
    REQUIRE(news);
    CHECK(titles_of(support::read_atom(news->body)) == Strings{"Second", "Late", "First"});
    CHECK_FALSE(world.news(url, news->position));
    // More than a document has.
    for (int i = 0; i < 3; ++i) world.record("d" + std::to_string(i), "D");
    const auto full = world.news(world.url + "&n=2", news->position);
    REQUIRE(full);
    CHECK(support::read_rss(full->body).items.size() == 2);
}

TEST_CASE("Entries that are dropped are no news, and a feed that is removed is gone") {
    SourceWorld world;
    world.record("a", "First");
    world.small.now += 24h * 14;
    world.record("b", "Second");
    const auto start = world.news(world.url);
    REQUIRE(start);
    world.small.execute("DELETE FROM entries WHERE guid = 'a'");
    CHECK_FALSE(world.news(world.url, start->position));
    harvest::remove_feed(world.small.pool, world.feed);
    const auto gone = world.site.news({.url = site_top + world.url}, start->position);
    REQUIRE_FALSE(gone);
    CHECK(gone.error().kind == ErrorKind::absent);
}

TEST_CASE(
    "A subscription of a copy is recorded as one of a source feed, which counts as a reader") {
    SourceWorld world;
    const std::string form =
        "hub.mode=subscribe&hub.callback=https%3A%2F%2Freader.example%2F&hub.topic="
        "https%3A%2F%2Fexample.org%2Fchanges%2Frss%3Ffeed%3D1";
    CHECK(world.post("/hub", form).status == 202);
    const auto rows = world.small.query("SELECT subject, class, name, url FROM topics");
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].text(0) == "source_feed");
    CHECK(rows[0].text(1).empty());
    CHECK(rows[0].text(2) == "1");
    CHECK(rows[0].text(3) == site_top + world.url);
    const auto refused = world.post("/hub", form + "%26older%3D1-1-0");
    CHECK(refused.status == 400);
    CHECK_THAT(body_of(refused), Contains("older="));
}

TEST_CASE("The list of source feeds is a page, JSON and OPML, and shows no validators") {
    SourceWorld world;
    world.write([&](Transaction& transaction) {
        for (int i = 0; i < 150; ++i)
            static_cast<void>(harvest::add_feed(
                transaction, {.url = "https://x.example/" + std::to_string(i)}, world.small.now));
        transaction.execute(
            "UPDATE feeds SET http_etag = CAST('secret-tag' AS BLOB), http_last_modified = "
            "CAST('secret-date' AS BLOB), last_fetch_failures = 5, system_status = 'DNS error'"
            " WHERE url = 'https://x.example/77'");
    });
    CHECK_THAT(body_of(world.open("/feeds")), Contains("151 feeds") && Contains("DNS error") &&
                                                  Contains("1.25") && !Contains("secret-"));
    const auto json = nlohmann::json::parse(*world.open("/feeds?format=json").body);
    CHECK(json["count"] == 151);
    CHECK(json["feeds"].size() == 100);
    CHECK(json["next_url"] == site_top + "/feeds?page=2&format=json");
    const auto& first = json["feeds"][0];
    CHECK(first["url"] == "https://x.example/77");
    CHECK(first["last_fetch_failures"] == 1.25);
    CHECK(json.dump().find("secret-") == std::string::npos);
    const auto rest = nlohmann::json::parse(*world.open("/feeds?page=2&format=json").body);
    CHECK(rest["feeds"].size() == 51);
    CHECK(feed::read_opml(*world.open("/feeds?format=opml").body)->size() == 151);
    CHECK(feed::read_opml(*world.open("/feeds?q=lab&format=opml").body)->size() == 1);
    CHECK(world.open("/feeds?feed=1&format=opml").status == 400);
}

TEST_CASE("Nobody sees the query of a feed's URL or can search for it, unless it is public") {
    SourceWorld world;
    const std::string url = "https://keys.example/feed?key=s3cret";
    world.record("a", "First");
    world.write([&](Transaction& transaction) {
        const auto id =
            harvest::add_feed(transaction, {.url = url, .home_url = url}, world.small.now)->id;
        REQUIRE(harvest::start_archive(transaction, id, url + "&page=2", world.small.now));
        transaction.execute("UPDATE feeds SET moved_to = ? WHERE id = ?",
                            {store::Value{url + "&new"}, store::Value{id}});
        transaction.execute("UPDATE entries SET feed = ?", {store::Value{id}});
    });
    const Strings pages{"/feeds",
                        "/feeds?format=json",
                        "/feeds?format=opml",
                        "/feeds?feed=2",
                        "/feeds?feed=2&format=json",
                        "/rss?feed=2",
                        "/rss?feed=2&format=json"};
    for (const auto& page : pages) {
        const auto answer = world.open(page);
        INFO(page);
        CHECK(answer.status == 200);
        CHECK_THAT(body_of(answer), Contains("keys.example/feed") && !Contains("s3cret"));
    }
    const auto found = [&](const std::string& text) {
        world.tick += 1min;
        return nlohmann::json::parse(*world.open("/feeds?format=json&q=" + text).body)["count"];
    };
    const auto listed = [&] {
        return feed::read_opml(*world.open("/feeds?format=opml&q=keys.example").body)->at(0).url;
    };
    CHECK(found("keys.example%2Ffeed") == 1);
    CHECK(found("%3Fkey") == 0);
    CHECK(feed::read_opml(*world.open("/feeds?format=opml&q=s3cret").body)->empty());
    CHECK(listed() == site_top + "/rss?feed=2");
    CHECK_THAT(body_of(world.open("/feeds?feed=2")), !Contains("Original feed"));
    world.write([&](Transaction& transaction) {
        harvest::set_public_query(transaction, 2, true);
        // A user name is never shown.
        transaction.execute("UPDATE feeds SET home_url = 'https://me:s3cret@keys.example/'");
    });
    world.tick += 1min;
    CHECK(found("s3cret") == 1);
    CHECK(listed() == url);
    CHECK_THAT(body_of(world.open("/feeds?feed=2")),
               Contains("href=\"" + url + "\">Original feed") && !Contains("me:"));
}

TEST_CASE("The page of a feed follows its fetches within a minute") {
    SourceWorld world;
    world.record("a", "First");
    world.small.execute("INSERT INTO fetch_events (feed, created_at, event, note) VALUES"
                        " (1, '2026-11-24T12:00:00Z', 'fetch_succeeded', '0 skipped / 1 added'),"
                        " (1, '2026-11-24T13:00:00Z', 'fetch_succeeded', 'not modified'),"
                        " (1, '2026-11-24T14:00:00Z', 'fetch_failed', 'HTTP 500')");
    CHECK_THAT(body_of(world.open("/feeds?feed=1")),
               Contains("0 something new, 1 nothing new, 1 failed"));
    const auto json = nlohmann::json::parse(*world.open("/feeds?feed=1&format=json").body);
    CHECK(json["feed"]["entries"] == 1);
    CHECK(json["events"][0]["note"] == "HTTP 500");
    CHECK(json["newest"][0]["title"] == "First");
    world.small.execute("UPDATE feeds SET system_status = 'now broken', last_fetch_attempt ="
                        " '2026-11-24T15:00:00Z'");
    CHECK_THAT(body_of(world.open("/feeds?feed=1")), !Contains("now broken"));
    world.tick += 1min;
    CHECK_THAT(body_of(world.open("/feeds?feed=1")), Contains("now broken"));
}

TEST_CASE("The page and the JSON of a feed say that its server asked for a pause") {
    SourceWorld world;
    const auto json_of = [&](const std::string& path) {
        return nlohmann::json::parse(*world.open(path).body);
    };
    world.write([&](Transaction& transaction) {
        transaction.execute("INSERT INTO base_urls (base_url, free_at, held) VALUES"
                            " ('https://lab.example', '2026-11-24T13:00:00Z', 1),"
                            " ('https://other.example', '2026-11-24T14:00:00Z', 1)");
        REQUIRE(
            harvest::start_archive(transaction, 1, "https://lab.example/old", world.small.now));
    });
    const auto one = json_of("/feeds?feed=1&format=json");
    CHECK(one["feed"]["held_until"] == "2026-11-24T13:00:00Z");
    CHECK(one["archive"]["state"] == "walking");
    CHECK(one["archive"]["next_url"] == "https://lab.example/old");
    CHECK(json_of("/feeds?format=json")["feeds"][0]["held_until"] == "2026-11-24T13:00:00Z");
    CHECK_THAT(body_of(world.open("/feeds?feed=1")),
               Contains("none of its feeds is fetched before 24 November 2026, 13:00 UTC."));
    CHECK_THAT(body_of(world.open("/feeds")),
               Contains("server on hold until 24 November 2026, 13:00 UTC"));
    world.small.now += 1h;
    world.tick += 1min;
    CHECK(json_of("/feeds?feed=1&format=json")["feed"]["held_until"] == "");
}

TEST_CASE("Monitors see how the harvest goes, and that feeds wait for a harvester") {
    SourceWorld world;
    const auto health = [&] {
        world.tick += 61s;
        return world.open("/healthz");
    };
    CHECK(health().status == 200);
    CHECK_THAT(body_of(world.open("/metrics")), Contains("varve_harvest_due 1\n") &&
                                                    Contains("varve_harvest_due_seconds 0\n") &&
                                                    !Contains("varve_harvest_seen_seconds"));
    world.small.now += 16min;
    auto waiting = health();
    CHECK(waiting.status == 503);
    CHECK_THAT(
        body_of(waiting),
        Contains("\"harvest_fault\":\"a source feed has been due since 2026-11-24T12:00:00Z") &&
            Contains("degraded"));
    CHECK(world.open("/healthz?for=readers").status == 200);
    world.write([&](Transaction& transaction) {
        harvest::note_harvester(transaction, world.small.now);
        tables::count_outcomes(transaction, "harvest_notes", {{"nonew", 3}}, "00");
    });
    waiting = health();
    CHECK(waiting.status == 503);
    CHECK_THAT(body_of(waiting), Contains("although a harvester is running"));
    CHECK_THAT(body_of(world.open("/metrics")),
               Contains("varve_harvest_seen_seconds 0\n") &&
                   Contains("varve_harvest_outcomes_total{outcome=\"nonew\"} 3\n"));
    world.write([&](Transaction& transaction) {
        harvest::set_enabled(transaction, world.feed, false, world.small.now);
    });
    CHECK(health().status == 200);
    World without;
    CHECK_THAT(body_of(without.open("/metrics")), !Contains("harvest"));
}
