// hub/subscriptions.hpp -- the tables topics, hub_requests and subscriptions: who gets what, and until when.
// A subscription is one callback for one topic. What its subscriber asked for last is a request until the hub
// has verified it, and apart from what is in force: a renewal that nobody confirms changes nothing.
// All functions throw store::Failure. Times are those of the store's clock. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/date.hpp"
#include "hub/subscription_request.hpp"
#include "hub/topic.hpp"
#include "store/claim.hpp"
#include "store/dialect.hpp"
#include "store/pool.hpp"
#include "store/worker.hpp"
#include "tables/objects.hpp"

namespace hub {

struct SubscriptionLimits {
    std::size_t most = 1'000'000;        // subscriptions, and as many requests
    std::size_t most_of_host = 100'000;  // subscriptions with callbacks of one host
    std::size_t most_pending_of_asker =
        500;  // requests of a network that wait for their verification
};

enum class Accepted : unsigned char {
    yes,
    asker_is_full,  // nothing is recorded, as below; works again when others have been verified
    host_is_full,   // when others have ended
    store_is_full,
};

// Who sent a request, as far as the hub is concerned.
struct Asker {
    // The network that his address belongs to (net::network_of()); empty: unknown.
    std::string network = {};
    // base::sha256_hex() of the token that showed that he may read the topic; empty: a public site.
    std::string token_digest = {};
};

// Accepts requests of subscribers.
class Subscriptions {
   public:
    // `pool` must outlive the object.
    explicit Subscriptions(store::Pool& pool, SubscriptionLimits limits = {},
                           store::Clock clock = store::now)
        : pool_(pool), limits_(limits), clock_(std::move(clock)) {}

    // Records what a subscriber asks for; the hub verifies it later, and of several requests for one
    // subscription only the last one. A request to end a subscription that isn't there is forgotten.
    // Strangers can ask in the name of any callback, so requests are counted by who asks; and what is in force can
    // be renewed or ended whatever others ask for.
    //   topic  what request.topic stands for. Verifications name the topic as the request did
    //   cost   one transaction of some statements; limits are counted in an index
    [[nodiscard]] Accepted ask(const SubscriptionRequest& request, const Topic& topic,
                               const Asker& asker = {});

   private:
    store::Pool& pool_;
    SubscriptionLimits limits_;
    store::Clock clock_;
};

// What operators see of a subscription: never its secret.
struct SubscriptionEntry {
    std::int64_t id = 0;
    std::string topic, callback;
    std::string expires_at;   // RFC 3339
    bool is_pending = false;  // a request to renew or end it waits for its verification
    bool is_signed = false;
    std::string waiting_since;  // RFC 3339: since when a change waits; empty: it has everything
    std::int64_t tries = 0;     // of the delivery that is due
    std::string failing_since;  // RFC 3339; empty: the last delivery succeeded
    bool operator==(const SubscriptionEntry&) const = default;
};
// Returns those with an id above `after` whose callback or topic contains `text`, by id.
[[nodiscard]] std::vector<SubscriptionEntry> list_subscriptions(store::Transaction& transaction,
                                                                std::int64_t after,
                                                                std::string_view text,
                                                                std::size_t most);
// Returns the objects with the most subscriptions, most first.
[[nodiscard]] std::vector<tables::ObjectName> subscribed_objects(store::Transaction& transaction,
                                                                 std::size_t most,
                                                                 base::Seconds now);

// For /metrics, /healthz and operators.
struct HubNumbers {
    std::uint64_t subscriptions = 0;  // in force
    std::uint64_t topics = 0;
    std::uint64_t to_verify = 0;                 // requests that wait for their verification
    std::uint64_t waiting = 0;                   // subscriptions that wait for a delivery
    std::uint64_t failing = 0;                   // of these, how many have failed at least once
    std::optional<base::Seconds> waiting_since;  // the oldest change that is not delivered
    std::optional<base::Seconds> looked_at;  // when a hub looked for news last; nullopt: never
    // Outcomes since the store was made, by all hubs: "delivered", "failed", "given up", "gone", "verified",
    // "refused".
    std::vector<std::pair<std::string, std::uint64_t>> outcomes = {};
};
//   cost  scans two indexes: for callers that ask about once a minute
[[nodiscard]] HubNumbers hub_numbers(store::Transaction& transaction);

// ---- For the hub ----

// How long a subscription that has ended stays in the table.
inline constexpr std::chrono::days expired_stays{7};

// After that, a request that could not be verified is forgotten.
inline constexpr std::chrono::days longest_pending{2};

// Deletes subscriptions that ended some time ago and requests that nobody could verify, and corrects times that a
// wrong clock wrote. Deletes nothing until sweeps have followed each other for a day: a clock that leaps must not end
// what is in force.
void sweep(store::Transaction& transaction, base::Seconds now);
// Returns the time before which a subscription must have ended to be forgotten, with what waits for it; nullopt:
// the clock has not been steady for a day.
[[nodiscard]] std::optional<base::Seconds> ended_before(store::Transaction& transaction,
                                                        base::Seconds now);
// Returns topics that nobody has a subscription or request for.
//   cost  an index look-up for each topic
[[nodiscard]] std::vector<std::int64_t> unused_topics(store::Transaction& transaction,
                                                      std::size_t most);
// Deletes those of them that nobody has subscribed to meanwhile, with their notifications.
void delete_unused_topics(store::Transaction& transaction, std::span<const std::int64_t> topics);

inline constexpr store::Queue topic_queue{"topics", "look_at"},
    request_queue{"hub_requests", "due_at"}, delivery_queue{"subscriptions", "due_at"};

// Called first by all that asks for a subscription, confirms one or deletes a topic, so that these happen one after
// another.
//   returns  the number of the topic's last notification; nullopt: there is no such topic
[[nodiscard]] std::optional<std::int64_t> hold_topic(store::Transaction& transaction,
                                                     std::int64_t topic);

// "object", "watch_list", "class", "release", "releases"
[[nodiscard]] std::string_view name_of(Topic::Subject subject);
// Returns the topic in five columns of a row: url, subject, class, name, version.
[[nodiscard]] Topic topic_in(const store::Row& row, std::size_t first);

}  // namespace hub
