// SPDX-License-Identifier: MIT
#include "hub/deliveries.hpp"

#include <algorithm>
#include <cmath>

#include "hub/subscriptions.hpp"

namespace hub {

namespace {

using base::format_rfc3339;
using store::Transaction;
using store::Value;

// Returns the end of a statement that finishes a delivery: the claim ends, and the next notification is due
// at once if there is one. Only the row itself is looked at, so it can't miss one that is recorded at the same
// time; and a subscriber that has subscribed anew meanwhile does not get what came before.
constexpr const char* to_next =
    " tries = 0, claim = 0, due_at = CASE WHEN queued > ? AND queued > delivered THEN ? ELSE ''"
    " END, delivered = CASE WHEN delivered > ? THEN delivered ELSE ? END"
    " WHERE id = ? AND claim = ?";

}  // namespace

std::optional<Notification> load_notification(Transaction& transaction,
                                              const NotificationKey& key) {
    const auto rows = transaction.query(
        "SELECT content_type, body FROM notifications WHERE topic = ? AND number = ?",
        {Value{key.topic}, Value{key.number}});
    if (rows.empty()) return std::nullopt;
    return Notification{rows.front().text(0), rows.front().blob(1)};
}

std::optional<NotificationKey> delete_old_notifications(Transaction& transaction,
                                                        const NotificationKey& after,
                                                        std::size_t most, base::Seconds now) {
    const auto rows = transaction.query(
        "SELECT n.topic, n.number, EXISTS (SELECT 1 FROM subscriptions s WHERE s.topic = n.topic"
        " AND s.delivered < n.number AND s.expires_at > ?) OR EXISTS (SELECT 1 FROM hub_requests "
        "r"
        " WHERE r.topic = n.topic AND r.since < n.number)"
        " FROM notifications n WHERE n.topic > ? OR (n.topic = ? AND n.number > ?)"
        " ORDER BY n.topic, n.number LIMIT ?",
        {Value{format_rfc3339(ended_before(transaction, now).value_or(base::Seconds{}))},
         Value{after.topic}, Value{after.topic}, Value{after.number},
         Value{static_cast<std::int64_t>(most)}});
    for (const auto& row : rows)
        if (row.integer(2) == 0)
            transaction.execute("DELETE FROM notifications WHERE topic = ? AND number = ?",
                                {row.value(0), row.value(1)});
    if (rows.size() < most) return std::nullopt;
    return NotificationKey{rows.back().integer(0), rows.back().integer(1)};
}

std::vector<Delivery> due_deliveries(Transaction& transaction, std::size_t most,
                                     base::Seconds now) {
    const auto time = format_rfc3339(now);
    std::vector<Delivery> due;
    for (const auto& row : transaction.query(
             "SELECT s.id, s.due_at, s.claim, s.topic, s.callback, s.host, s.topic_url, s.secret,"
             " s.method, s.reader, s.tries, s.given_up, s.expires_at, s.queued, s.delivered,"
             " (SELECT MIN(n.number) FROM notifications n WHERE n.topic = s.topic"
             " AND n.number > s.delivered) FROM subscriptions s"
             " WHERE s.due_at > '' AND s.due_at <= ? ORDER BY s.due_at LIMIT ?",
             {Value{time}, Value{static_cast<std::int64_t>(most)}})) {
        Delivery delivery{.row = {row.integer(0), row.text(1), row.integer(2)},
                          .notification = {row.integer(3), 0},
                          .callback = row.text(4),
                          .host = row.text(5),
                          .topic_url = row.text(6),
                          .secret = row.text(7),
                          .method = method_named(row.text(8)),
                          .reader = row.text(9),
                          .tries = row.integer(10),
                          .given_up = row.integer(11),
                          .queued = row.integer(13),
                          .delivered = row.integer(14),
                          .expires_at = row.text(12)};
        if (delivery.expires_at <= time)
            delivery.state = Delivery::State::has_ended;
        else if (row.is_null(15))
            delivery.state = Delivery::State::is_empty;
        else
            delivery.notification.number = row.integer(15);
        due.push_back(std::move(delivery));
    }
    return due;
}

std::vector<Delivery> claim_deliveries(Transaction& transaction, const std::vector<Delivery>& due,
                                       std::int64_t claim, base::Seconds now) {
    using State = Delivery::State;
    std::vector<Delivery> claimed;
    for (const auto& each : due) {
        const bool is_sent = each.state == State::to_send;
        const auto due_at = is_sent                          ? now + store::claim_lasts
                            : each.state == State::has_ended ? now + std::chrono::days(1)
                                                             : base::Seconds{};
        const auto written = transaction.execute(
            "UPDATE subscriptions SET due_at = ?, claim = ? WHERE id = ? AND due_at = ?"
            " AND claim = ? AND queued = ? AND delivered = ? AND expires_at = ?",
            {Value{each.state == State::is_empty ? std::string() : format_rfc3339(due_at)},
             Value{is_sent ? claim : 0}, Value{each.row.id}, Value{each.row.due},
             Value{each.row.claim}, Value{each.queued}, Value{each.delivered},
             Value{each.expires_at}});
        if (written == 0 || !is_sent) continue;
        claimed.push_back(each);
        claimed.back().row.claim = claim;
    }
    return claimed;
}

std::map<std::string, std::int64_t> finish_deliveries(Transaction& transaction,
                                                      std::span<const DeliveryResult> results,
                                                      base::Seconds now) {
    static const std::string deliver =
        std::string("UPDATE subscriptions SET failing_since = '', given_up = 0,") + to_next;
    static const std::string give_up =
        std::string("UPDATE subscriptions SET given_up = given_up + 1,") + to_next;
    static const std::string retry =
        "UPDATE subscriptions SET tries = tries + 1, claim = 0, due_at = ?,"
        " failing_since = CASE WHEN failing_since = '' THEN ? ELSE failing_since END"
        " WHERE id = ? AND claim = ?";
    const Value time{format_rfc3339(now)};
    std::map<std::string, std::int64_t> counts;
    for (const auto& [delivery, outcome, pause] : results) {
        const Value id{delivery.row.id}, claim{delivery.row.claim},
            number{delivery.notification.number}, later{format_rfc3339(now + pause)};
        switch (outcome) {
            case Delivered::delivered:
                counts["delivered"] +=
                    transaction.execute(deliver, {number, time, number, number, id, claim});
                break;
            case Delivered::failed:
                if (pause.count() > 0)
                    counts["failed"] += transaction.execute(retry, {later, time, id, claim});
                else
                    counts["given up"] +=
                        transaction.execute(give_up, {number, time, number, number, id, claim});
                break;
            case Delivered::gone:
                counts["gone"] += transaction.execute(
                    "DELETE FROM subscriptions WHERE id = ? AND claim = ?", {id, claim});
                break;
            case Delivered::not_sent:
                store::end_claim(transaction, delivery_queue, delivery.row.id, delivery.row.claim,
                                 now + pause);
                break;
        }
    }
    return counts;
}

std::optional<std::chrono::seconds> pause_after(std::int64_t tries, std::int64_t given_up,
                                                double random) {
    if (tries >= (given_up > 0 ? most_tries_of_dead : most_tries)) return std::nullopt;
    constexpr double longest = 12.0 * 3600;
    const auto pause = std::min(longest, 30.0 * std::pow(2.0, static_cast<double>(tries - 1)));
    return std::chrono::seconds(std::lround(pause * (0.75 + random / 2)));
}

}  // namespace hub
