// A store with subscriptions, whose clock the test sets.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hub/deliveries.hpp"
#include "hub/news.hpp"
#include "hub/subscriptions.hpp"
#include "hub/verifications.hpp"
#include "support/catch.hpp"
#include "support/pooled_store.hpp"

namespace support {

inline hub::Topic topic_of(const std::string& name) {
    return {.url = "http://f.example/rss?class=Gene&name=" + name,
            .subject = hub::Topic::Subject::object,
            .class_name = "Gene",
            .name = name};
}

inline hub::SubscriptionRequest request_of(const std::string& callback, const hub::Topic& topic,
                                           hub::Mode mode = hub::Mode::subscribe) {
    return {
        .mode = mode, .callback = *net::parse_url(callback), .topic = *net::parse_url(topic.url)};
}

// Counts verifications and deliveries as a hub without a network does.
struct HubStore : PooledStore {
    using PooledStore::PooledStore;

    hub::Accepted ask(const std::string& callback, const std::string& name = "a",
                      hub::Mode mode = hub::Mode::subscribe) {
        const auto topic = topic_of(name);
        return subscriptions.ask(request_of(callback, topic, mode), topic, "");
    }
    std::vector<hub::ClaimedVerification> claim_verifications() {
        return call(hub::claim_verifications, ++last_claim, 100, now);
    }
    bool finish(const hub::ClaimedVerification& verification,
                hub::Verified outcome = hub::Verified::confirmed,
                const std::string& position = "p0") {
        return call(hub::finish_verification, verification, outcome, position, now);
    }
    void confirm_all() {
        for (const auto& verification : claim_verifications()) finish(verification);
    }
    void subscribe(const std::string& callback, const std::string& name = "a") {
        REQUIRE(ask(callback, name) == hub::Accepted::yes);
        confirm_all();
    }
    // Records a notification behind the one before it.
    bool notify(const std::string& body, const std::string& name = "a") {
        const auto topic =
            query("SELECT id, position FROM topics WHERE url = '" + topic_of(name).url + "'")
                .at(0);
        const hub::FoundNews made{.topic = topic.integer(0),
                                  .before = topic.text(1),
                                  .news = {"text/xml", body, "behind " + body},
                                  .looked_in = "WS1",
                                  .row_seen = ""};
        return call(hub::record_notification, made, now);
    }
    std::vector<hub::ClaimedDelivery> claim(std::vector<std::string> without_hosts = {},
                                            std::size_t most = 100) {
        const hub::ClaimTerms terms{
            .claim = ++last_claim, .most = most, .without_hosts = without_hosts};
        return call(hub::claim_deliveries, terms, now);
    }
    std::map<std::string, std::int64_t> finish(const hub::ClaimedDelivery& delivery,
                                               hub::Delivered outcome, int pause = 0) {
        const hub::DeliveryResult result{&delivery, outcome, std::chrono::seconds(pause)};
        return call(hub::finish_deliveries, std::span(&result, 1), now);
    }
    std::string body_of(const hub::ClaimedDelivery& delivery) {
        const auto loaded = call(hub::load_notification, delivery.notification);
        return loaded ? loaded->body : "(nothing)";
    }
    // Claims and delivers everything, again and again; returns "callback body" in the order of sending.
    std::vector<std::string> deliver_all() {
        std::vector<std::string> sent;
        for (auto claimed = claim(); !claimed.empty(); claimed = claim())
            for (const auto& delivery : claimed) {
                sent.push_back(delivery.callback + ' ' + body_of(delivery));
                finish(delivery, hub::Delivered::delivered);
            }
        return sent;
    }
    std::vector<hub::SubscriptionEntry> list() {
        return call(hub::list_subscriptions, 0, "", 1000);
    }
    std::int64_t count(const std::string& table) {
        return query("SELECT COUNT(*) FROM " + table).at(0).integer(0);
    }

    base::Seconds now{*base::parse_date("2008-04-01")};
    std::int64_t last_claim = 0;
    hub::Subscriptions subscriptions{pool, {}, [this](store::Transaction&) { return now; }};
};

}  // namespace support
