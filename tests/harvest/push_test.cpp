// What hubs send does what it should and nothing else, and a hub that falls silent is found out.
// SPDX-License-Identifier: MIT
#include "harvest/push.hpp"

#include "push_store.hpp"

using namespace std::chrono_literals;
using harvest::HubQuestion;
using support::each_push_store;
using support::links_to_hub;
using support::PushStore;

namespace {

constexpr auto* hub_count = "SELECT COUNT(*) FROM feed_hubs";
constexpr auto* hub_due = "SELECT due_at FROM feed_hubs";
constexpr auto* hub_expiry = "SELECT expires_at FROM feed_hubs";

}  // namespace

TEST_CASE("A hub that a feed names is due to be asked, with a token and a secret of its own") {
    each_push_store([](PushStore& store) {
        store.add_feed(1);
        store.add_feed(2);
        store.note(1);
        store.note(2);
        CHECK(harvest::is_push_token(store.token(1)));
        CHECK(store.token(1) != store.token(2));
        CHECK(store.value("SELECT LENGTH(secret) FROM feed_hubs WHERE feed = 1") == "64");
        CHECK(store.value("SELECT COUNT(DISTINCT secret) FROM feed_hubs") == "2");
        CHECK(store.value("SELECT MIN(due_at) FROM feed_hubs") == "2008-04-01T12:00:00Z");
        CHECK_FALSE(store.is_pushed());
    });
}

TEST_CASE("A feed that says the same of its hub changes nothing") {
    each_push_store([](PushStore& store) {
        store.subscribe();
        const auto token = store.token();
        store.now += 1h;
        store.note();
        CHECK(store.token() == token);
        CHECK(store.is_pushed());
    });
}

TEST_CASE("Another hub or another topic begins anew, and no hub ends it") {
    each_push_store([](PushStore& store) {
        store.add_feed(1);
        for (const auto& links :
             {harvest::HubLinks{"https://other.example/", links_to_hub.topic},
              harvest::HubLinks{links_to_hub.hub_url, "https://a.example/other"}}) {
            store.note();
            store.ask();
            REQUIRE(store.confirm());
            const auto token = store.token();
            store.now += 1h;
            store.note(1, links);
            CHECK(store.token() != token);
            CHECK(store.value(hub_due) == base::format_rfc3339(store.now));
            CHECK_FALSE(store.is_pushed());
        }
        store.note(1, {});
        CHECK(store.value(hub_count) == "0");
        store.note(1, {});
        CHECK(store.value(hub_count) == "0");
    });
}

TEST_CASE("A hub that cannot be asked, or does not know the feed by a URL, is none") {
    each_push_store([](PushStore& store) {
        store.add_feed(1);
        for (const auto& links :
             {harvest::HubLinks{"https://hub.example/", ""},
              harvest::HubLinks{"", "https://a.example/feed"},
              harvest::HubLinks{"ftp://hub.example/", "https://a.example/"},
              harvest::HubLinks{"https://hub.example/#x", "https://a.example/"},
              harvest::HubLinks{"https://hub.example/",
                                "https://a.example/" + std::string(2048, 'x')}}) {
            store.note();
            store.note(1, links);
            CHECK(store.value(hub_count) == "0");
        }
    });
}

TEST_CASE("A token is 32 lower-case hexadecimal digits") {
    const std::string token = "0123456789abcdef0123456789abcdef";
    CHECK(harvest::is_push_token(token));
    for (const auto& other :
         {std::string(), token + "0", token.substr(1), "G" + token.substr(1),
          "A" + token.substr(1), token.substr(1) + "/", token.substr(1) + '\0'})
        CHECK_FALSE(harvest::is_push_token(other));
}

TEST_CASE("A subscription is confirmed if it was asked for, and renewed before its lease ends") {
    each_push_store([](PushStore& store) {
        store.add_feed(1);
        store.note();
        CHECK_FALSE(store.confirm());  // it was not asked for
        store.ask();
        store.now += 1min;
        CHECK(store.confirm(1, 4h));
        CHECK(store.value(hub_expiry) == "2008-04-01T16:01:00Z");
        CHECK(store.value(hub_due) == "2008-04-01T15:01:00Z");
        CHECK(store.value("SELECT failures FROM feed_hubs") == "0");
        CHECK(store.is_pushed());
        store.now += 4h;
        CHECK_FALSE(store.is_pushed());
    });
}

TEST_CASE("A hub that asks twice gets the same answer, within a day") {
    each_push_store([](PushStore& store) {
        store.subscribe();
        store.now += 23h;
        CHECK(store.confirm());
        store.now += 1h;
        CHECK_FALSE(store.confirm());
    });
}

