// SPDX-License-Identifier: MIT
#include "harvest/claims.hpp"

#include <algorithm>
#include <set>
#include <thread>

#include "harvest_store.hpp"

using namespace harvest;
using namespace std::chrono_literals;
using support::HarvestStore;

namespace {

std::vector<std::int64_t> ids_of(const std::vector<ClaimedFeed>& claimed) {
    std::vector<std::int64_t> ids;
    for (const auto& one : claimed) ids.push_back(one.feed.id);
    return ids;
}

using Ids = std::vector<std::int64_t>;

bool is_due(HarvestStore& store) {
    return store.call(is_any_due, feed_queue, store.now, store.now);
}

bool is_ours(HarvestStore& store, const ClaimedFeed& claimed) {
    return store.call(store::has_claim, feed_queue.rows, claimed.feed.id, claimed.claim);
}

bool take_base(HarvestStore& store, std::int64_t claim,
               const std::string& base_url = "http://a.example") {
    return store.call(claim_base_url, base_url, claim, store.now);
}
void free_base(HarvestStore& store, std::int64_t claim,
               const std::string& base_url = "http://a.example") {
    store.call(release_base_url, base_url, claim, store.now, std::nullopt);
}

// What a claim and a finished fetch leave, but for ids, which faults use up.
std::vector<std::string> what_is_left(HarvestStore& store) {
    auto rows = store.rows("SELECT url, base_url, system_enabled, system_status, "
                           "last_fetch_attempt, next_fetch_attempt FROM feeds ORDER BY url");
    for (const auto* sql :
         {"SELECT f.url, e.created_at, e.event, e.note FROM fetch_events e JOIN feeds f ON f.id ="
          " e.feed ORDER BY f.url, e.id",
          "SELECT base_url, free_at, held FROM base_urls ORDER BY base_url"})
        for (auto& row : store.rows(sql)) rows.push_back(std::move(row));
    return rows;
}

}  // namespace

TEST_CASE("Feeds that are due are claimed once, those that wait longest first") {
    HarvestStore store(GENERATE(support::both_engines()));
    const auto late = store.add("http://a.example/1");
    store.now += 1s;
    const auto later = store.add("https://a.example/2");
    store.now += 1s;
    const auto last = store.add("http://a.example:8080/3");
    const auto first = store.claim(2);
    CHECK(ids_of(first) == Ids{late, later});
    CHECK(first.at(0).feed.url == "http://a.example/1");
    CHECK(first.at(0).base_url == "http://a.example");
    CHECK(first.at(0).claimed_at == store.now);
    CHECK(store.feed(late).queued);
    CHECK(store.events(late) == "queued");
    CHECK(is_due(store));
    CHECK(ids_of(store.claim()) == Ids{last});
    CHECK_FALSE(is_due(store));
    CHECK(store.claim().empty());
    CHECK(is_ours(store, first.at(0)));
    CHECK(store.finish(first.at(0)) == 1);
    CHECK(store.events(late) == "queued; fetch_succeeded 0 skipped / 0 added");
    CHECK_FALSE(store.feed(late).queued);
    CHECK_FALSE(is_ours(store, first.at(0)));
    CHECK(is_ours(store, first.at(1)));
    store.now += 1h - 1s;
    CHECK(ids_of(store.claim()) == Ids{later, last});
    store.now += 1s;
    CHECK(ids_of(store.claim()) == Ids{late});
}

TEST_CASE("Of one base URL one feed is claimed at a time, and the others keep their places") {
    HarvestStore store(GENERATE(support::both_engines()));
    Ids feeds;
    for (const auto* url : {"/1", "/2", "/3"}) {
        feeds.push_back(store.add("http://a.example" + std::string(url)));
        store.now += 1s;
    }
    const auto other = store.add("http://b.example/");
    const auto claim_one = [&] {
        const auto claimed = store.claim(1);
        REQUIRE(claimed.size() == 1);
        store.finish(claimed.at(0));
        store.now += 2s;
        return claimed.at(0).feed.id;
    };
    const auto first = store.claim();
    CHECK(ids_of(first) == Ids{feeds[0], other});
    CHECK(store.claim().empty());
    CHECK(is_due(store));
    store.finish(first.at(0));
    store.now += 1s;
    CHECK(store.claim().empty());
    store.now += 1s;
    CHECK(claim_one() == feeds[1]);
    CHECK(claim_one() == feeds[2]);
    CHECK_FALSE(is_due(store));
}

