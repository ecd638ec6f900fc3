// What subscribers ask for counts when they have confirmed it, until it ends.
// SPDX-License-Identifier: MIT
#include "hub/subscriptions.hpp"

#include "hub_store.hpp"
#include "tables/outcomes.hpp"

using namespace hub;
using support::each_hub_store;
using support::HubStore;
using support::request_of;
using support::topic_of;

namespace {

constexpr auto* one_callback = "http://a.example/x?y=1";

std::string expiry_of(HubStore& hub_store) {
    const auto entries = hub_store.list();
    return entries.size() == 1 ? entries.front().expires_at
                               : std::to_string(entries.size()) + " subscriptions";
}

}  // namespace

TEST_CASE("A subscription is in force once it is confirmed, from when it was asked to be") {
    each_hub_store([](HubStore& hub_store) {
        CHECK(hub_store.ask(one_callback) == Accepted::yes);
        CHECK(hub_store.list().at(0).is_pending);
        CHECK(expiry_of(hub_store).empty());
        hub_store.now += std::chrono::minutes(5);
        const auto claimed = hub_store.claim_verifications();
        REQUIRE(claimed.size() == 1);
        CHECK(claimed[0].callback == one_callback);
        CHECK(claimed[0].topic == topic_of("a"));
        CHECK(claimed[0].verification.topic_url == topic_of("a").url);
        CHECK(claimed[0].verification.lease == std::chrono::days(10));
        CHECK(claimed[0].is_first);
        hub_store.now += std::chrono::seconds(20);
        CHECK(hub_store.finish(claimed[0]));
        CHECK(expiry_of(hub_store) == "2008-04-11T00:05:00Z");
        CHECK_FALSE(hub_store.list().at(0).is_pending);
        CHECK(hub_store.claim_verifications().empty());
    });
}

TEST_CASE("Who refuses to be unsubscribed stays subscribed") {
    each_hub_store([](HubStore& hub_store) {
        hub_store.subscribe(one_callback);
        hub_store.ask(one_callback, "a", Mode::unsubscribe);
        CHECK(hub_store.finish(hub_store.claim_verifications().at(0), Verified::refused));
        CHECK(expiry_of(hub_store) == "2008-04-11T00:00:00Z");
        CHECK_FALSE(hub_store.list().at(0).is_pending);
    });
}

TEST_CASE("A subscription that nobody confirms is forgotten") {
    each_hub_store([](HubStore& hub_store) {
        hub_store.ask(one_callback);
        CHECK(hub_store.finish(hub_store.claim_verifications().at(0), Verified::refused));
        CHECK(hub_store.list().empty());
        hub_store.ask(one_callback);
        for (const int minutes : {0, 1, 10}) {
            hub_store.now += std::chrono::minutes(minutes);
            const auto claimed = hub_store.claim_verifications();
            REQUIRE(claimed.size() == 1);
            CHECK(hub_store.finish(claimed[0], Verified::failed));
            CHECK(hub_store.claim_verifications().empty());
        }
        CHECK(hub_store.list().empty());
    });
}

TEST_CASE("A renewal that nobody confirms leaves lease and secret as they were") {
    each_hub_store([](HubStore& hub_store) {
        hub_store.subscribe(one_callback);
        auto request = request_of(one_callback, topic_of("a"));
        request.secret = "new";
        request.lease = std::chrono::days(30);
        CHECK(hub_store.subscriptions.ask(request, topic_of("a"), "") == Accepted::yes);
        hub_store.notify("1");
        auto claimed = hub_store.claim();
        REQUIRE(claimed.size() == 1);
        CHECK(claimed[0].secret.empty());
        CHECK(hub_store.finish(hub_store.claim_verifications().at(0), Verified::refused));
        CHECK(expiry_of(hub_store) == "2008-04-11T00:00:00Z");
        CHECK(hub_store.subscriptions.ask(request, topic_of("a"), "") == Accepted::yes);
        hub_store.confirm_all();
        CHECK(expiry_of(hub_store) == "2008-05-01T00:00:00Z");
        CHECK(hub_store.list().at(0).is_signed);
        hub_store.finish(claimed[0], Delivered::not_sent);
        claimed = hub_store.claim();
        REQUIRE(claimed.size() == 1);
        CHECK(claimed[0].secret == "new");
    });
}

