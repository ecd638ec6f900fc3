// SPDX-License-Identifier: MIT
#include "harvest/feeds.hpp"

#include <stdexcept>

#include "base/utf8.hpp"
#include "harvest/archives.hpp"
#include "harvest_store.hpp"
#include "tables/counters.hpp"

using namespace harvest;
using namespace std::chrono_literals;
using support::HarvestStore;

namespace {

using Ids = std::vector<std::int64_t>;

AddedFeed added(HarvestStore& store, const NewFeed& feed) {
    return store.call(add_feed, feed, store.now).value();
}

std::string found(HarvestStore& store, const std::string& which) {
    const auto feed = store.call(find_feed, which);
    return feed ? feed->url : feed.error().text;
}

Ids listed(HarvestStore& store, std::int64_t after, const std::string& text,
           std::size_t most = 100) {
    Ids ids;
    for (const auto& feed : store.call(list_feeds, after, text, most, Audience::operators))
        ids.push_back(feed.id);
    return ids;
}

std::size_t kicked(HarvestStore& store, const std::string& which) {
    return store.call(kick, which, store.now).all();
}

void enable(HarvestStore& store, std::int64_t feed, bool enabled) {
    store.call(set_enabled, feed, enabled, store.now);
}

bool removed(HarvestStore& store, std::int64_t feed) { return remove_feed(store.pool, feed); }

}  // namespace

TEST_CASE("A feed that is added is due at once, and is there once however its URL is spelled") {
    HarvestStore store(GENERATE(support::engines()));
    const auto first =
        added(store, {" HTTP://A.example:80/%7efeed?x ", "Näme", "http://a.example/"});
    CHECK(first.is_new);
    const auto row = store.feed(first.id);
    CHECK(row.url == "HTTP://A.example:80/%7efeed?x");
    CHECK(row.base_url == "http://a.example");
    CHECK(row.name == "Näme");
    CHECK(row.home_url == "http://a.example/");
    CHECK(row.created_at == store.now);
    CHECK(row.next_fetch_attempt == store.now);
    CHECK(row.last_read == *base::parse_date("2008-04-01"));
    CHECK(row.system_enabled);
    CHECK_FALSE(row.queued);
    CHECK_FALSE(row.last_fetch_attempt);
    CHECK(row.display_name() == "Näme");
    store.now += 1h;
    const auto again = added(store, {"http://a.example/~feed?x", "other"});
    CHECK_FALSE(again.is_new);
    CHECK(again.id == first.id);
    CHECK(store.feed(first.id) == row);
    CHECK(added(store, {"http://a.example/~feed"}).is_new);
    CHECK(added(store, {"https://a.example/~feed?x"}).is_new);
}

TEST_CASE("A feed of a host that is not ASCII is added and found by either spelling") {
    HarvestStore store(GENERATE(support::engines()));
    const auto first = added(store, {"http://bücher.example/würmer", "", ""});
    CHECK(store.feed(first.id).url == "http://xn--bcher-kva.example/w%C3%BCrmer");
    CHECK(added(store, {"http://xn--bcher-kva.example/w%C3%BCrmer", "", ""}).id == first.id);
    CHECK(kicked(store, "http://BÜCHER.example/würmer") == 1);
}

TEST_CASE("A feed without a name is shown with its title, else with its URL") {
    FeedRow feed;
    feed.url = "http://a.example/";
    CHECK(feed.display_name() == "http://a.example/");
    feed.rss_title = "T";
    CHECK(feed.display_name() == "T");
    feed.name = "N";
    CHECK(feed.display_name() == "N");
}

TEST_CASE("What cannot be fetched is no feed, and hostile names are made legal and short") {
    HarvestStore store(GENERATE(support::engines()));
    for (const auto* url : {"", "a.example", "ftp://a.example/", "http://[::1]/",
                            "http://a.example/#x", "http://127.1/", "http://u:p@a.example/"})
        CHECK_FALSE(store.call(add_feed, NewFeed{.url = url}, store.now));
    const auto feed =
        added(store, {"http://a.example/", std::string(300, 'x') + "ä", "bad \xff\x01 home"});
    CHECK(store.feed(feed.id).name == std::string(255, 'x'));
    CHECK(base::is_legal_text(store.feed(feed.id).home_url));
    const auto longest = "http://a.example/" + std::string(net::longest_url - 17, 'x');
    CHECK(store.feed(added(store, {longest}).id).url == longest);
    CHECK_FALSE(store.call(add_feed, NewFeed{.url = longest + "x"}, store.now));
}