TEST_CASE(
    "Feeds that wait for others of their base URL are no fault, those that nobody fetches are") {
    HarvestStore store(GENERATE(support::both_engines()));
    const auto fault = [&] {
        return fault_of(store.call(harvest_numbers, store.now), store.now);
    };
    for (const auto* url : {"/1", "/2", "/3"}) store.add("http://a.example" + std::string(url));
    store.now += 1h;
    const auto first = store.claim(1);
    CHECK(store.call(harvest_numbers, store.now).due == 0);
    auto busy = store.fetch_of(first.at(0));
    busy.hold_base_until = store.now + 10h;
    store.finish({busy});
    store.now += 9h;
    CHECK(fault().empty());
    CHECK_FALSE(is_due(store));
    store.now += 1h + 15min;
    CHECK(fault().empty());
    CHECK(is_due(store));
    store.now += 1s;
    CHECK(
        fault().starts_with("3 source feeds are due, the first one since 2008-04-01T23:00:00Z"));
}

TEST_CASE("Between two requests to a base URL at least a second passes") {
    HarvestStore store(GENERATE(support::engines()));
    const auto feed = store.add("http://a.example/1");
    store.finish(store.claim().at(0));
    store.call(kick, "", store.now);
    // Times have whole seconds: the request may have ended at the end of this one.
    store.now += 1s;
    CHECK(store.claim().empty());
    store.now += 1s;
    CHECK(ids_of(store.claim()) == Ids{feed});
}

TEST_CASE("A claim ends, and what comes after its end changes nothing") {
    HarvestStore store(GENERATE(support::both_engines()));
    const auto feed = store.add("http://a.example/1");
    const auto first = store.claim();
    store.now += store::claim_lasts - 1s;
    CHECK(store.claim().empty());
    store.now += 1s;
    const auto second = store.claim();
    REQUIRE(ids_of(second) == Ids{feed});
    CHECK_FALSE(is_ours(store, first.at(0)));
    CHECK(is_ours(store, second.at(0)));
    const auto before = what_is_left(store);
    CHECK(store.finish(first.at(0)) == 0);
    CHECK(what_is_left(store) == before);
    CHECK(store.finish(second.at(0)) == 1);
    CHECK(store.finish(second.at(0)) == 0);
}

TEST_CASE("A server that asks for a pause gets it from all of its feeds") {
    HarvestStore store(GENERATE(support::engines()));
    const auto feed = store.add("http://a.example/1"), elsewhere = store.add("http://b.example/");
    store.add("http://a.example/2");
    const auto first = store.claim();
    CHECK(ids_of(first) == Ids{feed, elsewhere});
    auto fetch = store.fetch_of(first.at(0));
    fetch.hold_base_until = store.now + 1h;
    store.finish({fetch, store.fetch_of(first.at(1))});
    store.now += 30min;
    CHECK(store.claim().empty());
    CHECK_FALSE(take_base(store, 77));
    store.now += 30min;
    auto second = store.claim();
    std::ranges::sort(second, {}, [](const ClaimedFeed& one) { return one.feed.id; });
    REQUIRE(second.size() == 2);
    CHECK(second[0].feed.id == elsewhere);
    CHECK(second[1].base_url == "http://a.example");
}