TEST_CASE("Leases are cut at 30 days, and short ones are not renewed without a pause") {
    each_push_store([](PushStore& store) {
        store.subscribe();
        CHECK(store.confirm(1, std::chrono::days(365)));
        CHECK(store.value(hub_expiry) == "2008-05-01T12:00:00Z");
        CHECK(store.confirm(1, 5s));
        CHECK(store.value(hub_expiry) == "2008-04-01T12:00:05Z");
        CHECK(store.value(hub_due) == "2008-04-01T12:10:00Z");
        CHECK(store.answer(store.token(), {.topic = links_to_hub.topic}));
        CHECK(store.value(hub_expiry) == "2008-04-11T12:00:00Z");
    });
}

TEST_CASE("A question about another topic, to another token or for a disabled feed is refused") {
    each_push_store([](PushStore& store) {
        store.add_feed(1);
        store.note();
        store.ask();
        const auto token = store.token();
        CHECK_FALSE(store.answer(token, {.topic = "https://a.example/feed"}));
        CHECK_FALSE(store.answer(token, {.topic = ""}));
        CHECK_FALSE(store.answer(std::string(32, '0'), {.topic = links_to_hub.topic}));
        store.execute("UPDATE feeds SET system_enabled = 0");
        CHECK_FALSE(store.confirm());
        CHECK(store.value(hub_expiry).empty());
        store.execute("UPDATE feeds SET system_enabled = 1");
        CHECK(store.answer(token, {.topic = "HTTPS://a.example:443/feed?x=1"}));
    });
}

TEST_CASE("A hub that refuses is left alone for a week") {
    each_push_store([](PushStore& store) {
        store.subscribe();
        const HubQuestion denial{HubQuestion::Mode::denied, links_to_hub.topic};
        CHECK_FALSE(
            store.answer(store.token(), {HubQuestion::Mode::denied, "https://x.example/"}));
        CHECK(store.is_pushed());
        CHECK(store.answer(store.token(), denial));
        CHECK_FALSE(store.is_pushed());
        CHECK(store.value(hub_due) == "2008-04-08T12:00:00Z");
        CHECK_FALSE(store.confirm());
    });
}

TEST_CASE("A push makes its feed due, once a second at most") {
    each_push_store([](PushStore& store) {
        store.subscribe();
        CHECK(store.push(store.token()));
        CHECK(store.next_fetch() == 0min);
        store.execute("UPDATE feeds SET next_fetch_attempt = '2008-04-02T00:00:00Z'");
        CHECK_FALSE(store.push(store.token()));
        CHECK(store.next_fetch() == 12h);
        store.now += 1s;
        CHECK(store.push(store.token()));
        CHECK(store.next_fetch() == 0min);
    });
}

TEST_CASE("A push does not fetch a feed later, nor one that is disabled, nor others") {
    each_push_store([](PushStore& store) {
        store.subscribe();
        store.add_feed(2);
        store.execute(
            "UPDATE feeds SET next_fetch_attempt = '2008-04-01T11:00:00Z' WHERE id = 1");
        CHECK(store.push(store.token()));
        CHECK(store.value("SELECT next_fetch_attempt FROM feeds WHERE id = 1") ==
              "2008-04-01T11:00:00Z");
        CHECK(store.value("SELECT next_fetch_attempt FROM feeds WHERE id = 2") ==
              "2008-04-01T13:00:00Z");
        CHECK_FALSE(store.push(std::string(32, '0')));
        store.now += 1s;
        store.execute("UPDATE feeds SET system_enabled = 0,"
                      " next_fetch_attempt = '2008-04-01T13:00:00Z'");
        store.push(store.token());
        CHECK(store.value("SELECT next_fetch_attempt FROM feeds WHERE id = 1") ==
              "2008-04-01T13:00:00Z");
    });
}

TEST_CASE("The secret is known to a token whose feed is enabled") {
    each_push_store([](PushStore& store) {
        store.subscribe();
        const auto secret_of = [&](const std::string& token) {
            return store.write([&](store::Transaction& transaction) {
                return harvest::secret_of(transaction, token);
            });
        };
        CHECK(secret_of(store.token()) == store.value("SELECT secret FROM feed_hubs"));
        CHECK_FALSE(secret_of(std::string(32, '0')));
        store.execute("UPDATE feeds SET system_enabled = 0");
        CHECK_FALSE(secret_of(store.token()));
    });
}

TEST_CASE("A push during a fetch makes its feed due again, whether or not the fetch succeeds") {
    using harvest::EventKind;
    const auto result = GENERATE(EventKind::fetch_succeeded, EventKind::fetch_failed);
    each_push_store([&](PushStore& store) {
        store.subscribe();
        store.push(store.token());
        const auto claimed = store.claim();
        REQUIRE(claimed.size() == 1);
        store.now += 1s;
        store.push(store.token());
        CHECK(store.next_fetch() > 0min);
        auto fetch = store.fetch_of(claimed.at(0));
        fetch.event = result;
        store.finish({fetch});
        store.write([&](store::Transaction& transaction) {
            harvest::note_fetch(transaction, {1, store.now - 1h, true}, store.now);
        });
        CHECK(store.next_fetch() == 0min);
        CHECK(store.is_pushed());
    });
}