TEST_CASE("A feed that is deleted leaves nothing") {
    HarvestStore store(GENERATE(support::engines()));
    const auto gone = added(store, {"http://a.example/"}).id;
    const auto stays = added(store, {"http://b.example/"}).id;
    for (const auto feed : {gone, stays}) {
        const auto id = std::to_string(feed);
        store.execute("INSERT INTO entries (id, feed, guid, guid_digest, seen_digest, "
                      "first_seen, last_seen, tree, content) VALUES (" +
                      id + ", " + id + ", 'g', 'd', 's', 'f', 'l', x'', x'')");
        store.execute(
            "INSERT INTO entry_changes (entry, feed, revision, created_at, notes) VALUES (" + id +
            ", " + id + ", 1, 't', '')");
        store.execute(
            "INSERT INTO mentions (class, name, first_seen, entry, mentioned_at) VALUES "
            "('Gene', 'x', 'f', " +
            id + ", 't')");
        store.execute("INSERT INTO archives (feed, kind, state, started_at) VALUES (" + id +
                      ", 'k', 's', 't')");
        store.execute("INSERT INTO known_urls (feed, url_digest) VALUES (" + id + ", 'u')");
    }
    (void)store.claim();
    CHECK(removed(store, gone));
    CHECK_FALSE(removed(store, gone));
    for (const std::string table : {"feeds", "entries", "entry_changes", "mentions", "archives",
                                    "known_urls", "fetch_events"})
        CHECK(store.value("SELECT COUNT(*) FROM " + table) == "1");
    CHECK(listed(store, 0, "") == Ids{stays});
}

TEST_CASE("A disabled feed is not fetched, and an enabled one at once") {
    HarvestStore store(GENERATE(support::engines()));
    const auto feed = added(store, {"http://a.example/"}).id;
    enable(store, feed, false);
    CHECK_FALSE(store.feed(feed).system_enabled);
    CHECK(store.claim().empty());
    CHECK(kicked(store, "") == 0);
    store.execute("UPDATE feeds SET last_fetch_failures = 121");
    store.now += 1h;
    enable(store, feed, true);
    CHECK(store.feed(feed).last_fetch_failures == 0);
    CHECK(store.feed(feed).next_fetch_attempt == store.now);
    REQUIRE(store.claim().size() == 1);
    const auto claimed = store.feed(feed);
    enable(store, feed, true);
    CHECK(store.feed(feed) == claimed);
    enable(store, 77, true);
    enable(store, 77, false);
}

TEST_CASE("All feeds, those of a base URL, or one are kicked") {
    HarvestStore store(GENERATE(support::engines()));
    const auto home = added(store, {"http://a.example/"}).id;
    const auto first = added(store, {"http://a.example/1"}).id;
    const auto second = added(store, {"http://a.example:8080/2"}).id;
    const auto put_off = [&] {
        store.execute("UPDATE feeds SET next_fetch_attempt = '2009-01-01T00:00:00Z'");
    };
    const auto due = [&] {
        Ids ids;
        for (const auto feed : {home, first, second})
            if (store.feed(feed).next_fetch_attempt == store.now) ids.push_back(feed);
        return ids;
    };
    put_off();
    CHECK(kicked(store, "") == 3);
    CHECK(due() == Ids{home, first, second});
    CHECK(kicked(store, "") == 3);
    put_off();
    CHECK(kicked(store, "http://A.example:80/1") == 1);
    CHECK(due() == Ids{first});
    put_off();
    CHECK(kicked(store, "http://a.example:8080") == 1);
    CHECK(due() == Ids{second});
    put_off();
    // It is the URL of a feed and a base URL.
    CHECK(kicked(store, "http://a.example") == 2);
    CHECK(due() == Ids{home, first});
    removed(store, home);
    put_off();
    CHECK(kicked(store, "http://a.example/") == 1);
    put_off();
    for (const auto* nothing : {"http://a.example/none", "http://b.example", "a.example", "x"})
        CHECK(kicked(store, nothing) == 0);
}

TEST_CASE("A feed that is kicked during its fetch is fetched again, and that result counts") {
    HarvestStore store(GENERATE(support::engines()));
    const auto feed = store.add("http://a.example/1");
    const auto first = store.claim();
    CHECK(store.call(kick, "", store.now) == Kicked{.due = 1});
    CHECK(store.claim().empty());  // requests stay spaced
    store.now += 5s;
    CHECK(store.finish(first.at(0)) == 0);
    CHECK(store.claim().empty());
    store.now += 2s;
    const auto second = store.claim();
    REQUIRE(second.size() == 1);
    CHECK(store.finish(second.at(0)) == 1);
    CHECK(store.feed(feed).next_fetch_attempt == store.now + 1h);
}