TEST_CASE("Of two requests for a subscription the last one counts") {
    each_hub_store([](HubStore& hub_store) {
        hub_store.subscribe(one_callback);
        hub_store.ask(one_callback, "a", Mode::unsubscribe);
        const auto claimed = hub_store.claim_verifications();
        hub_store.ask(one_callback);
        CHECK_FALSE(hub_store.finish(claimed.at(0)));
        CHECK(hub_store.list().size() == 1);
        hub_store.ask(one_callback, "a", Mode::unsubscribe);
        hub_store.confirm_all();
        CHECK(hub_store.list().empty());
    });
}

TEST_CASE("Ending a subscription that is not there is accepted and forgotten") {
    each_hub_store([](HubStore& hub_store) {
        CHECK(hub_store.ask(one_callback, "a", Mode::unsubscribe) == Accepted::yes);
        CHECK(hub_store.claim_verifications().empty());
        CHECK(hub_store.count("topics") == 0);
    });
}

TEST_CASE("A claimed verification is left alone until the claim ends, and then counts once") {
    each_hub_store([](HubStore& hub_store) {
        hub_store.ask(one_callback);
        const auto first = hub_store.claim_verifications();
        CHECK(hub_store.claim_verifications().empty());
        hub_store.now += verification_claim;
        const auto second = hub_store.claim_verifications();
        REQUIRE(second.size() == 1);
        CHECK_FALSE(hub_store.finish(first.at(0)));
        CHECK(hub_store.finish(second.at(0)));
        CHECK_FALSE(hub_store.finish(second.at(0)));
    });
}

TEST_CASE("A postponed verification does not count as a try") {
    each_hub_store([](HubStore& hub_store) {
        hub_store.ask(one_callback);
        for (int i = 0; i < 5; ++i) {
            const auto claimed = hub_store.claim_verifications();
            REQUIRE(claimed.size() == 1);
            CHECK(claimed[0].tries == 0);
            hub_store.write([&](store::Transaction& transaction) {
                postpone_verification(transaction, claimed[0], hub_store.now);
            });
            hub_store.now += std::chrono::minutes(1);
        }
    });
}

TEST_CASE("A host has a limit of subscriptions, and of requests that wait") {
    each_hub_store([](HubStore& hub_store) {
        const auto ask = [&](SubscriptionLimits limits, const std::string& callback) {
            Subscriptions some(hub_store.pool, limits, [&](auto&) { return hub_store.now; });
            return some.ask(request_of(callback, topic_of("a")), topic_of("a"), "");
        };
        const SubscriptionLimits few_pending{
            .most = 9, .most_of_host = 3, .most_pending_of_host = 2};
        CHECK(ask(few_pending, "http://a.example/1") == Accepted::yes);
        CHECK(ask(few_pending, "http://a.example/2") == Accepted::yes);
        CHECK(ask(few_pending, "http://a.example/3") == Accepted::host_is_full);
        CHECK(ask(few_pending, "http://a.example/2") == Accepted::yes);
        CHECK(ask(few_pending, "http://b.example/3") == Accepted::yes);
        hub_store.confirm_all();
        CHECK(ask(few_pending, "http://a.example/3") == Accepted::yes);
        CHECK(ask(few_pending, "http://a.example/4") == Accepted::host_is_full);
        hub_store.confirm_all();
        CHECK(ask(few_pending, "http://a.example/1") == Accepted::yes);
        CHECK(ask({.most = 4}, "http://c.example/") == Accepted::store_is_full);
    });
}

TEST_CASE("Subscriptions that have ended get nothing, and are deleted some days later") {
    each_hub_store([](HubStore& hub_store) {
        hub_store.subscribe(one_callback);
        CHECK(hub_store.notify("waits when it ends"));
        hub_store.now += std::chrono::days(10);
        CHECK(hub_store.notify("1"));
        CHECK(hub_store.claim().empty());
        hub_store.now += std::chrono::seconds(1);
        CHECK(hub_store.claim().empty());
        const auto sweep_now = [&] {
            hub_store.write([&](store::Transaction& transaction) {
                sweep(transaction, hub_store.now);
                delete_unused_topics(transaction, unused_topics(transaction, 100));
            });
            return hub_store.count("subscriptions");
        };
        CHECK(sweep_now() == 1);
        CHECK(hub_store.count("topics") == 1);
        hub_store.now += std::chrono::days(8);
        CHECK(sweep_now() == 0);
        CHECK(hub_store.count("topics") == 0);
        CHECK(hub_store.count("notifications") == 0);
    });
}

