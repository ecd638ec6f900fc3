// SPDX-License-Identifier: MIT
#include "hub/requests.hpp"

#include <array>

#include "hub/subscriptions.hpp"

namespace hub {

namespace {

using base::format_rfc3339;
using store::Transaction;
using store::Value;

// The pauses before the tries after the first one.
constexpr std::array<std::chrono::seconds, 2> pauses{std::chrono::minutes(1),
                                                     std::chrono::minutes(10)};

const store::Insert a_subscription{"subscriptions",
                                   {"topic", "callback", "callback_digest", "host"},
                                   {"topic", "callback_digest"}};

// Puts what was asked for in force.
//   newest  the number of the topic's last notification; the transaction holds the topic
void put_in_force(Transaction& transaction, const PendingRequest& request, std::int64_t newest,
                  base::Seconds now) {
    const Value topic{request.topic}, digest{request.callback_digest}, last{newest},
        since{request.since}, time{format_rfc3339(now)};
    store::insert_unless_there(
        transaction, a_subscription,
        std::vector{topic, Value{request.callback}, digest, Value{request.host}});
    // Who was not subscribed before gets what came after it asked. A delivery that is claimed goes on: what comes after
    // it must not overtake it. MariaDB sees the new value of `delivered` on the right, for which the larger one is the
    // same.
    transaction.execute(
        "UPDATE subscriptions SET delivered = CASE WHEN delivered > ? THEN delivered ELSE ? END,"
        " queued = ?, tries = 0, given_up = 0, failing_since = '', due_at = CASE"
        " WHEN claim <> 0 THEN due_at WHEN (CASE WHEN delivered > ? THEN delivered ELSE ? END) < "
        "? THEN ? ELSE '' END"
        " WHERE topic = ? AND callback_digest = ? AND expires_at <= ?",
        {since, since, last, since, since, last, time, topic, digest, time});
    transaction.execute(
        "UPDATE subscriptions SET expires_at = ?, topic_url = ?, secret = ?, method = ?,"
        " reader = ? WHERE topic = ? AND callback_digest = ?",
        {Value{format_rfc3339(request.claimed_at + request.verification.lease)},
         Value{request.verification.topic_url}, Value{request.secret},
         Value{std::string(name_of(request.method))}, Value{request.reader}, topic, digest});
}

}  // namespace

std::vector<PendingRequest> due_requests(Transaction& transaction, std::size_t most,
                                         base::Seconds now) {
    std::vector<PendingRequest> due;
    for (const auto& row : transaction.query(
             "SELECT r.id, r.due_at, r.claim, r.topic, r.callback, r.callback_digest, r.host,"
             " r.mode, r.topic_url, r.lease, r.secret, r.method, r.reader, r.since, r.tries"
             " FROM hub_requests r JOIN topics t ON t.id = r.topic"
             " WHERE r.due_at <= ? AND t.position > '' ORDER BY r.due_at LIMIT ?",
             {Value{format_rfc3339(now)}, Value{static_cast<std::int64_t>(most)}}))
        due.push_back({.row = {row.integer(0), row.text(1), row.integer(2)},
                       .topic = row.integer(3),
                       .callback = row.text(4),
                       .callback_digest = row.text(5),
                       .host = row.text(6),
                       .verification = {.mode = mode_named(row.text(7)),
                                        .topic_url = row.text(8),
                                        .challenge = {},
                                        .lease = std::chrono::seconds(row.integer(9))},
                       .secret = row.text(10),
                       .method = method_named(row.text(11)),
                       .reader = row.text(12),
                       .since = row.integer(13),
                       .tries = row.integer(14)});
    return due;
}

std::vector<PendingRequest> claim_requests(Transaction& transaction,
                                           const std::vector<PendingRequest>& due,
                                           std::int64_t claim, base::Seconds now) {
    auto claimed = store::claim_each(transaction, request_queue, due, claim, now);
    for (auto& each : claimed) each.claimed_at = now;
    return claimed;
}

bool finish_request(Transaction& transaction, const PendingRequest& request, Verified outcome,
                    std::chrono::seconds pause, base::Seconds now) {
    const auto [id, due, claim] = request.row;
    if (outcome == Verified::not_sent)
        return store::end_claim(transaction, request_queue, id, claim, now + pause);
    const auto tries = static_cast<std::size_t>(request.tries);
    if (outcome == Verified::failed && tries < pauses.size()) {
        if (!store::end_claim(transaction, request_queue, id, claim, now + pauses.at(tries)))
            return false;
        transaction.execute("UPDATE hub_requests SET tries = tries + 1 WHERE id = ?",
                            {Value{id}});
        return true;
    }
    const auto newest = hold_topic(transaction, request.topic);
    const bool is_ours =
        transaction.execute("DELETE FROM hub_requests WHERE id = ? AND claim = ?",
                            {Value{id}, Value{claim}}) == 1;
    if (!is_ours || !newest) return false;
    if (outcome != Verified::confirmed) return true;
    if (request.verification.mode == Mode::subscribe)
        put_in_force(transaction, request, *newest, now);
    else
        transaction.execute("DELETE FROM subscriptions WHERE topic = ? AND callback_digest = ?",
                            {Value{request.topic}, Value{request.callback_digest}});
    return true;
}

}  // namespace hub
