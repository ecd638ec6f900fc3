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
#include "store/claim.hpp"
#include "store/pool.hpp"

namespace hub {

// ---- Notifications ----

struct NotificationKey {
    std::int64_t topic = 0, number = 0;
    auto operator<=>(const NotificationKey&) const = default;
};
struct Notification {
    std::string content_type, body;
};
[[nodiscard]] std::optional<Notification> load_notification(store::Transaction& transaction,
                                                            const NotificationKey& key);
// Deletes notifications that no subscription waits for, and no request for one.
//   cost  looks at `most` notifications, the oldest ones first, that are behind `after`
//   returns  the last one that it looked at; nullopt: it has seen all
[[nodiscard]] std::optional<NotificationKey> delete_old_notifications(
    store::Transaction& transaction, const NotificationKey& after, std::size_t most,
    base::Seconds now);

// ---- Deliveries ----

struct Delivery {
    store::QueuedRow row;
    NotificationKey notification;
    std::string callback = {}, host = {}, topic_url = {};
    std::string secret = {};
    SignatureMethod method = SignatureMethod::sha256;
    std::string reader = {};  // the digest of the token
    std::int64_t tries = 0, given_up = 0;
    // What to do with the row instead, if it is not to be sent: nothing waits, or the subscription has ended.
    enum class State : unsigned char { to_send, is_empty, has_ended } state = State::to_send;
    std::int64_t queued = 0, delivered = 0;  // as the row was read
    std::string expires_at = {};
};

// Returns deliveries that are due, those that wait longest first.
//   cost  an index look-up if there are none
[[nodiscard]] std::vector<Delivery> due_deliveries(store::Transaction& transaction,
                                                   std::size_t most, base::Seconds now);
// Claims those of them that are still as they were read, and to be sent. Of the others those that are empty are due no
// more; those that have ended are due again in a day, if they are still there then: the clock may be wrong.
//   claim    a number above 0 that no other claim has
//   returns  those that are claimed. One whose claiming transaction was committed without an answer is not among
//            them; it is due again when the claim ends
[[nodiscard]] std::vector<Delivery> claim_deliveries(store::Transaction& transaction,
                                                     const std::vector<Delivery>& due,
                                                     std::int64_t claim, base::Seconds now);

enum class Delivered : unsigned char {
    delivered,
    failed,    // tried again after a pause, or given up
    gone,      // the subscriber said 410: the subscription ends
    not_sent,  // the claim is given back; it does not count as a try
};
struct DeliveryResult {
    Delivery delivery;
    Delivered outcome = Delivered::delivered;
    std::chrono::seconds pause{0};  // failed, not_sent: before the next try
};
// Writes what came of deliveries. Those whose claim has ended meanwhile are left as they are.
//   returns  how many there were of each outcome: "delivered", "failed", "given up", "gone"
std::map<std::string, std::int64_t> finish_deliveries(store::Transaction& transaction,
                                                      std::span<const DeliveryResult> results,
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
