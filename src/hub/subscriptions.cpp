// SPDX-License-Identifier: MIT
#include "hub/subscriptions.hpp"

#include <array>

#include "base/digest.hpp"
#include "tables/counters.hpp"

namespace hub {

namespace {

using base::format_rfc3339;
using store::Access;
using store::Transaction;
using store::Value;

const store::Insert a_topic{
    "topics", {"url", "url_digest", "subject", "class", "name", "version"}, {"url_digest"}};
const store::Insert a_subscription{"subscriptions",
                                   {"topic", "callback", "callback_digest", "host"},
                                   {"topic", "callback_digest"}};

std::int64_t as_integer(std::size_t number) { return static_cast<std::int64_t>(number); }

struct TopicRow {
    std::int64_t id = 0, notifications = 0;
};

// Returns the row with this URL, and keeps it from the sweep: whoever ends it has to wait until this
// transaction has ended.
std::optional<TopicRow> hold_topic(Transaction& transaction, const std::string& digest) {
    const Value key{digest};
    if (transaction.execute(
            "UPDATE topics SET activations = activations + 1 WHERE url_digest = ?", {key}) == 0)
        return std::nullopt;
    const auto rows =
        transaction.query("SELECT id, notifications FROM topics WHERE url_digest = ?", {key});
    return TopicRow{rows.at(0).integer(0), rows.at(0).integer(1)};
}

TopicRow make_topic(Transaction& transaction, const Topic& topic, const std::string& digest) {
    store::insert_unless_there(
        transaction, a_topic,
        std::vector{Value{topic.url}, Value{digest}, Value{std::string(name_of(topic.subject))},
                    Value{topic.class_name}, Value{topic.name}, Value{topic.version}});
    return hold_topic(transaction, digest).value();
}

// Counts rows in an index up to `most`.
bool is_full(Transaction& transaction, const std::string& condition, const Value& value,
             std::size_t most) {
    const auto rows =
        transaction.query("SELECT COUNT(*) FROM (SELECT 1 FROM subscriptions WHERE " + condition +
                              " LIMIT ?) counted",
                          {value, Value{as_integer(most)}});
    return rows.at(0).integer(0) >= as_integer(most);
}

// A subscription as far as requests for it are concerned.
struct OldSubscription {
    std::int64_t id = 0;
    bool is_pending = false;
};

std::optional<OldSubscription> find_subscription(Transaction& transaction, std::int64_t topic,
                                                 const std::string& callback_digest) {
    const auto rows = transaction.query(
        "SELECT id, asked FROM subscriptions WHERE topic = ? AND callback_digest = ?",
        {Value{topic}, Value{callback_digest}});
    if (rows.empty()) return std::nullopt;
    return OldSubscription{rows.front().integer(0), !rows.front().text(1).empty()};
}

void note_request(Transaction& transaction, const SubscriptionRequest& request,
                  const Value& subscription, const std::string& reader, const TopicRow& topic,
                  const std::string& now) {
    // A renewal while the subscription is active keeps pending notifications, even if the lease ends before verification.
    transaction.execute(
        "UPDATE subscriptions SET asked = ?, asked_number = asked_number + 1, asked_at = ?,"
        " asked_from = CASE WHEN expires_at > ? THEN delivered ELSE ? END, asked_topic_url = ?,"
        " asked_secret = ?, asked_method = ?, asked_lease = ?, asked_reader = ?, verify_at = ?,"
        " verify_tries = 0, verify_claim = 0 WHERE id = ?",
        {Value{std::string(name_of(request.mode))}, Value{now}, Value{now},
         Value{topic.notifications}, Value{request.topic.text}, Value{request.secret},
         Value{std::string(name_of(request.method))}, Value{std::int64_t{request.lease.count()}},
         Value{reader}, Value{now}, subscription});
}

}  // namespace

Accepted Subscriptions::ask(const SubscriptionRequest& request, const Topic& topic,
                            const std::string& token_digest) {
    const auto topic_digest = base::sha256_hex(topic.url);
    const auto callback_digest = base::sha256_hex(request.callback.text);
    return store::perform(pool_, Access::write, [&](Transaction& transaction) -> Accepted {
        auto row = hold_topic(transaction, topic_digest);
        auto old = row ? find_subscription(transaction, row->id, callback_digest) : std::nullopt;
        if (!old && request.mode == Mode::unsubscribe) return Accepted::yes;
        const Value host{request.callback.host};
        if (!(old && old->is_pending) &&
            is_full(transaction, "host = ? AND asked > ''", host, limits_.most_pending_of_host))
            return Accepted::host_is_full;
        if (!old) {
            if (is_full(transaction, "host = ?", host, limits_.most_of_host))
                return Accepted::host_is_full;
            if (is_full(transaction, "id > ?", Value{std::int64_t{0}}, limits_.most))
                return Accepted::store_is_full;
            if (!row) row = make_topic(transaction, topic, topic_digest);
            store::insert_unless_there(transaction, a_subscription,
                                       std::vector{Value{row->id}, Value{request.callback.text},
                                                   Value{callback_digest}, host});
            old = find_subscription(transaction, row->id, callback_digest);
        }
        note_request(transaction, request, Value{old.value().id}, token_digest, *row,
                     format_rfc3339(clock_(transaction)));
        return Accepted::yes;
    });
}

std::vector<SubscriptionEntry> list_subscriptions(Transaction& transaction, std::int64_t after,
                                                  std::string_view text, std::size_t most) {
    std::vector<SubscriptionEntry> entries;
    const std::string part(text);
    for (const auto& row : transaction.query(
             "SELECT s.id, t.url, s.callback, s.expires_at, s.asked, s.secret,"
             " CASE WHEN s.due_at = '' THEN '' ELSE (SELECT MIN(n.made_at) FROM notifications n"
             " WHERE n.topic = s.topic AND n.number > s.delivered) END, s.tries, s.failing_since"
             " FROM subscriptions s JOIN topics t ON t.id = s.topic WHERE s.id > ?"
             " AND (? = '' OR INSTR(s.callback, ?) > 0 OR INSTR(t.url, ?) > 0)"
             " ORDER BY s.id LIMIT ?",
             {Value{after}, Value{part}, Value{part}, Value{part}, Value{as_integer(most)}}))
        entries.push_back({.id = row.integer(0),
                           .topic = row.text(1),
                           .callback = row.text(2),
                           .expires_at = row.text(3),
                           .is_pending = !row.text(4).empty(),
                           .is_signed = !row.text(5).empty(),
                           .waiting_since = row.text(6),
                           .tries = row.integer(7),
                           .failing_since = row.text(8)});
    return entries;
}

std::vector<tables::ObjectName> subscribed_objects(Transaction& transaction, std::size_t most,
                                                   base::Seconds now) {
    std::vector<tables::ObjectName> names;
    for (const auto& row : transaction.query(
             "SELECT t.class, t.name, COUNT(*) subscribers FROM topics t JOIN subscriptions s"
             " ON s.topic = t.id WHERE t.subject = 'object' AND s.expires_at > ?"
             " GROUP BY t.class, t.name ORDER BY subscribers DESC, t.class, t.name LIMIT ?",
             {Value{format_rfc3339(now)}, Value{as_integer(most)}}))
        names.push_back({row.text(0), row.text(1)});
    return names;
}

namespace {

std::uint64_t count_of(Transaction& transaction, const char* sql, const std::string& value) {
    return static_cast<std::uint64_t>(transaction.query(sql, {Value{value}}).at(0).integer(0));
}

}  // namespace

HubNumbers hub_numbers(Transaction& transaction) {
    HubNumbers numbers;
    const auto now = format_rfc3339(store::now(transaction));
    numbers.subscriptions =
        count_of(transaction, "SELECT COUNT(*) FROM subscriptions WHERE expires_at > ?", now);
    numbers.topics = count_of(transaction, "SELECT COUNT(*) FROM topics WHERE subject > ?", "");
    numbers.to_verify =
        count_of(transaction, "SELECT COUNT(*) FROM subscriptions WHERE verify_at > ?", "");
    numbers.waiting =
        count_of(transaction, "SELECT COUNT(*) FROM subscriptions WHERE due_at > ?", "");
    numbers.failing = count_of(
        transaction, "SELECT COUNT(*) FROM subscriptions WHERE due_at > ? AND failing_since > ''",
        "");
    const auto oldest = transaction.query(
        "SELECT MIN(n.made_at) FROM subscriptions s JOIN notifications n ON n.topic = s.topic"
        " AND n.number = s.delivered + 1 WHERE s.due_at > ''");
    if (!oldest.at(0).is_null(0))
        numbers.waiting_since = base::parse_rfc3339(oldest.at(0).text(0));
    for (const auto& row :
         transaction.query("SELECT number FROM hub_notes WHERE name = 'looked'"))
        numbers.looked_at = base::Seconds(std::chrono::seconds(row.integer(0)));
    numbers.outcomes = tables::load_outcomes(transaction, "hub_notes");
    return numbers;
}

void sweep(Transaction& transaction, base::Seconds now) {
    // A clock that was set back or ahead by mistake gets some time to be corrected.
    const Value past{format_rfc3339(now - expired_stays)};
    transaction.execute(
        "DELETE FROM subscriptions WHERE expires_at > '' AND expires_at < ? AND asked = ''",
        {past});
    // The site could not say what a topic is, again and again.
    const std::vector<Value> stale{Value{format_rfc3339(now - longest_pending)}};
    transaction.execute("DELETE FROM subscriptions WHERE verify_at > '' AND asked_at < ?"
                        " AND expires_at = ''",
                        stale);
    transaction.execute("UPDATE subscriptions SET asked = '', verify_at = '', verify_tries = 0,"
                        " verify_claim = 0 WHERE verify_at > '' AND asked_at < ?",
                        stale);
    // Nothing is due after the end. If the clock was wrong, the next notification makes all of it due again.
    transaction.execute("UPDATE subscriptions SET due_at = '', claim = 0 WHERE due_at > ''"
                        " AND expires_at <= ?",
                        {Value{format_rfc3339(now)}});
    // What lies further ahead than anything that is written was written by a clock that was wrong.
    const Value soon{format_rfc3339(now)}, far{format_rfc3339(now + std::chrono::days(2))},
        too_far{format_rfc3339(now + longest_lease + std::chrono::days(2))};
    transaction.execute("UPDATE subscriptions SET due_at = ?, claim = 0 WHERE due_at > ?",
                        {soon, far});
    transaction.execute("UPDATE subscriptions SET verify_at = ?, verify_claim = 0 WHERE"
                        " verify_at > ?",
                        {soon, far});
    transaction.execute("UPDATE subscriptions SET expires_at = ? WHERE expires_at > ?",
                        {Value{format_rfc3339(now + longest_lease)}, too_far});
}

std::vector<std::int64_t> unused_topics(Transaction& transaction, std::size_t most) {
    std::vector<std::int64_t> topics;
    for (const auto& row : transaction.query(
             "SELECT t.id FROM topics t WHERE NOT EXISTS (SELECT 1 FROM subscriptions s"
             " WHERE s.topic = t.id) ORDER BY t.id LIMIT ?",
             {Value{as_integer(most)}}))
        topics.push_back(row.integer(0));
    return topics;
}

void delete_unused_topics(Transaction& transaction, std::span<const std::int64_t> topics) {
    for (const auto topic : topics) {
        const Value id{topic};
        // Whoever asks for a subscription writes the row too, so one of the two waits for the other.
        transaction.execute("UPDATE topics SET activations = activations + 1 WHERE id = ?", {id});
        if (!transaction.query("SELECT 1 FROM subscriptions WHERE topic = ? LIMIT 1", {id})
                 .empty())
            continue;
        transaction.execute("DELETE FROM notifications WHERE topic = ?", {id});
        transaction.execute("DELETE FROM topics WHERE id = ?", {id});
    }
}

namespace {

constexpr std::array<std::pair<std::string_view, Topic::Subject>, 6> subjects{
    {{"object", Topic::Subject::object},
     {"watch_list", Topic::Subject::watch_list},
     {"class", Topic::Subject::whole_class},
     {"release", Topic::Subject::release},
     {"releases", Topic::Subject::all_releases},
     {"source_feed", Topic::Subject::source_feed}}};

}  // namespace

std::string_view name_of(Topic::Subject subject) {
    return subjects.at(static_cast<std::size_t>(subject)).first;
}

Topic topic_in(const store::Row& row, std::size_t first) {
    Topic topic{.url = row.text(first)};
    for (const auto& [name, subject] : subjects)
        if (row.text(first + 1) == name) topic.subject = subject;
    topic.class_name = row.text(first + 2);
    topic.name = row.text(first + 3);
    topic.version = row.text(first + 4);
    return topic;
}

}  // namespace hub
