// Hubs are asked one after the other, with growing pauses, until they confirm.
// SPDX-License-Identifier: MIT
#include "harvest/hub_requests.hpp"

#include <algorithm>

#include "push_store.hpp"

using namespace std::chrono_literals;
using harvest::ClaimedHubRequest;
using support::links_to_hub;
using support::PushStore;

namespace {

struct RequestStore : PushStore {
    using PushStore::PushStore;
    std::vector<ClaimedHubRequest> claim(std::size_t most = 100) {
        return write([&](store::Transaction& transaction) {
            return harvest::claim_hub_requests(transaction, {.claim = ++last_claim, .most = most},
                                               now);
        });
    }
    bool finish(const ClaimedHubRequest& request) {
        return write([&](store::Transaction& transaction) {
            return harvest::finish_hub_request(transaction, request, now);
        });
    }
    bool is_due() {
        return write([&](store::Transaction& transaction) {
            return harvest::is_hub_request_due(transaction, now);
        });
    }
    std::int64_t last_claim = 0;
};

template <class F>
void each_request_store(F fn) {
    support::each_store([&](const store::Connect& connect) {
        RequestStore store(connect);
        fn(store);
    });
}

}  // namespace

TEST_CASE("A request is claimed with what it needs, and may be confirmed from then on") {
    each_request_store([](RequestStore& store) {
        CHECK_FALSE(store.is_due());
        store.add_feed(1);
        store.note();
        CHECK(store.is_due());
        const auto claimed = store.claim();
        REQUIRE(claimed.size() == 1);
        CHECK(claimed[0].feed == 1);
        CHECK(claimed[0].hub_url == links_to_hub.hub_url);
        CHECK(claimed[0].base_url == "https://hub.example");
        CHECK(claimed[0].topic == links_to_hub.topic);
        CHECK(claimed[0].token == store.token());
        CHECK(claimed[0].secret == store.value("SELECT secret FROM feed_hubs"));
        CHECK_FALSE(store.is_due());
        CHECK(store.claim().empty());
        // Many hubs ask before they answer.
        CHECK(store.confirm());
        CHECK_FALSE(store.finish(claimed[0]));
        CHECK(store.value("SELECT failures FROM feed_hubs") == "0");
        CHECK(store.value("SELECT due_at FROM feed_hubs") == "2008-04-09T00:00:00Z");
    });
}

TEST_CASE("Pauses grow until the hub confirms, and begin anew for the renewal") {
    each_request_store([](RequestStore& store) {
        store.add_feed(1);
        store.note();
        const auto ask = [&] {
            const auto claimed = store.claim();
            REQUIRE(claimed.size() == 1);
            CHECK(store.finish(claimed[0]));
        };
        for (const std::chrono::seconds pause :
             {10min, 60min, 360min, 1440min, 7 * 1440min, 7 * 1440min}) {
            ask();
            store.now += pause - 1s;
            CHECK_FALSE(store.is_due());
            store.now += 1s;
            CHECK(store.is_due());
        }
        ask();
        CHECK(store.confirm(1, 4h));
        store.now += 3h;
        ask();
        store.now += 10min;
        CHECK(store.is_due());
        CHECK(store.is_pushed());
    });
}

TEST_CASE("Requests to one base URL follow each other, whatever the hubs are called") {
    each_request_store([](RequestStore& store) {
        for (int feed = 1; feed <= 6; ++feed) {
            store.add_feed(feed);
            store.note(feed, {feed == 6 ? "https://other.example/"
                                        : "https://hub.example/" + std::to_string(feed),
                              links_to_hub.topic});
        }
        std::vector<std::int64_t> asked;
        for (int i = 0; i < 60 && asked.size() < 6; ++i) {
            const auto claimed = store.claim();
            std::vector<std::string> bases;
            for (const auto& request : claimed) {
                asked.push_back(request.feed);
                bases.push_back(request.base_url);
            }
            std::sort(bases.begin(), bases.end());
            CHECK(std::unique(bases.begin(), bases.end()) == bases.end());
            CHECK(store.claim().empty());
            for (const auto& request : claimed) CHECK(store.finish(request));
            CHECK(store.claim().empty());
            store.now += harvest::spacing;
        }
        CHECK(asked.size() == 6);
    });
}

TEST_CASE("A claim that has ended counts no more") {
    each_request_store([](RequestStore& store) {
        store.add_feed(1);
        store.note();
        const auto first = store.claim();
        REQUIRE(first.size() == 1);
        store.now += harvest::fetch_claim + 1s;
        const auto second = store.claim();
        REQUIRE(second.size() == 1);
        CHECK_FALSE(store.finish(first[0]));
        CHECK(store.finish(second[0]));
        CHECK_FALSE(store.finish(second[0]));
    });
}

TEST_CASE("A request that is given back is due at once, and did not count") {
    each_request_store([](RequestStore& store) {
        store.add_feed(1);
        store.note();
        const auto first = store.claim();
        REQUIRE(first.size() == 1);
        store.write([&](store::Transaction& transaction) {
            harvest::give_back(transaction, first[0], store.now);
        });
        CHECK(store.is_due());
        store.now += harvest::spacing + 1s;  // times have whole seconds
        const auto again = store.claim();
        REQUIRE(again.size() == 1);
        CHECK(again[0].requests == 0);
    });
}

TEST_CASE("Feeds that are gone or disabled are not subscribed to") {
    each_request_store([](RequestStore& store) {
        store.add_feed(1);
        store.note(1);
        store.note(2);  // was removed meanwhile
        store.execute("UPDATE feeds SET system_enabled = 0");
        CHECK(store.claim().empty());
        CHECK(store.value("SELECT COUNT(*) FROM feed_hubs") == "0");
    });
}

TEST_CASE("A request whose claim or end fails at any statement is sent once") {
    const auto engine = GENERATE(support::engines());
    for (const auto fault : support::all_faults)
        support::sweep(fault, [&](const std::shared_ptr<support::FaultPlan>& plan) {
            const support::FreshStore fresh(engine);
            RequestStore store(fresh.connect());
            store.add_feed(1);
            store.note();
            RequestStore faulty(support::faulty(fresh.connect(), plan));
            auto claimed = faulty.claim();
            // A claim whose answer was lost ends by itself, and nothing was sent.
            if (claimed.empty()) {
                faulty.now += harvest::fetch_claim + 1s;
                claimed = faulty.claim();
            }
            REQUIRE(claimed.size() == 1);
            faulty.finish(claimed[0]);
            CHECK(store.value("SELECT failures FROM feed_hubs") == "1");
            CHECK(store.claim().empty());
        });
}
