// Every subscriber gets every notification, in order, whatever happens to hubs and stores.
// SPDX-License-Identifier: MIT
#include "hub/deliveries.hpp"

#include <set>

#include "hub_store.hpp"

using namespace hub;
using support::HubStore;
using support::topic_of;

namespace {

using Texts = std::vector<std::string>;
constexpr auto* some_callback = "http://a.example/";

}  // namespace

TEST_CASE("A notification is due for all subscribers of its topic") {
    HubStore store(GENERATE(support::engines()));
    store.subscribe("http://a.example/");
    store.subscribe("http://b.example/");
    store.subscribe("http://c.example/", "b");
    CHECK(store.claim().empty());
    store.notify("1");
    CHECK(store.deliver_all() == Texts{"http://a.example/ 1", "http://b.example/ 1"});
    CHECK(store.deliver_all().empty());
}

TEST_CASE("A subscriber gets the oldest notification first, and the next one when it has it") {
    HubStore store(GENERATE(support::engines()));
    store.subscribe(some_callback);
    store.notify("1");
    store.notify("2");
    auto claimed = store.claim();
    REQUIRE(claimed.size() == 1);
    CHECK(store.body_of(claimed[0]) == "1");
    CHECK(store.claim().empty());
    store.notify("3");
    store.finish(claimed[0], Delivered::failed, 60);
    CHECK(store.claim().empty());
    store.now += std::chrono::seconds(60);
    claimed = store.claim();
    REQUIRE(claimed.size() == 1);
    CHECK(claimed[0].tries == 1);
    CHECK(store.body_of(claimed[0]) == "1");
    CHECK(store.finish(claimed[0], Delivered::delivered) ==
          std::map<std::string, std::int64_t>{{"delivered", 1}});
    CHECK(store.deliver_all() == Texts{"http://a.example/ 2", "http://a.example/ 3"});
}

TEST_CASE("Giving up loses the notification and keeps the subscription") {
    HubStore store(GENERATE(support::engines()));
    store.subscribe(some_callback);
    store.notify("1");
    store.notify("2");
    CHECK(store.finish(store.claim().at(0), Delivered::failed) ==
          std::map<std::string, std::int64_t>{{"given up", 1}});
    const auto claimed = store.claim();
    REQUIRE(claimed.size() == 1);
    CHECK(claimed[0].given_up == 1);
    CHECK(store.body_of(claimed[0]) == "2");
    store.finish(claimed[0], Delivered::delivered);
    store.notify("3");
    CHECK(store.claim().at(0).given_up == 0);
}

TEST_CASE("What a dead hub had claimed is sent by another one when the claim ends") {
    HubStore store(GENERATE(support::both_engines()));
    store.subscribe(some_callback);
    store.notify("1");
    const auto dead = store.claim();
    store.now += store::claim_lasts - std::chrono::seconds(1);
    CHECK(store.claim().empty());
    store.now += std::chrono::seconds(1);
    const auto claimed = store.claim();
    REQUIRE(claimed.size() == 1);
    // The first hub was only slow.
    CHECK(store.finish(dead.at(0), Delivered::delivered).at("delivered") == 0);
    CHECK(store.finish(dead.at(0), Delivered::gone).at("gone") == 0);
    store.notify("2");
    CHECK(store.finish(claimed[0], Delivered::delivered).at("delivered") == 1);
    CHECK(store.deliver_all() == Texts{"http://a.example/ 2"});
}

TEST_CASE("A claim that was lost leaves the others alone") {
    HubStore store(GENERATE(support::both_engines()));
    store.subscribe("http://a.example/");
    store.subscribe("http://b.example/");
    store.notify("1");
    const auto claimed = store.claim();
    REQUIRE(claimed.size() == 2);
    store.ask("http://a.example/", "a", Mode::unsubscribe);
    store.confirm_all();
    for (const auto& delivery : claimed) store.finish(delivery, Delivered::delivered);
    CHECK(store.list().size() == 1);
    CHECK(store.deliver_all().empty());
}

TEST_CASE("Notifications stay until all subscribers have them") {
    HubStore store(GENERATE(support::engines()));
    const auto clean = [&] {
        store.write([&](store::Transaction& transaction) {
            for (std::optional<NotificationKey> after = NotificationKey{}; after;)
                after = delete_old_notifications(transaction, *after, 1, store.now);
        });
        return store.count("notifications");
    };
    store.subscribe("http://a.example/");
    store.subscribe("http://b.example/");
    store.notify("1");
    store.notify("2");
    CHECK(clean() == 2);
    store.finish(store.claim(1).at(0), Delivered::delivered);
    CHECK(clean() == 2);
    const auto other = store.claim();
    for (const auto& delivery : other) store.finish(delivery, Delivered::delivered);
    CHECK(clean() == 1);
    store.deliver_all();
    CHECK(clean() == 0);
}

TEST_CASE("Pauses grow up to 12 hours, and a notification is given up after days") {
    CHECK(pause_after(1, 0, 0.5) == std::chrono::seconds(30));
    CHECK(pause_after(2, 0, 0.5) == std::chrono::seconds(60));
    CHECK(pause_after(15, 0, 0.5) == std::chrono::hours(12));
    CHECK(pause_after(15, 0, 0.0) == std::chrono::hours(9));
    CHECK(pause_after(15, 0, 1.0) == std::chrono::hours(15));
    CHECK_FALSE(pause_after(16, 0, 0.5));
    CHECK(pause_after(2, 1, 0.5));
    CHECK_FALSE(pause_after(3, 1, 0.5));
    std::chrono::seconds in_all{0};
    for (std::int64_t tries = 1; const auto pause = pause_after(tries, 0, 0.5); ++tries)
        in_all += *pause;
    CHECK(in_all > std::chrono::days(2));
    CHECK(in_all < std::chrono::days(3));
}

TEST_CASE("Whatever fails at any statement, everything arrives in order") {
    const auto engine = GENERATE(support::engines());
    for (const auto fault : support::all_faults)
        support::sweep(fault, [&](const std::shared_ptr<support::FaultPlan>& plan) {
            INFO(support::name_of(engine));
            const support::FreshStore fresh(engine);
            {
                HubStore before(fresh.connect());
                before.subscribe("http://a.example/");
                before.subscribe("http://b.example/");
            }
            HubStore faulty(support::faulty(fresh.connect(), plan));
            auto sent = (faulty.notify("1"), faulty.deliver_all());
            faulty.notify("2");
            for (const auto& one : faulty.deliver_all()) sent.push_back(one);
            HubStore after(fresh.connect());
            after.now = faulty.now + store::claim_lasts;
            for (const auto& one : after.deliver_all()) sent.push_back(one);
            for (const std::string callback : {"http://a.example/", "http://b.example/"}) {
                std::string got;
                for (const auto& one : sent)
                    if (one.starts_with(callback)) got += one.back();
                CHECK(got == "12");
            }
        });
}
