// What subscribers ask for counts when they have confirmed it, until it ends.
// SPDX-License-Identifier: MIT
#include "hub/subscriptions.hpp"

#include "hub_store.hpp"
#include "tables/counters.hpp"

using namespace hub;
using support::HubStore;
using support::request_of;
using support::topic_of;

namespace {

constexpr auto* one_callback = "http://a.example/x?y=1";

std::string expiry_of(HubStore& store) {
    const auto entries = store.list();
    return entries.size() == 1 ? entries.front().expires_at
                               : std::to_string(entries.size()) + " subscriptions";
}

}  // namespace

TEST_CASE("A subscription is in force once it is confirmed, from when it was asked to be") {
    HubStore store(GENERATE(support::engines()));
    CHECK(store.ask(one_callback) == Accepted::yes);
    CHECK(store.list().empty());
    CHECK(store.call(due_requests, 9, store.now).empty());  // the position is not known yet
    store.now += std::chrono::minutes(5);
    const auto claimed = store.claim_requests();
    REQUIRE(claimed.size() == 1);
    CHECK(claimed[0].callback == one_callback);
    CHECK(claimed[0].verification.topic_url == topic_of("a").url);
    CHECK(claimed[0].verification.lease == std::chrono::days(10));
    store.now += std::chrono::seconds(20);
    CHECK(store.finish(claimed[0]));
    CHECK(expiry_of(store) == "2008-04-11T00:05:00Z");
    CHECK_FALSE(store.list().at(0).is_pending);
    CHECK(store.claim_requests().empty());
}

TEST_CASE("Who refuses to be unsubscribed stays subscribed") {
    HubStore store(GENERATE(support::engines()));
    store.subscribe(one_callback);
    store.ask(one_callback, "a", Mode::unsubscribe);
    CHECK(store.finish(store.claim_requests().at(0), Verified::refused));
    CHECK(expiry_of(store) == "2008-04-11T00:00:00Z");
    CHECK_FALSE(store.list().at(0).is_pending);
}

TEST_CASE("A subscription that nobody confirms is forgotten") {
    HubStore store(GENERATE(support::engines()));
    store.ask(one_callback);
    CHECK(store.finish(store.claim_requests().at(0), Verified::refused));
    CHECK(store.list().empty());
    store.ask(one_callback);
    for (const int minutes : {0, 1, 10}) {
        store.now += std::chrono::minutes(minutes);
        const auto claimed = store.claim_requests();
        REQUIRE(claimed.size() == 1);
        CHECK(store.finish(claimed[0], Verified::failed));
        CHECK(store.claim_requests().empty());
    }
    CHECK(store.count("hub_requests") == 0);
    CHECK(store.list().empty());
}

TEST_CASE("A renewal that nobody confirms leaves lease and secret as they were") {
    HubStore store(GENERATE(support::engines()));
    store.subscribe(one_callback);
    auto request = request_of(one_callback, topic_of("a"));
    request.secret = "new";
    request.lease = std::chrono::days(30);
    CHECK(store.subscriptions.ask(request, topic_of("a")) == Accepted::yes);
    store.notify("1");
    auto claimed = store.claim();
    REQUIRE(claimed.size() == 1);
    CHECK(claimed[0].secret.empty());
    CHECK(store.finish(store.claim_requests().at(0), Verified::refused));
    CHECK(expiry_of(store) == "2008-04-11T00:00:00Z");
    CHECK(store.subscriptions.ask(request, topic_of("a")) == Accepted::yes);
    store.confirm_all();
    CHECK(expiry_of(store) == "2008-05-01T00:00:00Z");
    CHECK(store.list().at(0).is_signed);
    store.finish(claimed[0], Delivered::not_sent);
    claimed = store.claim();
    REQUIRE(claimed.size() == 1);
    CHECK(claimed[0].secret == "new");
}

