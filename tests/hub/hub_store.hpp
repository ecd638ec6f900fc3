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
#include "support/faulty_connection.hpp"
#include "support/stores.hpp"

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
struct HubStore {
    explicit HubStore(store::Connect connect)
        : pool(std::move(connect), 4, no_waiting()),
          subscriptions(pool, {}, [this](store::Transaction&) { return now; }) {}

    template <class F>
    auto write(F fn) {
        return store::perform(pool, store::Access::write, fn);
    }
    hub::Accepted ask(const std::string& callback, const std::string& name = "a",
                      hub::Mode mode = hub::Mode::subscribe) {
        const auto topic = topic_of(name);
        return subscriptions.ask(request_of(callback, topic, mode), topic, "");
    }
    std::vector<hub::ClaimedVerification> claim_verifications() {
        return write([&](store::Transaction& transaction) {
            return hub::claim_verifications(transaction, ++last_claim, 100, now);
        });
    }
    bool finish(const hub::ClaimedVerification& verification,
                hub::Verified outcome = hub::Verified::confirmed,
                const std::string& position = "p0") {
        return write([&](store::Transaction& transaction) {
            return hub::finish_verification(transaction, verification, outcome, position, now);
        });
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
        const auto topic = write([&](store::Transaction& transaction) {
            return transaction
                .query("SELECT id, position FROM topics WHERE url = ?",
                       {store::Value{topic_of(name).url}})
                .at(0);
        });
        return write([&](store::Transaction& transaction) {
            return hub::record_notification(transaction,
                                            {.topic = topic.integer(0),
                                             .before = topic.text(1),
                                             .news = {"text/xml", body, "behind " + body},
                                             .looked_in = "WS1",
                                             .row_seen = ""},
                                            now);
        });
    }
    std::vector<hub::ClaimedDelivery> claim(std::vector<std::string> without_hosts = {},
                                            std::size_t most = 100) {
        return write([&](store::Transaction& transaction) {
            return hub::claim_deliveries(
                transaction,
                {.claim = ++last_claim, .most = most, .without_hosts = without_hosts}, now);
        });
    }
    std::map<std::string, std::int64_t> finish(const hub::ClaimedDelivery& delivery,
                                               hub::Delivered outcome, int pause = 0) {
        const hub::DeliveryResult result{&delivery, outcome, std::chrono::seconds(pause)};
        return write([&](store::Transaction& transaction) {
            return hub::finish_deliveries(transaction, std::span(&result, 1), now);
        });
    }
    std::string body_of(const hub::ClaimedDelivery& delivery) {
        return write([&](store::Transaction& transaction) {
            const auto loaded = hub::load_notification(transaction, delivery.notification);
            return loaded ? loaded->body : "(nothing)";
        });
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
        return write([&](store::Transaction& transaction) {
            return hub::list_subscriptions(transaction, 0, "", 1000);
        });
    }
    std::int64_t count(const std::string& table) {
        return write([&](store::Transaction& transaction) {
            return transaction.query("SELECT COUNT(*) FROM " + table).at(0).integer(0);
        });
    }

    base::Seconds now{*base::parse_date("2008-04-01")};
    std::int64_t last_claim = 0;
    store::Pool pool;
    hub::Subscriptions subscriptions;
};

template <class F>
void each_hub_store(F fn) {
    each_store([&](const store::Connect& connect) {
        HubStore hub_store(connect);
        fn(hub_store);
    });
}

// The same for what MariaDB might count or lock in another way than SQLite.
template <class F>
void both_hub_stores(F fn) {
    both_stores([&](const store::Connect& connect) {
        HubStore hub_store(connect);
        fn(hub_store);
    });
}

}  // namespace support
