// hub/deliveries.hpp -- notifications, and who has to get them yet.
// A notification is what was new in a topic; they are numbered. A subscription knows the number of the last
// one that its subscriber has, and so its queue is a range of numbers. It is claimed as a whole, and only
// the oldest notification of the queue is sent: a subscriber never gets an older one after a newer one,
// however many hubs there are. If a hub dies, its claims end, and what it sent without writing so is sent
// again. All functions throw store::Failure.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/date.hpp"
#include "hub/subscription_request.hpp"
#include "hub/topic.hpp"
#include "store/pool.hpp"

namespace hub {

// How long a claim lasts, and how often a hub that works on it makes it last longer.
inline constexpr std::chrono::seconds delivery_claim{60}, renew_claims_every{15};

// ---- Notifications ----

// What a hub found in a topic.
struct FoundNews {
    std::int64_t topic = 0;
    std::string before;  // the position that the news was asked for with
    FeedNews news;
    std::string looked_in, row_seen;  // see hub/news.hpp
};
// Records a notification, makes it due for all subscriptions of the topic, and moves its position on.
//   returns  false if another hub was faster, or the position has changed otherwise: then nothing is written
//   cost     a statement that writes all subscriptions of the topic
bool record_notification(store::Transaction& transaction, const FoundNews& found,
                         base::Seconds now);

struct NotificationKey {
    std::int64_t topic = 0, number = 0;
    auto operator<=>(const NotificationKey&) const = default;
};
struct Notification {
    std::string content_type, body;
};
[[nodiscard]] std::optional<Notification> load_notification(store::Transaction& transaction,
                                                            const NotificationKey& key);
// Deletes notifications that no subscription waits for.
//   cost  looks at `most` notifications, the oldest ones first, that are behind `after`
//   returns  the last one that it looked at; nullopt: it has seen all
[[nodiscard]] std::optional<NotificationKey> delete_old_notifications(
    store::Transaction& transaction, const NotificationKey& after, std::size_t most,
    base::Seconds now);

// ---- Deliveries ----

struct ClaimedDelivery {
    std::int64_t subscription = 0, claim = 0;
    NotificationKey notification;
    std::string callback, host, topic_url;
    std::string secret;
    SignatureMethod method = SignatureMethod::sha256;
    std::string reader;  // the digest of the token
    std::int64_t tries = 0, given_up = 0;
    base::Seconds made_at{};  // the notification
};

struct ClaimTerms {
    std::int64_t claim = 0;  // a number above 0 that no other claim has
    std::size_t most = 0;
    std::vector<std::string> without_hosts = {};  // at most most_excluded_hosts
};
inline constexpr std::size_t most_excluded_hosts = 16;

// Claims deliveries that are due, those that wait longest first. A delivery whose claiming transaction was
// committed without an answer is not among those that it returns the next time; it is due again when the
// claim ends.
[[nodiscard]] std::vector<ClaimedDelivery> claim_deliveries(store::Transaction& transaction,
                                                            const ClaimTerms& terms,
                                                            base::Seconds now);
// Returns whether there may be something to claim. Costs an index look-up, and no lock.
[[nodiscard]] bool is_delivery_due(store::Transaction& transaction, base::Seconds now);
// Lets the claims last for delivery_claim from now on.
//   returns  false if one of them had ended, and another hub may deliver meanwhile
[[nodiscard]] bool renew_claims(store::Transaction& transaction,
                                std::span<const ClaimedDelivery* const> claims,
                                base::Seconds now);

enum class Delivered : unsigned char {
    delivered,
    failed,    // tried again after a pause, or given up
    gone,      // the subscriber said 410: the subscription ends
    not_sent,  // the claim is given back; it does not count as a try
};
struct DeliveryResult {
    const ClaimedDelivery* delivery = nullptr;
    Delivered outcome = Delivered::delivered;
    std::chrono::seconds pause{0};  // failed, not_sent: before the next try
};
// Writes what came of deliveries. Those whose claim has ended meanwhile are left as they are.
//   returns  how many there were of each outcome: "delivered", "failed", "given up", "gone"
std::map<std::string, std::int64_t> finish_deliveries(store::Transaction& transaction,
                                                      std::span<const DeliveryResult> results,
                                                      base::Seconds now);

void put_off(store::Transaction& transaction, const std::string& host, std::chrono::seconds pause,
             base::Seconds now);

// ---- When to try again ----

// A notification is given up after so many tries; one for a subscriber for whom others were given up before,
// and who has answered to none since, after fewer.
inline constexpr std::int64_t most_tries = 16, most_tries_of_dead = 3;

// Returns how long to wait after a delivery has failed: 30 s, doubled with each try up to 12 hours, and up to
// a quarter more or less. So most_tries take about three days; nullopt: the notification is given up, and the next one
// is tried.
//   tries   that have failed, this one included
//   random  0 … 1
[[nodiscard]] std::optional<std::chrono::seconds> pause_after(std::int64_t tries,
                                                              std::int64_t given_up,
                                                              double random);

}  // namespace hub
