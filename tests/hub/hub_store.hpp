// A store with subscriptions, whose clock the test sets.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hub/deliveries.hpp"
#include "hub/news.hpp"
#include "hub/requests.hpp"
#include "hub/subscriptions.hpp"
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
        return subscriptions.ask(request_of(callback, topic, mode), topic);
    }
    // Claims requests, for topics whose positions are known.
    std::vector<hub::PendingRequest> claim_requests() {
        execute("UPDATE topics SET position = 'p0' WHERE position = ''");
        return call(hub::claim_requests, call(hub::due_requests, 100, now), ++last_claim, now);
    }
    bool finish(const hub::PendingRequest& request,
                hub::Verified outcome = hub::Verified::confirmed) {
        return call(hub::finish_request, request, outcome, std::chrono::seconds(0), now);
    }
    void confirm_all() {
        for (const auto& request : claim_requests()) finish(request);
    }
    // Claims topics as a hub does that serves the release for which they were marked.
    std::vector<hub::DueTopic> claim_topics() {
        const auto marked = query("SELECT text FROM hub_notes WHERE name = 'marked'");
        const std::string text = marked.empty() ? "" : marked.at(0).text(0);
        return claim_topics(text.substr(0, text.find(' ')));
    }
    std::vector<hub::DueTopic> claim_topics(const std::string& release) {
        return call(hub::claim_topics, call(hub::due_topics, 100, now), release, ++last_claim,
                    now);
    }
    void subscribe(const std::string& callback, const std::string& name = "a") {
        REQUIRE(ask(callback, name) == hub::Accepted::yes);
        confirm_all();
    }
    // Records a notification behind the one before it.
    void notify(const std::string& body, const std::string& name = "a") {
        const auto url = topic_of(name).url;
        execute("UPDATE topics SET look_at = '1970-01-01T00:00:00Z', claim = 0 WHERE url = '" +
                url + "'");
        // A claim that was committed without an answer is not among those that are returned.
        auto claimed = claim_topics();
        for (; claimed.empty(); claimed = claim_topics()) now += store::claim_lasts;
        for (const auto& topic : claimed) {
            hub::Look look{.topic = topic, .pause = std::chrono::days(1)};
            if (topic.topic.url == url) {
                look.outcome = hub::Look::Outcome::notification;
                look.news = {"text/xml", body, "behind " + body};
            }
            call(hub::finish_look, look, now);
        }
    }
    std::vector<hub::Delivery> claim(std::size_t most = 100) {
        return call(hub::claim_deliveries, call(hub::due_deliveries, most, now), ++last_claim,
                    now);
    }
    std::map<std::string, std::int64_t> finish(const hub::Delivery& delivery,
                                               hub::Delivered outcome, int pause = 0) {
        const hub::DeliveryResult result{delivery, outcome, std::chrono::seconds(pause)};
        return call(hub::finish_deliveries, std::span(&result, 1), now);
    }
    std::string body_of(const hub::Delivery& delivery) {
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