TEST_CASE("A feed moves to its new URL, and is disabled if another one has that") {
    HarvestStore store(GENERATE(support::engines()));
    const auto old = store.add("http://a.example/1"), older = store.add("http://c.example/1"),
               there = store.add("http://b.example/new");
    const auto move_to = [&](const std::string& url) {
        const auto claimed = store.claim();
        std::vector<FinishedFetch> fetches;
        for (const auto& one : claimed) fetches.push_back(store.fetch_of(one));
        for (auto& fetch : fetches) fetch.after.url = url;
        CHECK(store.finish(fetches) == claimed.size());
    };
    move_to("http://b.example/new");
    for (const auto feed : {old, older}) {
        CHECK_FALSE(store.feed(feed).system_enabled);
        CHECK_FALSE(store.feed(feed).next_fetch_attempt);
        CHECK(store.feed(feed).system_status == "moved to the URL of another feed");
        CHECK(store.events(feed) == "queued; fetch_disabled moved to the URL of another feed");
    }
    CHECK(store.feed(there).system_enabled);
    CHECK(store.events(there) == "queued; fetch_succeeded 0 skipped / 0 added");
    // Two of them in one transaction.
    store.now += 1h;
    const auto other = store.add("http://d.example/1");
    move_to("https://E.example:443/");
    CHECK(store.feed(there).url == "https://E.example:443/");
    CHECK(store.feed(there).base_url == "https://e.example");
    CHECK_FALSE(store.feed(other).system_enabled);
    CHECK(store.add("https://e.example/") == there);
    CHECK(store.add("http://b.example/new") != there);
}

TEST_CASE("A feed that is disabled or deleted during its fetch stays so") {
    HarvestStore store(GENERATE(support::engines()));
    const auto feed = store.add("http://a.example/1");
    const auto gone = store.add("http://b.example/1");
    const auto claimed = store.claim();
    store.call(set_enabled, feed, false, store.now);
    remove_feed(store.pool, gone);
    for (const auto& one : claimed) CHECK_FALSE(is_ours(store, one));
    CHECK(store.finish({store.fetch_of(claimed.at(0)), store.fetch_of(claimed.at(1))}) == 0);
    CHECK_FALSE(store.feed(feed).system_enabled);
    CHECK_FALSE(store.feed(feed).next_fetch_attempt);
    CHECK(store.value("SELECT COUNT(*) FROM fetch_events WHERE feed = " + std::to_string(gone)) ==
          "0");
    store.now += 24h;
    CHECK(store.claim().empty());
}

TEST_CASE("A disabled feed that an operator enables during its weekly try stays enabled") {
    HarvestStore store(GENERATE(support::engines()));
    const auto feed = store.add("http://a.example/1");
    store.execute("UPDATE feeds SET system_enabled = 0, last_fetch_failures = 121");
    const auto claimed = store.claim();
    REQUIRE(claimed.size() == 1);
    store.call(set_enabled, feed, true, store.now);
    auto fetch = store.fetch_of(claimed.at(0));
    fetch.after.system_enabled = false;
    CHECK(store.finish({fetch}) == 0);
    CHECK(store.feed(feed).system_enabled);
    CHECK(store.feed(feed).last_fetch_failures == 0);
    store.now += 2s;
    CHECK(ids_of(store.claim()) == Ids{feed});
}

TEST_CASE("A base URL is claimed for other requests, too") {
    HarvestStore store(GENERATE(support::both_engines()));
    CHECK(take_base(store, 5));
    CHECK_FALSE(take_base(store, 6));
    const auto feed = store.add("http://a.example/1");
    CHECK(store.claim().empty());
    free_base(store, 6);
    CHECK_FALSE(take_base(store, 6));
    free_base(store, 5);
    store.now += 1s;
    CHECK_FALSE(take_base(store, 6));
    store.now += 1s;
    CHECK(ids_of(store.claim()) == Ids{feed});
    CHECK_FALSE(take_base(store, 6));
    store.now += store::claim_lasts;
    CHECK(take_base(store, 6));
}

TEST_CASE("Readers are the subscriptions in force, and whoever asked within 30 days") {
    HarvestStore store(GENERATE(support::engines()));
    const auto feed = store.add("http://a.example/1");
    const auto readers = [&] {
        store.execute("UPDATE feeds SET claim = 0, next_fetch_attempt = '2008-01-01T00:00:00Z'");
        store.execute("DELETE FROM base_urls");
        return store.claim().at(0).readers;
    };
    CHECK(readers() == 1);
    store.now += 30 * 24h;
    CHECK(readers() == 0);
    store.call(note_read, feed, std::chrono::floor<std::chrono::days>(store.now));
    CHECK(readers() == 1);
    store.call(note_read, feed, *base::parse_date("2008-01-01"));
    CHECK(readers() == 1);
}