TEST_CASE("Of two requests for a subscription the last one counts") {
    HubStore store(GENERATE(support::engines()));
    store.subscribe(one_callback);
    store.ask(one_callback, "a", Mode::unsubscribe);
    const auto claimed = store.claim_requests();
    store.ask(one_callback);
    CHECK_FALSE(store.finish(claimed.at(0)));
    CHECK(store.list().size() == 1);
    store.ask(one_callback, "a", Mode::unsubscribe);
    store.confirm_all();
    CHECK(store.list().empty());
}

TEST_CASE("Ending a subscription that is not there is accepted and forgotten") {
    HubStore store(GENERATE(support::engines()));
    CHECK(store.ask(one_callback, "a", Mode::unsubscribe) == Accepted::yes);
    CHECK(store.claim_requests().empty());
    CHECK(store.count("topics") == 0);
}

TEST_CASE("A claimed verification is left alone until the claim ends, and then counts once") {
    HubStore store(GENERATE(support::engines()));
    store.ask(one_callback);
    const auto first = store.claim_requests();
    CHECK(store.claim_requests().empty());
    store.now += store::claim_lasts;
    const auto second = store.claim_requests();
    REQUIRE(second.size() == 1);
    CHECK_FALSE(store.finish(first.at(0)));
    CHECK(store.finish(second.at(0)));
    CHECK_FALSE(store.finish(second.at(0)));
}

TEST_CASE("A verification that was not sent does not count as a try") {
    HubStore store(GENERATE(support::engines()));
    store.ask(one_callback);
    for (int i = 0; i < 5; ++i) {
        const auto claimed = store.claim_requests();
        REQUIRE(claimed.size() == 1);
        CHECK(claimed[0].tries == 0);
        store.finish(claimed[0], Verified::not_sent);
        store.now += std::chrono::minutes(1);
    }
}

TEST_CASE("Whoever asks has a limit of requests that wait, and a host one of subscriptions") {
    HubStore store(GENERATE(support::engines()));
    const auto ask = [&](SubscriptionLimits limits, const std::string& callback,
                         const std::string& network) {
        Subscriptions some(store.pool, limits, [&](auto&) { return store.now; });
        return some.ask(request_of(callback, topic_of("a")), topic_of("a"), {network});
    };
    const SubscriptionLimits few{.most = 9, .most_of_host = 3, .most_pending_of_asker = 2};
    CHECK(ask(few, "http://a.example/1", "here") == Accepted::yes);
    CHECK(ask(few, "http://a.example/2", "here") == Accepted::yes);
    CHECK(ask(few, "http://a.example/3", "here") == Accepted::asker_is_full);
    CHECK(ask(few, "http://b.example/1", "here") == Accepted::asker_is_full);
    CHECK(ask(few, "http://a.example/2", "here") == Accepted::yes);
    CHECK(ask(few, "http://a.example/3", "there") == Accepted::yes);
    store.confirm_all();
    CHECK(ask(few, "http://a.example/4", "here") == Accepted::host_is_full);
    // Others cannot keep who is subscribed from renewing.
    for (const std::string number : {"1", "2"})
        CHECK(ask(few, "http://b.example/" + number, "here") == Accepted::yes);
    CHECK(ask(few, "http://a.example/1", "here") == Accepted::yes);
    store.confirm_all();
    CHECK(ask({.most = 5}, "http://c.example/", "here") == Accepted::store_is_full);
}

namespace {

// Sweeps as hubs do, and returns how many subscriptions are left.
std::int64_t sweep_now(HubStore& store) {
    store.write([&](store::Transaction& transaction) {
        sweep(transaction, store.now);
        delete_unused_topics(transaction, unused_topics(transaction, 100));
        (void)delete_old_notifications(transaction, {}, 100, store.now);
    });
    return store.count("subscriptions");
}
void sweep_for(HubStore& store, std::chrono::hours time) {
    for (std::chrono::hours passed{0}; passed < time; passed += std::chrono::hours(12)) {
        sweep_now(store);
        store.now += std::chrono::hours(12);
    }
}

}  // namespace

