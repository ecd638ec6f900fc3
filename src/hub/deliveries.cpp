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
// time.
constexpr const char* to_next =
    " tries = 0, claim = 0, due_at = CASE WHEN queued > ? THEN ? ELSE '' END, delivered = ?"
    " WHERE id = ? AND claim = ?";

}  // namespace

bool record_notification(Transaction& transaction, const FoundNews& found, base::Seconds now) {
    const Value topic{found.topic}, time{format_rfc3339(now)};
    const auto moved = transaction.execute(
        "UPDATE topics SET position = ?, notifications = notifications + 1, looked_in = ?,"
        " row_seen = CASE WHEN ? = '' THEN row_seen ELSE ? END WHERE id = ? AND position = ?",
        {Value{found.news.position}, Value{found.looked_in}, Value{found.row_seen},
         Value{found.row_seen}, topic, Value{found.before}});
    if (moved == 0) return false;
    const auto number =
        transaction.query("SELECT notifications FROM topics WHERE id = ?", {topic})
            .at(0)
            .value(0);
    transaction.execute("INSERT INTO notifications (topic, number, content_type, body, made_at)"
                        " VALUES (?, ?, ?, ?, ?)",
                        {topic, number, Value{found.news.content_type},
                         Value{store::Blob{found.news.body}}, time});
    transaction.execute("UPDATE subscriptions SET queued = ?,"
                        " due_at = CASE WHEN due_at = '' THEN ? ELSE due_at END"
                        " WHERE topic = ? AND expires_at > ?",
                        {number, time, topic, time});
    return true;
}

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
        " AND s.delivered < n.number AND (s.expires_at > ? OR s.asked > ''))"
        " FROM notifications n WHERE n.topic > ? OR (n.topic = ? AND n.number > ?)"
        " ORDER BY n.topic, n.number LIMIT ?",
        {Value{format_rfc3339(now - expired_stays)}, Value{after.topic}, Value{after.topic},
         Value{after.number}, Value{static_cast<std::int64_t>(most)}});
    for (const auto& row : rows)
        if (row.integer(2) == 0)
            transaction.execute("DELETE FROM notifications WHERE topic = ? AND number = ?",
                                {row.value(0), row.value(1)});
    if (rows.size() < most) return std::nullopt;
    return NotificationKey{rows.back().integer(0), rows.back().integer(1)};
}

std::vector<ClaimedDelivery> claim_deliveries(Transaction& transaction, const ClaimTerms& terms,
                                              base::Seconds now) {
    const Value time{format_rfc3339(now)}, end{format_rfc3339(now + delivery_claim)};
    std::vector<Value> values{time, time};
    for (std::size_t i = 0; i < most_excluded_hosts; ++i)
        values.emplace_back(i < terms.without_hosts.size() ? terms.without_hosts[i] : "");
    values.emplace_back(static_cast<std::int64_t>(terms.most));
    const auto rows = transaction.query(
        "SELECT s.id, s.topic, s.callback, s.host, s.topic_url, s.secret, s.method, s.reader,"
        " s.tries, s.given_up, s.due_at, s.claim, n.number, n.made_at, s.queued, s.delivered"
        " FROM subscriptions s LEFT JOIN notifications n ON n.topic = s.topic AND n.number ="
        " (SELECT MIN(m.number) FROM notifications m WHERE m.topic = s.topic"
        " AND m.number > s.delivered)"
        " WHERE s.due_at > '' AND s.due_at <= ? AND s.expires_at > ? AND s.host NOT IN"
        " (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ORDER BY s.due_at LIMIT ?",
        values);
    std::vector<ClaimedDelivery> claimed;
    for (const auto& row : rows) {
        const bool has_notification = !row.is_null(12);
        const auto taken = transaction.execute(
            "UPDATE subscriptions SET due_at = ?, claim = ? WHERE id = ? AND due_at = ?"
            " AND claim = ? AND queued = ? AND delivered = ?",
            {has_notification ? end : Value{std::string()},
             Value{has_notification ? terms.claim : 0}, row.value(0), row.value(10),
             row.value(11), row.value(14), row.value(15)});
        if (taken == 0 || !has_notification) continue;
        claimed.push_back({.subscription = row.integer(0),
                           .claim = terms.claim,
                           .notification = {row.integer(1), row.integer(12)},
                           .callback = row.text(2),
                           .host = row.text(3),
                           .topic_url = row.text(4),
                           .secret = row.text(5),
                           .method = row.text(6) == name_of(SignatureMethod::sha1)
                                         ? SignatureMethod::sha1
                                         : SignatureMethod::sha256,
                           .reader = row.text(7),
                           .tries = row.integer(8),
                           .given_up = row.integer(9),
                           .made_at = base::parse_rfc3339(row.text(13)).value_or(now)});
    }
    return claimed;
}

bool is_delivery_due(Transaction& transaction, base::Seconds now) {
    return !transaction
                .query("SELECT 1 FROM subscriptions WHERE due_at > '' AND due_at <= ?"
                       " AND expires_at > ? LIMIT 1",
                       {Value{format_rfc3339(now)}, Value{format_rfc3339(now)}})
                .empty();
}

bool renew_claims(Transaction& transaction, std::span<const ClaimedDelivery* const> claims,
                  base::Seconds now) {
    const Value end{format_rfc3339(now + delivery_claim)};
    bool are_all_there = true;
    for (const auto* claimed : claims)
        if (transaction.execute("UPDATE subscriptions SET due_at = ? WHERE id = ? AND claim = ?",
                                {end, Value{claimed->subscription}, Value{claimed->claim}}) == 0)
            are_all_there = false;
    return are_all_there;
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
        const Value id{delivery->subscription}, claim{delivery->claim},
            number{delivery->notification.number}, later{format_rfc3339(now + pause)};
        switch (outcome) {
            case Delivered::delivered:
                counts["delivered"] +=
                    transaction.execute(deliver, {number, time, number, id, claim});
                break;
            case Delivered::failed:
                if (pause.count() > 0)
                    counts["failed"] += transaction.execute(retry, {later, time, id, claim});
                else
                    counts["given up"] +=
                        transaction.execute(give_up, {number, time, number, id, claim});
                break;
            case Delivered::gone:
                counts["gone"] += transaction.execute(
                    "DELETE FROM subscriptions WHERE id = ? AND claim = ?", {id, claim});
                break;
            case Delivered::not_sent:
                transaction.execute(
                    "UPDATE subscriptions SET claim = 0, due_at = ? WHERE id = ? AND claim = ?",
                    {later, id, claim});
                break;
        }
    }
    return counts;
}

void put_off(Transaction& transaction, const std::string& host, std::chrono::seconds pause,
             base::Seconds now) {
    transaction.execute(
        "UPDATE subscriptions SET due_at = ?,"
        " failing_since = CASE WHEN failing_since = '' THEN ? ELSE failing_since END"
        " WHERE host = ? AND due_at > '' AND due_at <= ?",
        {Value{format_rfc3339(now + pause)}, Value{format_rfc3339(now)}, Value{host},
         Value{format_rfc3339(now)}});
}

std::optional<std::chrono::seconds> pause_after(std::int64_t tries, std::int64_t given_up,
                                                double random) {
    if (tries >= (given_up > 0 ? most_tries_of_dead : most_tries)) return std::nullopt;
    constexpr double longest = 12.0 * 3600;
    const auto pause = std::min(longest, 30.0 * std::pow(2.0, static_cast<double>(tries - 1)));
    return std::chrono::seconds(std::lround(pause * (0.75 + random / 2)));
}

}  // namespace hub
