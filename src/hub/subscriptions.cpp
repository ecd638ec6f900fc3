// SPDX-License-Identifier: MIT
#include "hub/subscriptions.hpp"

#include <array>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "tables/counters.hpp"

namespace hub {

namespace {

using base::format_rfc3339;
using store::Access;
using store::Transaction;
using store::Value;

const store::Insert a_topic{
    "topics",
    {"url", "url_digest", "subject", "class", "name", "version", "look_at"},
    {"url_digest"}};
const store::Insert a_request{"hub_requests",
                              {"topic", "callback", "callback_digest", "host", "network", "mode",
                               "topic_url", "secret", "method", "lease", "reader", "since",
                               "received_at", "due_at"},
                              {"topic", "callback_digest"}};

std::int64_t as_integer(std::size_t number) { return static_cast<std::int64_t>(number); }

std::optional<std::int64_t> find_topic(Transaction& transaction, const std::string& digest) {
    const auto rows =
        transaction.query("SELECT id FROM topics WHERE url_digest = ?", {Value{digest}});
    return rows.empty() ? std::nullopt : std::optional(rows.front().integer(0));
}

// Returns the row with this URL, which the transaction holds.
std::int64_t make_topic(Transaction& transaction, const Topic& topic, const std::string& digest,
                        const std::string& now) {
    store::insert_unless_there(transaction, a_topic,
                               std::vector{Value{topic.url}, Value{digest},
                                           Value{std::string(name_of(topic.subject))},
                                           Value{topic.class_name}, Value{topic.name},
                                           Value{topic.version}, Value{now}});
    const auto id = find_topic(transaction, digest).value();
    (void)hold_topic(transaction, id).value();
    return id;
}

// Counts rows in an index up to `most`.
bool is_full(Transaction& transaction, const std::string& rows, const Value& value,
             std::size_t most) {
    const auto counted =
        transaction.query("SELECT COUNT(*) FROM (SELECT 1 FROM " + rows + " LIMIT ?) counted",
                          {value, Value{as_integer(most)}});
    return counted.at(0).integer(0) >= as_integer(most);
}

}  // namespace

std::optional<std::int64_t> hold_topic(Transaction& transaction, std::int64_t topic) {
    const Value id{topic};
    if (transaction.execute("UPDATE topics SET sequence = sequence + 1 WHERE id = ?", {id}) == 0)
        return std::nullopt;
    return transaction.query("SELECT newest FROM topics WHERE id = ?", {id}).at(0).integer(0);
}

Accepted Subscriptions::ask(const SubscriptionRequest& request, const Topic& topic,
                            const Asker& asker) {
    const auto topic_digest = base::sha256_hex(topic.url);
    const auto callback_digest = base::sha256_hex(request.callback.text);
    const auto full = [&](Transaction& transaction, bool is_subscribed) {
        const Value any{std::int64_t{0}}, host{request.callback.host}, network{asker.network};
        if (is_subscribed) return Accepted::yes;
        if (is_full(transaction, "hub_requests WHERE network = ?", network,
                    limits_.most_pending_of_asker))
            return Accepted::asker_is_full;
        if (is_full(transaction, "subscriptions WHERE host = ?", host, limits_.most_of_host))
            return Accepted::host_is_full;
        for (const auto* table : {"subscriptions", "hub_requests"})
            if (is_full(transaction, std::string(table) + " WHERE id > ?", any, limits_.most))
                return Accepted::store_is_full;
        return Accepted::yes;
    };
    return store::perform(pool_, Access::write, [&](Transaction& transaction) -> Accepted {
        const auto now = format_rfc3339(clock_(transaction));
        auto id = find_topic(transaction, topic_digest);
        auto since = id ? hold_topic(transaction, *id) : std::nullopt;
        const Value digest{callback_digest};
        const auto find = [&](const char* sql) {
            return since ? transaction.query(sql, {Value{*id}, digest}) : store::Rows();
        };
        const auto subscribed = find("SELECT expires_at, delivered FROM subscriptions"
                                     " WHERE topic = ? AND callback_digest = ?");
        const bool is_pending =
            !find("SELECT 1 FROM hub_requests WHERE topic = ? AND callback_digest = ?").empty();
        if (subscribed.empty() && !is_pending && request.mode == Mode::unsubscribe)
            return Accepted::yes;
        if (!is_pending)
            if (const auto answer = full(transaction, !subscribed.empty());
                answer != Accepted::yes)
                return answer;
        if (!since) {
            id = make_topic(transaction, topic, topic_digest, now);
            since = 0;
        }
        // Who is subscribed now keeps what waits, even if the lease ends before the verification.
        if (!subscribed.empty() && subscribed.front().text(0) > now)
            since = subscribed.front().integer(1);
        transaction.execute("DELETE FROM hub_requests WHERE topic = ? AND callback_digest = ?",
                            {Value{*id}, digest});
        transaction.execute(
            store::insert_sql(a_request),
            std::vector{Value{*id}, Value{request.callback.text}, digest,
                        Value{request.callback.host}, Value{asker.network},
                        Value{std::string(name_of(request.mode))}, Value{request.topic.text},
                        Value{request.secret}, Value{std::string(name_of(request.method))},
                        Value{std::int64_t{request.lease.count()}}, Value{asker.token_digest},
                        Value{*since}, Value{now}, Value{now}});
        return Accepted::yes;
    });
}

std::vector<SubscriptionEntry> list_subscriptions(Transaction& transaction, std::int64_t after,
                                                  std::string_view text, std::size_t most) {
    std::vector<SubscriptionEntry> entries;
    const std::string part(text);
    for (const auto& row : transaction.query(
             "SELECT s.id, t.url, s.callback, s.expires_at, EXISTS (SELECT 1 FROM hub_requests r"
             " WHERE r.topic = s.topic AND r.callback_digest = s.callback_digest), s.secret,"
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
                           .is_pending = row.integer(4) != 0,
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
        count_of(transaction, "SELECT COUNT(*) FROM hub_requests WHERE received_at > ?", "");
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

namespace {

// When sweeps were made: the last one, and the first one of those that followed each other.
struct Sweeps {
    base::Seconds last{}, first{};
};
// How far a clock may be from the last sweep to be believed: hubs may have been stopped for hours.
constexpr std::chrono::seconds furthest_sweep = std::chrono::days(1),
                               furthest_back = std::chrono::hours(1);
constexpr std::chrono::seconds steady_after = std::chrono::days(1);

Sweeps load_sweeps(Transaction& transaction, base::Seconds now) {
    Sweeps sweeps{.last = now, .first = now};
    for (const auto& row :
         transaction.query("SELECT number, text FROM hub_notes WHERE name = 'swept'")) {
        const base::Seconds last{std::chrono::seconds(row.integer(0))};
        const auto first = base::parse_integer(row.text(1)).value_or(row.integer(0));
        if (now < last + furthest_sweep && now > last - furthest_back)
            sweeps = {now, base::Seconds(std::chrono::seconds(first))};
    }
    return sweeps;
}

void save_sweeps(Transaction& transaction, const Sweeps& sweeps) {
    transaction.execute(store::upsert_sql(transaction.engine(),
                                          {"hub_notes", {"name", "number", "text"}, {"name"}}),
                        {Value{std::string("swept")},
                         Value{std::int64_t{sweeps.last.time_since_epoch().count()}},
                         Value{std::to_string(sweeps.first.time_since_epoch().count())}});
}

}  // namespace

std::optional<base::Seconds> ended_before(Transaction& transaction, base::Seconds now) {
    if (now - load_sweeps(transaction, now).first < steady_after) return std::nullopt;
    return now - expired_stays;
}

void sweep(Transaction& transaction, base::Seconds now) {
    save_sweeps(transaction, load_sweeps(transaction, now));
    if (const auto ended = ended_before(transaction, now)) {
        transaction.execute("DELETE FROM subscriptions WHERE expires_at > '' AND expires_at < ?",
                            {Value{format_rfc3339(*ended)}});
        // The site could not say what a topic is, again and again.
        transaction.execute("DELETE FROM hub_requests WHERE received_at < ?",
                            {Value{format_rfc3339(now - longest_pending)}});
    }
    for (const auto& queue : {topic_queue, request_queue, delivery_queue})
        store::correct_due(transaction, queue, std::chrono::days(2), now);
    transaction.execute("UPDATE subscriptions SET expires_at = ? WHERE expires_at > ?",
                        {Value{format_rfc3339(now + longest_lease)},
                         Value{format_rfc3339(now + longest_lease + std::chrono::days(2))}});
}

std::vector<std::int64_t> unused_topics(Transaction& transaction, std::size_t most) {
    std::vector<std::int64_t> topics;
    for (const auto& row : transaction.query(
             "SELECT t.id FROM topics t WHERE NOT EXISTS (SELECT 1 FROM subscriptions s"
             " WHERE s.topic = t.id) AND NOT EXISTS (SELECT 1 FROM hub_requests r"
             " WHERE r.topic = t.id) ORDER BY t.id LIMIT ?",
             {Value{as_integer(most)}}))
        topics.push_back(row.integer(0));
    return topics;
}

void delete_unused_topics(Transaction& transaction, std::span<const std::int64_t> topics) {
    for (const auto topic : topics) {
        const Value id{topic};
        if (!hold_topic(transaction, topic)) continue;
        const auto used =
            transaction.query("SELECT 1 FROM subscriptions WHERE topic = ? UNION ALL"
                              " SELECT 1 FROM hub_requests WHERE topic = ? LIMIT 1",
                              {id, id});
        if (!used.empty()) continue;
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