TEST_CASE("A hub that was heard of while the clock of the store was ahead is asked anew") {
    each_push_store([](PushStore& store) {
        const auto row = [&] {
            return store.rows("SELECT asked_at, expires_at, pushed_at, missed_at, due_at FROM "
                              "feed_hubs");
        };
        const auto sweep = [&] {
            store.write(
                [&](store::Transaction& transaction) { harvest::sweep(transaction, store.now); });
        };
        const auto now = store.now;
        store.now += 24h * 365;
        store.subscribe();
        store.push(store.token());
        store.now = now;
        REQUIRE(store.is_pushed());
        sweep();
        CHECK_FALSE(store.is_pushed());
        CHECK(row() == std::vector<std::string>{"'' | '' | '' | '' | '2008-04-01T12:00:00Z'"});
        // What a rule leads to stays: the longest lease, and a push of just now.
        store.ask();
        REQUIRE(store.confirm(1, 24h * 400));
        store.push(store.token());
        const auto before = row();
        sweep();
        CHECK(row() == before);
        CHECK(store.is_pushed());
    });
}

TEST_CASE("A push that comes before its news is looked after in a minute, once") {
    each_push_store([](PushStore& store) {
        store.subscribe();
        auto previous = store.now;
        store.now += 1h;
        store.push(store.token());
        store.fetch(previous, false);  // in the second of the push
        CHECK(store.next_fetch() == 1min);
        previous = store.now;
        store.now += 2s;
        store.fetch(previous, false);
        CHECK(store.next_fetch() == 1min);
        previous = store.now;
        store.now += 1min;
        store.fetch(previous, false);
        CHECK(store.next_fetch() == 24h);
        // The hub was right, if early.
        previous = store.now;
        store.now += 30min;
        store.fetch(previous, true);
        CHECK(store.is_pushed());
        CHECK(store.next_fetch() == 24h);
    });
}

TEST_CASE("A hub that has not pushed what a fetch finds is dead until it pushes") {
    each_push_store([](PushStore& store) {
        store.subscribe();
        store.now += 1h;
        const auto previous = store.now;
        store.now += std::chrono::days(1);
        store.fetch(previous, false);
        CHECK(store.is_pushed());
        store.fetch(previous, true);
        CHECK_FALSE(store.is_pushed());
        CHECK(store.next_fetch() == 30min);
        CHECK(store.value(hub_due) == base::format_rfc3339(store.now));  // it is asked again
        store.ask();
        CHECK(store.confirm());
        CHECK_FALSE(store.is_pushed());  // words are not enough
        store.now += 3h;
        store.fetch(store.now - 1h, true);
        CHECK(store.next_fetch() == 24h);  // as others decided
        CHECK(store.value("SELECT missed_at FROM feed_hubs") < store.value(hub_due));
        CHECK(store.push(store.token()));
        CHECK(store.is_pushed());
    });
}

TEST_CASE("News that a push announced, or that are older than the subscription, accuse no hub") {
    each_push_store([](PushStore& store) {
        const auto first = store.now;
        store.subscribe();
        store.now += 1h;
        store.fetch(first, true);
        CHECK(store.is_pushed());
        const auto second = store.now;
        store.now += 20h;
        store.push(store.token());
        store.now += 1s;
        store.fetch(second, true);
        CHECK(store.is_pushed());
        store.fetch(std::nullopt, true);
        CHECK(store.is_pushed());
        CHECK(store.next_fetch() == 24h);
    });
}

TEST_CASE("Hubs of many feeds are noted with each of them") {
    each_push_store([](PushStore& store) {
        std::vector<harvest::ClaimedFeed> claimed(70);
        for (int i = 0; i < 70; ++i) {
            claimed.at(static_cast<std::size_t>(i)).feed.id = i + 1;
            store.add_feed(i + 1);
            if (i % 3 == 0) store.note(i + 1);
        }
        store.ask();
        REQUIRE(store.confirm(34));
        store.write([&](store::Transaction& transaction) {
            harvest::note_hubs(transaction, claimed, store.now);
        });
        for (const auto& one : claimed) {
            INFO(one.feed.id);
            CHECK(one.has_hub == ((one.feed.id - 1) % 3 == 0));
            CHECK(one.feed.pushed == (one.feed.id == 34));
        }
    });
}

TEST_CASE(
    "A subscription and a push that fail at any statement are recorded once or not at all") {
    const auto engine = GENERATE(support::engines());
    for (const auto fault : support::all_faults)
        support::sweep(fault, [&](const std::shared_ptr<support::FaultPlan>& plan) {
            const support::FreshStore fresh(engine);
            PushStore store(fresh.connect());
            store.add_feed(1);
            PushStore faulty(support::faulty(fresh.connect(), plan));
            faulty.note();
            store.ask();
            const auto token = store.token();
            CHECK(faulty.answer(token, {.topic = links_to_hub.topic}));
            faulty.push(token);  // after a commit in doubt it has been done already
            CHECK(store.value(hub_count) == "1");
            CHECK(store.token() == token);
            CHECK(store.is_pushed());
            CHECK(store.next_fetch() == 0min);
        });
}