TEST_CASE("Subscriptions that have ended get nothing, and are deleted some days later") {
    HubStore store(GENERATE(support::engines()));
    store.subscribe(one_callback);
    store.notify("waits when it ends");
    sweep_for(store, std::chrono::days(10));
    store.notify("1");
    CHECK(store.claim().empty());
    CHECK(store.claim().empty());
    CHECK(sweep_now(store) == 1);
    CHECK(store.count("topics") == 1);
    sweep_for(store, std::chrono::days(8));
    CHECK(sweep_now(store) == 0);
    CHECK(store.count("topics") == 0);
    CHECK(store.count("notifications") == 0);
}

TEST_CASE("A clock that leaps ends no subscription, and loses nothing that waits") {
    HubStore store(GENERATE(support::engines()));
    store.subscribe(one_callback);
    store.notify("1");
    sweep_for(store, std::chrono::days(3));
    store.ask("http://b.example/");
    const auto right = store.now;
    store.now += std::chrono::days(60);
    CHECK(sweep_now(store) == 1);
    CHECK(store.claim().empty());
    store.notify("2");
    CHECK(sweep_now(store) == 1);
    store.now = right;
    CHECK(sweep_now(store) == 1);
    CHECK(store.count("hub_requests") == 1);
    CHECK(store.deliver_all() ==
          std::vector{std::string(one_callback) + " 1", std::string(one_callback) + " 2"});
    // A hub that was stopped for a week sweeps again a day later.
    store.now += std::chrono::days(20);
    CHECK(sweep_now(store) == 1);
    sweep_for(store, std::chrono::days(1));
    CHECK(sweep_now(store) == 0);
}

TEST_CASE("Who subscribes again after the end gets only what comes from then on") {
    HubStore store(GENERATE(support::engines()));
    store.subscribe(one_callback);
    store.subscribe("http://b.example/");
    store.now += std::chrono::days(9);
    store.subscribe("http://b.example/");
    store.now += std::chrono::days(2);
    store.notify("missed");
    store.ask(one_callback);
    store.notify("meanwhile");
    store.confirm_all();
    store.notify("new");
    std::vector<std::string> got;
    for (const auto& sent : store.deliver_all())
        if (sent.starts_with(one_callback)) got.push_back(sent);
    CHECK(got == std::vector<std::string>{std::string(one_callback) + " meanwhile",
                                          std::string(one_callback) + " new"});
}

TEST_CASE("Times that a wrong clock wrote are corrected") {
    HubStore store(GENERATE(support::engines()));
    const auto right = store.now;
    store.now += std::chrono::days(1000);
    store.subscribe(one_callback);
    store.notify("1");
    REQUIRE(store.claim().size() == 1);
    store.now = right;
    store.call(sweep, store.now);
    CHECK(expiry_of(store) == "2008-05-01T00:00:00Z");
    CHECK(store.claim().size() == 1);
}

TEST_CASE("The numbers of a hub follow from its tables") {
    HubStore store(GENERATE(support::engines()));
    store.now = base::system_clock_now();
    store.subscribe("http://a.example/");
    store.subscribe("http://b.example/");
    store.ask("http://c.example/", "b");
    store.notify("1");
    store.finish(store.claim().at(0), Delivered::failed, 60);
    const auto numbers = store.write([](store::Transaction& transaction) {
        tables::count_outcomes(transaction, "hub_notes", {{"given up", 2}, {"failed", 0}}, "07");
        tables::count_outcomes(transaction, "hub_notes", {{"given up", 1}, {"delivered", 5}},
                               "08");
        return hub_numbers(transaction);
    });
    CHECK(numbers.subscriptions == 2);
    CHECK(numbers.topics == 2);
    CHECK(numbers.to_verify == 1);
    CHECK(numbers.waiting == 2);
    CHECK(numbers.failing == 1);
    CHECK(numbers.waiting_since == store.now);
    CHECK(numbers.outcomes ==
          std::vector<std::pair<std::string, std::uint64_t>>{{"delivered", 5}, {"given up", 3}});
}