TEST_CASE("A kick tells of feeds whose server asked for a pause") {
    HarvestStore store(GENERATE(support::engines()));
    store.add("http://a.example/1");
    store.add("http://a.example/2");
    store.add("http://b.example/");
    const auto claimed = store.claim(1);
    auto busy = store.fetch_of(claimed.at(0));
    busy.hold_base_until = store.now + 1h;
    store.finish({busy});
    const auto told = [&](const char* which) { return store.call(kick, which, store.now); };
    CHECK(told("") == Kicked{.due = 1, .held = 2, .held_until = store.now + 1h});
    CHECK(told("http://a.example/2") == Kicked{.held = 1, .held_until = store.now + 1h});
    store.now += 1h;
    CHECK(told("http://a.example") == Kicked{.due = 2});
}

TEST_CASE(
    "A feed with many entries is deleted part by part, and again where it was interrupted") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    HarvestStore store(fresh.connect());
    const auto feed = store.add("http://a.example/1");
    store.write([](store::Transaction& transaction) {
        for (std::int64_t i = 1; i <= 1200; ++i)
            transaction.execute(
                "INSERT INTO entries (id, feed, guid, guid_digest, seen_digest, first_seen,"
                " last_seen, tree, content) VALUES (?, 1, ?, ?, '', '', '', ?, ?)",
                {store::Value{i}, store::Value{std::to_string(i)},
                 store::Value{std::to_string(i)}, store::Value{store::Blob{""}},
                 store::Value{store::Blob{""}}});
    });
    int deletions = 0;
    const auto interrupt = [&](support::Statement, std::string_view sql) {
        if (sql.starts_with("DELETE FROM entries") && ++deletions == 10)
            throw std::runtime_error("interrupted");
    };
    store::Pool watched_pool(support::watched(fresh.connect(), interrupt), 1);
    CHECK_THROWS_AS(remove_feed(watched_pool, feed), std::runtime_error);
    CHECK(store.value("SELECT COUNT(*) FROM entries") == "700");
    CHECK(store.claim().empty());
    CHECK(remove_feed(store.pool, feed));
    CHECK(store.value("SELECT COUNT(*) FROM entries") == "0");
    CHECK_FALSE(remove_feed(store.pool, feed));
}

TEST_CASE("A feed is found by its id, its URL, or a part of its URL, name or title") {
    HarvestStore store(GENERATE(support::engines()));
    const auto first = added(store, {"http://a.example/news", "The Lab"}).id;
    const auto second = added(store, {"http://b.example/toc", "50% _off_"}).id;
    store.execute("UPDATE feeds SET rss_title = 'Journal' WHERE id = " + std::to_string(second));
    CHECK(found(store, std::to_string(second)) == "http://b.example/toc");
    CHECK(found(store, "999") == "no feed has the id 999");
    CHECK(found(store, "http://A.example:80/news") == "http://a.example/news");
    CHECK(found(store, "toc") == "http://b.example/toc");
    CHECK(found(store, "Lab") == "http://a.example/news");
    CHECK(found(store, "Journal") == "http://b.example/toc");
    CHECK(found(store, "% _") == "http://b.example/toc");
    CHECK(found(store, "example") == "several feeds have this in their URL or name: example");
    CHECK(found(store, "nothing") == "no feed has this id, URL or name: nothing");
    CHECK(listed(store, 0, "") == Ids{first, second});
    CHECK(listed(store, 0, "", 1) == Ids{first});
    CHECK(listed(store, first, "") == Ids{second});
    CHECK(listed(store, 0, "%") == Ids{second});
    CHECK(listed(store, second, "").empty());
    CHECK_FALSE(store.write([](store::Transaction& transaction) {
        return load_feed(transaction, 999, Audience::operators).has_value();
    }));
}

TEST_CASE("What a fetch learns of a feed is kept as it was, cut at its limits") {
    HarvestStore store(GENERATE(support::engines()));
    const auto id = added(store, {"http://a.example/"}).id;
    const auto claimed = store.claim();
    auto fetch = store.fetch_of(claimed.at(0));
    auto& after = fetch.after;
    after.rss_title = "Tïtle \xf0\x9f\x90\x9b";
    after.description = "D";
    after.home_url = "http://a.example/home";
    after.language = "de";
    after.system_status = "HTTP 404 Not Found";
    after.last_fetch_hash = std::string(32, 'a');
    after.last_fetch_failures = 7;
    after.http_etag = "W/\"\xe4\xff\"";
    after.http_last_modified = "\xfc";
    after.http_304 = true;
    after.update_minutes = 60;
    after.skip_hours.set(0).set(23);
    after.skip_days.set(0).set(6);
    after.poll_minutes = 90;
    after.last_new_stories = store.now;
    after.last_full_fetch = store.now - 1h;
    after.moved_to = "http://b.example/";
    store.finish({fetch});
    after.queued = false;
    CHECK(store.feed(id) == after);
    store.now += 1h;
    const auto second = store.claim();
    auto long_one = store.fetch_of(second.at(0));
    std::string text;
    for (int i = 0; i < 2000; ++i) text += "ä";
    long_one.after.rss_title = long_one.after.description = text;
    long_one.after.home_url = long_one.after.language = long_one.after.system_status = text;
    long_one.note = text;
    store.finish({long_one});
    const auto cut = store.feed(id);
    CHECK(cut.rss_title.size() == 512);
    CHECK(cut.description.size() == 1000);
    CHECK(cut.language.size() == 32);
    CHECK(cut.system_status.size() == 254);
}