TEST_CASE("The newest hundred events of each feed are kept, and base URLs that are needed") {
    HarvestStore store(GENERATE(support::engines()));
    const auto busy = store.add("http://a.example/1"), quiet = store.add("http://b.example/1");
    store.write([&](store::Transaction& transaction) {
        for (int i = 1; i <= 201; ++i)
            transaction.execute("INSERT INTO fetch_events (feed, created_at, event, note)"
                                " VALUES (?, '2008-01-01T00:00:00Z', 'queued', ?)",
                                {store::Value{busy}, store::Value{std::to_string(i)}});
        for (int i = 0; i < 200; ++i)
            transaction.execute("INSERT INTO fetch_events (feed, created_at, event)"
                                " VALUES (?, '2008-01-01T00:00:00Z', 'queued')",
                                {store::Value{quiet}});
    });
    CHECK(take_base(store, 1, "http://old.example"));
    free_base(store, 1, "http://old.example");
    store.now += 48h + 3s;
    CHECK(take_base(store, 1, "http://new.example"));
    const auto sweep_once = [&] { store.call(sweep, store.now); };
    sweep_once();
    CHECK(store.value("SELECT COUNT(*) FROM fetch_events WHERE feed = " +
                      std::to_string(quiet)) == "200");
    CHECK(store.events(busy).starts_with("queued 102; "));
    CHECK(store.events(busy).ends_with("; queued 201"));
    CHECK(store.rows("SELECT base_url FROM base_urls") ==
          std::vector<std::string>{"'http://new.example'"});
    sweep_once();
    CHECK(store.events(busy).starts_with("queued 102; "));
}