TEST_CASE("Who subscribes again after the end gets only what comes from then on") {
    each_hub_store([](HubStore& hub_store) {
        hub_store.subscribe(one_callback);
        hub_store.subscribe("http://b.example/");
        hub_store.now += std::chrono::days(9);
        hub_store.subscribe("http://b.example/");
        hub_store.now += std::chrono::days(2);
        hub_store.notify("missed");
        hub_store.ask(one_callback);
        hub_store.notify("meanwhile");
        hub_store.confirm_all();
        hub_store.notify("new");
        std::vector<std::string> got;
        for (const auto& sent : hub_store.deliver_all())
            if (sent.starts_with(one_callback)) got.push_back(sent);
        CHECK(got == std::vector<std::string>{std::string(one_callback) + " meanwhile",
                                              std::string(one_callback) + " new"});
    });
}

TEST_CASE("The position of a topic is replaced when nobody else is subscribed") {
    each_hub_store([](HubStore& hub_store) {
        const auto position = [&] {
            return hub_store.write([](store::Transaction& transaction) {
                return transaction.query("SELECT position FROM topics").at(0).text(0);
            });
        };
        const auto subscribe = [&](const std::string& callback, const std::string& at) {
            hub_store.ask(callback);
            hub_store.finish(hub_store.claim_verifications().at(0), Verified::confirmed, at);
        };
        subscribe("http://a.example/", "p1");
        CHECK(position() == "p1");
        subscribe("http://b.example/", "p2");
        subscribe("http://a.example/", "p3");
        CHECK(position() == "p1");
        hub_store.now += std::chrono::days(11);
        subscribe("http://b.example/", "p4");
        CHECK(position() == "p4");
        subscribe("http://b.example/", "p5");
        CHECK(position() == "p4");
    });
}

TEST_CASE(
    "A topic keeps its position when the only other subscriber leaves during a verification") {
    each_hub_store([](HubStore& hub_store) {
        hub_store.subscribe("http://a.example/");
        hub_store.ask("http://b.example/");
        const auto claimed = hub_store.claim_verifications();
        CHECK_FALSE(claimed.at(0).is_first);
        hub_store.write([](store::Transaction& transaction) {
            transaction.execute("DELETE FROM subscriptions WHERE callback = 'http://a.example/'");
        });
        CHECK(hub_store.finish(claimed.at(0), Verified::confirmed, ""));
        hub_store.write([](store::Transaction& transaction) {
            CHECK(transaction.query("SELECT position FROM topics").at(0).text(0) == "p0");
        });
    });
}

TEST_CASE("Times that a wrong clock wrote are corrected") {
    each_hub_store([](HubStore& hub_store) {
        const auto right = hub_store.now;
        hub_store.now += std::chrono::days(1000);
        hub_store.subscribe(one_callback);
        hub_store.notify("1");
        REQUIRE(hub_store.claim().size() == 1);
        hub_store.now = right;
        hub_store.write(
            [&](store::Transaction& transaction) { sweep(transaction, hub_store.now); });
        CHECK(expiry_of(hub_store) == "2008-05-01T00:00:00Z");
        CHECK(hub_store.claim().size() == 1);
    });
}

TEST_CASE("The numbers of a hub follow from its tables") {
    each_hub_store([](HubStore& hub_store) {
        hub_store.now = base::system_clock_now();
        hub_store.subscribe("http://a.example/");
        hub_store.subscribe("http://b.example/");
        hub_store.ask("http://c.example/", "b");
        hub_store.notify("1");
        hub_store.finish(hub_store.claim().at(0), Delivered::failed, 60);
        const auto numbers = hub_store.write([](store::Transaction& transaction) {
            tables::count_outcomes(transaction, "hub_notes", {{"given up", 2}, {"failed", 0}},
                                   "07");
            tables::count_outcomes(transaction, "hub_notes", {{"given up", 1}, {"delivered", 5}},
                                   "08");
            return hub_numbers(transaction);
        });
        CHECK(numbers.subscriptions == 2);
        CHECK(numbers.topics == 2);
        CHECK(numbers.to_verify == 1);
        CHECK(numbers.waiting == 2);
        CHECK(numbers.failing == 1);
        CHECK(numbers.waiting_since == hub_store.now);
        CHECK(numbers.outcomes == std::vector<std::pair<std::string, std::uint64_t>>{
                                      {"delivered", 5}, {"given up", 3}});
    });
}