TEST_CASE("A fetch after which our copy shows other texts makes the hub look at it") {
    HarvestStore store(GENERATE(support::engines()));
    const auto id = store.add("http://a.example/"), other = store.add("http://b.example/");
    (void)store.is_marked(other);
    const auto moves = [&](const std::function<void(FeedRow&)>& change) {
        (void)store.is_marked(id);
        store.now += 2h;
        std::vector<FinishedFetch> fetches;
        const auto claimed = store.claim();
        for (const auto& one : claimed) {
            fetches.push_back(store.fetch_of(one));
            if (one.feed.id == id) change(fetches.back().after);
        }
        store.finish(fetches);
        return store.is_marked(id);
    };
    CHECK(moves([](FeedRow& row) { row.rss_title = "T"; }) == 1);
    CHECK(moves([](FeedRow& row) { row.description = "D"; }) == 1);
    CHECK(moves([](FeedRow& row) { row.home_url = "http://a.example/home"; }) == 1);
    CHECK(moves([](FeedRow& row) { row.language = "de"; }) == 1);
    CHECK(moves([](FeedRow& row) { row.url = "http://c.example/"; }) == 1);
    CHECK(moves([](FeedRow& row) {
              row.http_etag = "W/\"1\"";
              row.last_fetch_hash = std::string(32, 'a');
          }) == 0);
    const auto be_long = [](FeedRow& row) { row.description = std::string(2000, 'x'); };
    CHECK(moves(be_long));
    CHECK_FALSE(moves(be_long));
    CHECK_FALSE(store.is_marked(other));
}

TEST_CASE("An archive whose next page waits for more than an hour is a fault") {
    HarvestStore store(GENERATE(support::engines()));
    const auto feed = added(store, {"http://a.example/"}).id;
    const auto fault = [&] {
        return fault_of(store.call(harvest_numbers, store.now), store.now);
    };
    (void)store.finish(store.claim(1).at(0));
    const auto begin = store.now += 2s;
    REQUIRE(store.call(start_archive, feed, "http://a.example/old", begin));
    store.execute("UPDATE feeds SET next_fetch_attempt = '2099-01-01T00:00:00Z'");
    store.now = begin + 60min;
    CHECK(fault().empty());
    store.now += 1s;
    CHECK(fault().starts_with("the next page of an archive has been due since " +
                              base::format_rfc3339(begin)));
    CHECK(fault().ends_with("start varve harvest"));
    store.execute("UPDATE feeds SET system_enabled = 0");
    CHECK(fault().empty());
}

TEST_CASE("Numbers are those of the tables") {
    HarvestStore store(GENERATE(support::engines()));
    const auto numbers = [&] { return store.call(harvest_numbers, store.now); };
    CHECK(numbers().feeds == 0);
    CHECK_FALSE(numbers().due_since);
    CHECK_FALSE(numbers().harvested_at);
    store.call(note_harvester, store.now);
    const auto first = added(store, {"http://a.example/"}).id;
    added(store, {"http://b.example/"});
    added(store, {"http://c.example/"});
    enable(store, first, false);
    store.execute("UPDATE feeds SET last_fetch_failures = 2 WHERE url = 'http://c.example/'");
    store.now += 1min;
    auto seen = numbers();
    CHECK(seen.feeds == 3);
    CHECK(seen.disabled == 1);
    CHECK(seen.failing == 1);
    CHECK(seen.due == 2);
    CHECK(seen.queued == 0);
    CHECK(seen.due_since == store.now - 1min);
    CHECK(seen.harvested_at == store.now - 1min);
    (void)store.claim(1);
    seen = numbers();
    CHECK(seen.due == 1);
    CHECK(seen.queued == 1);
    // A claim whose harvester has died does not hide that its feed waits.
    store.now += store::claim_lasts + 1s;
    CHECK(numbers().due == 2);
}