TEST_CASE("Base URLs that nobody needs are deleted a thousand at a time") {
    HarvestStore store(GENERATE(support::engines()));
    store.write([&](store::Transaction& transaction) {
        for (int i = 0; i < 1500; ++i)
            transaction.execute("INSERT INTO base_urls (base_url) VALUES (?)",
                                {store::Value{"http://" + std::to_string(10'000 + i)}});
    });
    const auto left_after_sweep = [&] {
        store.call(sweep, store.now);
        return store.value("SELECT COUNT(*) FROM base_urls");
    };
    CHECK(left_after_sweep() == "500");
    CHECK(left_after_sweep() == "0");
}

TEST_CASE("What was written while the clock of the store was ahead is due when it is back") {
    HarvestStore store(GENERATE(support::engines()));
    const auto fetched = store.add("http://a.example/1"),
               claimed = store.add("http://b.example/");
    const auto now = store.now;
    store.now += 24h * 365;
    const auto claims = store.claim();
    REQUIRE(ids_of(claims) == Ids{fetched, claimed});
    auto busy = store.fetch_of(claims.at(0));
    busy.hold_base_until = store.now + 1h;
    store.finish({busy});
    store.execute("INSERT INTO archives (feed, kind, state, started_at, next_attempt) VALUES "
                  "(1, 'feed', 'walking', '', '2009-04-01T00:00:00Z')");
    store.now = now;
    const auto swept = [&] {
        store.call(sweep, store.now);
        return store.rows("SELECT next_fetch_attempt FROM feeds UNION ALL SELECT next_attempt"
                          " FROM archives UNION ALL SELECT free_at FROM base_urls");
    };
    CHECK(swept() == std::vector<std::string>(3, "'2008-04-01T12:00:00Z'"));
    CHECK(ids_of(store.claim()) == Ids{fetched, claimed});
    // No claim lasts until then.
    store.execute("UPDATE base_urls SET free_at = '2008-04-01T13:00:00Z'");
    store.call(sweep, store.now);
    CHECK(store.value("SELECT COUNT(*) FROM base_urls") == "0");
    CHECK(take_base(store, 7));
    CHECK(take_base(store, 7, "http://b.example"));
    // What a rule asks for stays: a week of skipped hours, and a pause of a day.
    store.execute("UPDATE feeds SET next_fetch_attempt = '2008-04-09T15:00:00Z', claim = 0");
    store.execute("UPDATE base_urls SET free_at = '2008-04-02T12:00:00Z', held = 1");
    CHECK(swept() == std::vector<std::string>{"'2008-04-09T15:00:00Z'", "'2008-04-09T15:00:00Z'",
                                              "'2008-04-01T12:00:00Z'", "'2008-04-02T12:00:00Z'",
                                              "'2008-04-02T12:00:00Z'"});
}

TEST_CASE("A round over all feeds goes on where any harvester has left it") {
    HarvestStore store(GENERATE(support::engines()));
    const auto part = [&](std::size_t most) {
        return store.write([&](store::Transaction& transaction) {
            const auto range = next_of_round(transaction, "round of tests", most);
            note_round(transaction, "round of tests", range.last);
            return range;
        });
    };
    Ids feeds;
    for (int i = 0; i < 5; ++i)
        feeds.push_back(store.add("http://a.example/" + std::to_string(i)));
    auto range = part(2);
    CHECK((range.after == 0 && range.last == feeds[1]));
    range = part(2);
    CHECK((range.after == feeds[1] && range.last == feeds[3]));
    range = part(2);
    CHECK((range.after == feeds[3] && range.last > feeds[4]));
    range = part(10);
    CHECK((range.after == 0 && range.last > feeds[4]));
    range = part(2);
    CHECK((range.after == 0 && range.last == feeds[1]));
}

TEST_CASE("Harvesters that claim at once never get the same feed or base URL") {
    const support::FreshStore fresh(GENERATE(support::both_engines()));
    const auto connect = fresh.connect();
    HarvestStore store(connect);
    for (int i = 0; i < 60; ++i)
        store.add("http://" + std::to_string(i % 20) + ".example/" + std::to_string(i));
    std::vector<std::vector<ClaimedFeed>> claimed(4);
    std::vector<std::thread> harvesters;
    for (std::size_t i = 0; i < claimed.size(); ++i)
        harvesters.emplace_back([&, i] {
            HarvestStore own(connect);
            own.next_claim = static_cast<std::int64_t>(1000 * (i + 1));
            for (int round = 0; round < 5; ++round)
                for (auto& one : own.claim(7)) claimed[i].push_back(std::move(one));
        });
    for (auto& harvester : harvesters) harvester.join();
    std::set<std::int64_t> feeds;
    std::set<std::string> base_urls;
    for (const auto& some : claimed)
        for (const auto& one : some) {
            CHECK(feeds.insert(one.feed.id).second);
            CHECK(base_urls.insert(one.base_url).second);
        }
    CHECK(base_urls.size() == 20);
}

TEST_CASE("A claim that fails at any statement is made once, or ends by itself") {
    support::with_each_fault(
        [](HarvestStore& store) {
            store.add("http://a.example/1");
            store.add("http://a.example/2");
            store.add("http://b.example/1");
        },
        [](HarvestStore& store) { (void)store.claim(); },
        [](HarvestStore& good, HarvestStore& after, support::Fault) {
            CHECK(what_is_left(after) == what_is_left(good));
            after.now += store::claim_lasts;
            CHECK(after.claim().size() == 2);
        });
}

TEST_CASE("Fetches that fail to be finished at any statement are finished once") {
    support::with_each_fault(
        [](HarvestStore& store) {
            store.add("http://a.example/1");
            store.add("http://b.example/1");
            store.add("http://c.example/new");
            (void)store.claim();
        },
        [](HarvestStore& store) {
            std::vector<ClaimedFeed> claimed(2);
            for (std::size_t i = 0; i < claimed.size(); ++i) {
                claimed[i].feed = store.feed(static_cast<std::int64_t>(i + 1));
                claimed[i].claim = 1;
                claimed[i].base_url = claimed[i].feed.base_url;
            }
            auto moved = store.fetch_of(claimed[0]), known = store.fetch_of(claimed[1]);
            moved.after.url = "http://d.example/1";
            known.after.url = "http://c.example/new";
            store.finish({moved, known});
        },
        [](HarvestStore& good, HarvestStore& after, support::Fault) {
            CHECK(what_is_left(after) == what_is_left(good));
        });
}