TEST_CASE("A request that fails at any statement is recorded once or not at all") {
    const auto engine = GENERATE(support::engines());
    for (const auto fault : {support::Fault::lost, support::Fault::deadlock,
                             support::Fault::lost_commit, support::Fault::undone_commit})
        support::sweep(fault, [&](const std::shared_ptr<support::FaultPlan>& plan) {
            const support::FreshStore fresh(engine);
            HubStore faulty(support::faulty(fresh.connect(), plan));
            CHECK(faulty.ask(one_callback) == Accepted::yes);
            faulty.confirm_all();
            HubStore hub_store(fresh.connect());
            hub_store.now += std::chrono::minutes(5);
            hub_store.confirm_all();
            CHECK(hub_store.list().size() == 1);
            CHECK_FALSE(expiry_of(hub_store).empty());
        });
}

TEST_CASE("The objects with most subscriptions come first") {
    each_hub_store([](HubStore& hub_store) {
        hub_store.subscribe("http://a.example/", "a");
        hub_store.subscribe("http://a.example/", "b");
        hub_store.subscribe("http://b.example/", "b");
        hub_store.ask("http://b.example/", "c");
        const auto names = hub_store.write([&](store::Transaction& transaction) {
            return subscribed_objects(transaction, 5, hub_store.now);
        });
        CHECK(names == std::vector<tables::ObjectName>{{"Gene", "b"}, {"Gene", "a"}});
    });
}

TEST_CASE("A renewal that is asked for in time and confirmed after the end loses nothing, and "
          "doubles nothing") {
    each_hub_store([](HubStore& hub_store) {
        hub_store.subscribe(one_callback);
        hub_store.now += std::chrono::days(10) - std::chrono::minutes(1);
        hub_store.notify("1");
        hub_store.notify("2");
        hub_store.ask(one_callback);
        const auto first = hub_store.claim();
        hub_store.finish(first.at(0), Delivered::delivered);
        hub_store.now += std::chrono::minutes(5);
        hub_store.notify("3");
        hub_store.confirm_all();
        CHECK(hub_store.deliver_all() ==
              std::vector{std::string(one_callback) + " 2", std::string(one_callback) + " 3"});
    });
}

TEST_CASE(
    "A request that cannot be verified for days is forgotten, and what was in force stays") {
    each_hub_store([](HubStore& hub_store) {
        hub_store.subscribe(one_callback);
        hub_store.ask(one_callback);
        hub_store.ask("http://never.example/");
        const auto sweep_now = [&] {
            hub_store.write(
                [&](store::Transaction& transaction) { sweep(transaction, hub_store.now); });
        };
        hub_store.now += std::chrono::days(1);
        sweep_now();
        CHECK(hub_store.claim_verifications().size() == 2);
        hub_store.now += std::chrono::days(2);
        sweep_now();
        CHECK(hub_store.claim_verifications().empty());
        REQUIRE(hub_store.list().size() == 1);
        CHECK(hub_store.list().at(0).callback == one_callback);
        CHECK_FALSE(hub_store.list().at(0).is_pending);
    });
}

TEST_CASE("A clock that is ahead for a while loses no notification") {
    each_hub_store([](HubStore& hub_store) {
        hub_store.subscribe(one_callback);
        hub_store.notify("1");
        const auto right = hub_store.now;
        hub_store.now += std::chrono::days(12);
        hub_store.write([&](store::Transaction& transaction) {
            sweep(transaction, hub_store.now);
            (void)delete_old_notifications(transaction, {}, 100, hub_store.now);
        });
        hub_store.now = right + std::chrono::minutes(1);
        hub_store.notify("2");
        CHECK(hub_store.deliver_all() ==
              std::vector{std::string(one_callback) + " 1", std::string(one_callback) + " 2"});
    });
}