TEST_CASE("A request that fails at any statement is recorded once or not at all") {
    const auto engine = GENERATE(support::engines());
    for (const auto fault : support::all_faults)
        support::sweep(fault, [&](const std::shared_ptr<support::FaultPlan>& plan) {
            const support::FreshStore fresh(engine);
            HubStore faulty(support::faulty(fresh.connect(), plan));
            CHECK(faulty.ask(one_callback) == Accepted::yes);
            faulty.confirm_all();
            HubStore store(fresh.connect());
            store.now += std::chrono::minutes(5);
            store.confirm_all();
            CHECK(store.list().size() == 1);
            CHECK_FALSE(expiry_of(store).empty());
        });
}

TEST_CASE("The objects with most subscriptions come first") {
    HubStore store(GENERATE(support::engines()));
    store.subscribe("http://a.example/", "a");
    store.subscribe("http://a.example/", "b");
    store.subscribe("http://b.example/", "b");
    store.ask("http://b.example/", "c");
    const auto names = store.call(subscribed_objects, 5, store.now);
    CHECK(names == std::vector<tables::ObjectName>{{"Gene", "b"}, {"Gene", "a"}});
}

TEST_CASE("A renewal that is asked for in time and confirmed after the end loses nothing, and "
          "doubles nothing") {
    HubStore store(GENERATE(support::engines()));
    store.subscribe(one_callback);
    store.now += std::chrono::days(10) - std::chrono::minutes(1);
    store.notify("1");
    store.notify("2");
    store.ask(one_callback);
    const auto first = store.claim();
    store.finish(first.at(0), Delivered::delivered);
    store.now += std::chrono::minutes(5);
    store.notify("3");
    store.confirm_all();
    CHECK(store.deliver_all() ==
          std::vector{std::string(one_callback) + " 2", std::string(one_callback) + " 3"});
}

TEST_CASE(
    "A request that cannot be verified for days is forgotten, and what was in force stays") {
    HubStore store(GENERATE(support::engines()));
    store.subscribe(one_callback);
    store.ask(one_callback);
    store.ask("http://never.example/");
    sweep_for(store, std::chrono::days(1));
    CHECK(store.claim_requests().size() == 2);
    sweep_for(store, std::chrono::days(2));
    CHECK(store.claim_requests().empty());
    REQUIRE(store.list().size() == 1);
    CHECK(store.list().at(0).callback == one_callback);
    CHECK_FALSE(store.list().at(0).is_pending);
}

TEST_CASE("A renewal leaves a delivery that is claimed alone") {
    HubStore store(GENERATE(support::engines()));
    store.subscribe(one_callback);
    store.now += std::chrono::days(10) - std::chrono::seconds(10);
    store.notify("1");
    const auto first = store.claim();
    REQUIRE(first.size() == 1);
    store.now += std::chrono::seconds(15);
    store.ask(one_callback);  // after the end, so that "2" alone counts
    store.confirm_all();
    store.notify("2");
    CHECK(store.claim().empty());
    store.finish(first[0], Delivered::delivered);
    CHECK(store.deliver_all() == std::vector{std::string(one_callback) + " 2"});
}

TEST_CASE("A renewal in the second in which a hub found the end counts") {
    HubStore store(GENERATE(support::engines()));
    store.subscribe(one_callback);
    store.now += std::chrono::days(10) - std::chrono::seconds(1);
    store.ask(one_callback);
    const auto requests = store.claim_requests();
    store.now += std::chrono::seconds(1);
    store.notify("1");
    const auto due = store.call(due_deliveries, 9, store.now);
    REQUIRE(due.size() == 1);
    CHECK(due[0].state == Delivery::State::has_ended);
    for (const auto& request : requests) CHECK(store.finish(request));
    CHECK(store.call(claim_deliveries, due, 77, store.now).empty());
    CHECK(store.claim().size() == 1);
}
