// SPDX-License-Identifier: MIT
#include "hub/verifications.hpp"

#include <array>

#include "hub/subscriptions.hpp"

namespace hub {

namespace {

using base::format_rfc3339;
using store::Transaction;
using store::Value;

// The pauses before the tries after the first one.
constexpr std::array<std::chrono::seconds, 2> verification_pauses{std::chrono::minutes(1),
                                                                  std::chrono::minutes(10)};

bool has_other_subscribers(Transaction& transaction, const Value& topic,
                           const Value& subscription, base::Seconds now) {
    return !transaction
                .query(
                    "SELECT 1 FROM subscriptions WHERE topic = ? AND expires_at > ? AND id <> ?"
                    " LIMIT 1",
                    {topic, Value{format_rfc3339(now)}, subscription})
                .empty();
}

// Puts what was asked for in force. The row of the topic is written first, as by whoever makes a
// notification: one of the two waits for the other, and no change falls between them.
void put_in_force(Transaction& transaction, const ClaimedVerification& verified,
                  const std::string& position, base::Seconds now) {
    const Value id{verified.subscription};
    const auto topic =
        transaction.query("SELECT topic FROM subscriptions WHERE id = ?", {id}).at(0).value(0);
    transaction.execute("UPDATE topics SET activations = activations + 1 WHERE id = ?", {topic});
    const auto newest =
        transaction.query("SELECT notifications FROM topics WHERE id = ?", {topic})
            .at(0)
            .value(0);
    const auto time = format_rfc3339(now);
    // Without a position there were other subscribers a moment ago, so that of the topic is right.
    if (!position.empty() && !has_other_subscribers(transaction, topic, id, now) &&
        transaction
            .query("SELECT 1 FROM subscriptions WHERE id = ? AND expires_at > ?",
                   {id, Value{time}})
            .empty())
        transaction.execute("UPDATE topics SET position = ?, looked_in = '' WHERE id = ?",
                            {Value{position}, topic});
    // Who was not subscribed before gets what came after it asked. MariaDB sees the new value of `delivered` on the
    // right, for which the larger one is the same.
    transaction.execute(
        "UPDATE subscriptions SET"
        " delivered = CASE WHEN delivered > asked_from THEN delivered ELSE asked_from END,"
        " queued = ?, tries = 0, given_up = 0, failing_since = '', claim = 0, due_at ="
        " CASE WHEN (CASE WHEN delivered > asked_from THEN delivered ELSE asked_from END)"
        " < ? THEN ? ELSE '' END WHERE id = ? AND expires_at <= ?",
        {newest, newest, Value{time}, id, Value{time}});
    transaction.execute(
        "UPDATE subscriptions SET expires_at = ?, topic_url = asked_topic_url,"
        " secret = asked_secret, method = asked_method, reader = asked_reader WHERE id = ?",
        {Value{format_rfc3339(verified.asked_at + verified.verification.lease)}, id});
}

void forget_request(Transaction& transaction, const Value& id) {
    transaction.execute(
        "UPDATE subscriptions SET asked = '', verify_at = '', verify_tries = 0, verify_claim = 0,"
        " asked_secret = '', asked_topic_url = '', asked_reader = ''"
        " WHERE id = ?",
        {id});
    // It was never in force.
    transaction.execute("DELETE FROM subscriptions WHERE id = ? AND expires_at = ''", {id});
}

}  // namespace

std::vector<ClaimedVerification> claim_verifications(Transaction& transaction, std::int64_t claim,
                                                     std::size_t most, base::Seconds now) {
    std::vector<ClaimedVerification> claimed;
    const auto rows = transaction.query(
        "SELECT s.id, s.asked_number, s.verify_at, s.verify_claim, s.verify_tries, s.callback,"
        " s.asked, s.asked_topic_url, s.asked_lease, s.asked_reader,"
        " t.url, t.subject, t.class, t.name, t.version, t.id"
        " FROM subscriptions s JOIN topics t ON t.id = s.topic"
        " WHERE s.verify_at > '' AND s.verify_at <= ? ORDER BY s.verify_at LIMIT ?",
        {Value{format_rfc3339(now)}, Value{static_cast<std::int64_t>(most)}});
    for (const auto& row : rows) {
        const auto taken = transaction.execute(
            "UPDATE subscriptions SET verify_at = ?, verify_claim = ? WHERE id = ?"
            " AND verify_at = ? AND verify_claim = ?",
            {Value{format_rfc3339(now + verification_claim)}, Value{claim}, row.value(0),
             row.value(2), row.value(3)});
        if (taken == 0) continue;  // by another hub, or the subscriber asked for something else
        ClaimedVerification one{.subscription = row.integer(0),
                                .number = row.integer(1),
                                .claim = claim,
                                .tries = row.integer(4),
                                .callback = row.text(5),
                                .topic = topic_in(row, 10),
                                .reader = row.text(9),
                                .asked_at = now};
        one.verification = {.mode = row.text(6) == name_of(Mode::subscribe) ? Mode::subscribe
                                                                            : Mode::unsubscribe,
                            .topic_url = row.text(7),
                            .challenge = {},
                            .lease = std::chrono::seconds(row.integer(8))};
        one.is_first = !has_other_subscribers(transaction, row.value(15), row.value(0), now);
        claimed.push_back(std::move(one));
    }
    return claimed;
}

bool is_verification_due(Transaction& transaction, base::Seconds now) {
    return !transaction
                .query("SELECT 1 FROM subscriptions WHERE verify_at > '' AND verify_at <= ?"
                       " LIMIT 1",
                       {Value{format_rfc3339(now)}})
                .empty();
}

bool finish_verification(Transaction& transaction, const ClaimedVerification& verification,
                         Verified outcome, const std::string& position, base::Seconds now) {
    const Value id{verification.subscription};
    // The claim ends here: the row is locked, and whoever runs this again finds nothing to do.
    const auto held = transaction.execute(
        "UPDATE subscriptions SET verify_claim = 0 WHERE id = ? AND asked_number = ?"
        " AND verify_claim = ?",
        {id, Value{verification.number}, Value{verification.claim}});
    if (held == 0) return false;
    if (outcome == Verified::failed) {
        const auto tries = static_cast<std::size_t>(verification.tries);
        if (tries < verification_pauses.size()) {
            transaction.execute(
                "UPDATE subscriptions SET verify_at = ?, verify_tries = ? WHERE id = ?",
                {Value{format_rfc3339(now + verification_pauses.at(tries))},
                 Value{verification.tries + 1}, id});
            return true;
        }
    }
    if (outcome == Verified::confirmed) {
        if (verification.verification.mode == Mode::unsubscribe) {
            transaction.execute("DELETE FROM subscriptions WHERE id = ?", {id});
            return true;
        }
        put_in_force(transaction, verification, position, now);
    }
    forget_request(transaction, id);
    return true;
}

void postpone_verification(Transaction& transaction, const ClaimedVerification& verification,
                           base::Seconds until) {
    transaction.execute("UPDATE subscriptions SET verify_claim = 0, verify_at = ? WHERE id = ?"
                        " AND asked_number = ? AND verify_claim = ?",
                        {Value{format_rfc3339(until)}, Value{verification.subscription},
                         Value{verification.number}, Value{verification.claim}});
}

}  // namespace hub
