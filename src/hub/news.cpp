// SPDX-License-Identifier: MIT
#include "hub/news.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "hub/subscriptions.hpp"
#include "store/dialect.hpp"
#include "tables/feed_writes.hpp"
#include "tables/prewarmed.hpp"
#include "tables/release_rows.hpp"
#include "tables/releases.hpp"

namespace hub {

namespace {

using base::format_rfc3339;
using store::Transaction;
using store::Value;

const store::Insert a_note{"hub_notes", {"name", "number", "text"}, {"name"}};
constexpr std::chrono::seconds look_claim{60};

// Up to which row (sid) all were looked at, and the highest one that a look saw later: that one is the next
// mark, once every transaction that might still bring a lower one is over.
struct RowMark {
    std::int64_t sid = 0, next = 0;
    base::Seconds noted_at{};  // the next one

    [[nodiscard]] bool is_due(base::Seconds now) const {
        return now < noted_at || now - noted_at >= std::chrono::minutes(1);
    }
};

// What the last finished look saw.
struct LastLook {
    std::string version;  // empty: there was none
    std::int64_t generation = 0, feed_writes = -1;
    RowMark mark;
};

// Splits "NUMBER REST".
std::pair<std::int64_t, std::string> number_and_rest(const std::string& text) {
    const auto blank = std::min(text.find(' '), text.size());
    return {base::parse_integer(std::string_view(text).substr(0, blank)).value_or(-1),
            text.substr(std::min(blank + 1, text.size()))};
}

LastLook last_look(Transaction& transaction) {
    LastLook last;
    for (const auto& row :
         transaction.query("SELECT name, number, text FROM hub_notes WHERE name IN"
                           " ('looked', 'feed writes', 'rows', 'next rows')")) {
        const auto name = row.text(0);
        if (name == "looked")
            std::tie(last.generation, last.version) = number_and_rest(row.text(2));
        else if (name == "feed writes")
            last.feed_writes = row.integer(1);
        else if (name == "rows")
            last.mark.sid = row.integer(1);
        else
            last.mark.next = row.integer(1),
            last.mark.noted_at = *base::parse_rfc3339(row.text(2));
    }
    return last;
}

using Chosen = std::map<std::int64_t, std::string>;  // row_seen by topic

// Chooses topics of objects that have a row in the release.
void choose_changed(Transaction& transaction, const std::string& version, Chosen& chosen) {
    const auto sql = std::string("SELECT t.id, t.row_seen, h.sid, h.revision FROM topics t ") +
                     std::string(store::read_first(transaction.engine())) +
                     "history h ON h.version = ? AND h.class = t.class AND h.name = t.name"
                     " WHERE t.subject = 'object'";
    for (const auto& row : transaction.query(sql, {Value{version}})) {
        auto seen =
            version + ' ' + std::to_string(row.integer(2)) + ' ' + std::to_string(row.integer(3));
        if (seen != row.text(1)) chosen[row.integer(0)] = std::move(seen);
    }
}

// Chooses topics of objects that may not be compared in the release.
void choose_uncompared(Transaction& transaction, const std::string& version, Chosen& chosen) {
    const auto prewarmed = tables::prewarmed_classes(transaction, version);
    std::set<std::pair<std::string, std::string>> failed;
    for (const auto& object : tables::failed_objects(transaction, version, ""))
        failed.emplace(object.class_name, object.name);
    for (const auto& row : transaction.query(
             "SELECT id, class, name FROM topics WHERE subject = 'object' AND looked_in <> ?",
             {Value{version}}))
        if (!prewarmed.contains(row.text(1)) || failed.contains({row.text(1), row.text(2)}))
            chosen.try_emplace(row.integer(0));
}

// Chooses copies of source feeds that show something else than when they were looked at.
void choose_copies(Transaction& transaction, Chosen& chosen) {
    static const std::string writes = "COALESCE(CAST(f.writes AS CHAR), 'removed')";
    static const std::string sql =
        "SELECT t.id, " + writes +
        " FROM topics t LEFT JOIN feeds f ON f.id = CAST(t.name AS INTEGER)"
        " WHERE t.subject = 'source_feed' AND t.row_seen <> " +
        writes;
    for (const auto& row : transaction.query(sql)) chosen[row.integer(0)] = row.text(1);
}

// Chooses topics whose first subscription came in force since they were looked at: their position was read before
// that, and a look in between passed them over.
void choose_activated(Transaction& transaction, base::Seconds now, Chosen& chosen) {
    for (const auto& row : transaction.query(
             "SELECT t.id FROM topics t WHERE t.subject IN ('object', 'watch_list', 'class',"
             " 'release', 'releases', 'source_feed') AND t.looked_in = '' AND t.position > '' AND"
             " EXISTS (SELECT 1 FROM subscriptions s WHERE s.topic = t.id AND s.expires_at > ?)",
             {Value{format_rfc3339(now)}}))
        chosen.try_emplace(row.integer(0));
}

}  // namespace

std::optional<LookPlan> plan_look(Transaction& transaction, const std::string& current,
                                  base::Seconds now) {
    LookPlan plan{.version = current,
                  .generation = tables::generation(transaction),
                  .feed_writes = tables::all_feed_writes(transaction)};
    const auto last = last_look(transaction);
    const bool is_written = last.version != current || last.generation != plan.generation;
    const bool are_feeds_written = last.feed_writes != plan.feed_writes;
    Chosen chosen;
    choose_activated(transaction, now, chosen);
    if (!is_written && !are_feeds_written && chosen.empty()) return std::nullopt;
    const auto releases = tables::load_releases(transaction);
    for (const auto& [version, sid] : tables::newest_rows(transaction)) {
        plan.newest_row = std::max(plan.newest_row, sid);
        if (releases.is_later(version, current)) continue;
        if (sid > last.mark.sid || releases.is_later(version, last.version))
            choose_changed(transaction, version, chosen);
    }
    if (last.version != current) choose_uncompared(transaction, current, chosen);
    if (is_written)
        for (const auto& row : transaction.query(
                 "SELECT id FROM topics WHERE subject NOT IN ('object', 'source_feed')"))
            chosen.try_emplace(row.integer(0));
    if (are_feeds_written) choose_copies(transaction, chosen);
    plan.candidates.reserve(chosen.size());
    for (auto& [topic, row_seen] : chosen)
        plan.candidates.push_back({topic, std::move(row_seen)});
    return plan;
}

void note_finished_look(Transaction& transaction, const LookPlan& plan, base::Seconds now) {
    const auto upsert = store::upsert_sql(transaction.engine(), a_note);
    const auto note = [&](const std::string& name, std::int64_t number, const std::string& text) {
        const std::vector<Value> values{Value{name}, Value{number}, Value{text}};
        transaction.execute(upsert, values);
    };
    const auto last = last_look(transaction);
    if (last.mark.is_due(now)) {
        note("rows", last.mark.next, "");
        note("next rows", plan.newest_row, format_rfc3339(now));
    }
    if (last.feed_writes != plan.feed_writes) note("feed writes", plan.feed_writes, "");
    note("looked", now.time_since_epoch().count(),
         std::to_string(plan.generation) + ' ' + plan.version);
}

void note_looker_is_there(Transaction& transaction, base::Seconds now) {
    transaction.execute("UPDATE hub_notes SET number = ? WHERE name = 'looked'",
                        {Value{std::int64_t{now.time_since_epoch().count()}}});
}

bool claim_look(Transaction& transaction, std::int64_t owner, base::Seconds now) {
    const auto seconds = now.time_since_epoch().count();
    const Value until{std::int64_t{seconds + look_claim.count()}}, me{std::to_string(owner)};
    store::insert_unless_there(
        transaction, a_note,
        std::vector{Value{std::string("looker")}, Value{std::int64_t{0}}, Value{std::string()}});
    return transaction.execute("UPDATE hub_notes SET text = ?, number = ? WHERE name = 'looker'"
                               " AND (text = ? OR number <= ? OR number > ?)",
                               {me, until, me, Value{std::int64_t{seconds}}, until}) == 1;
}

void end_look(Transaction& transaction, std::int64_t owner) {
    transaction.execute("UPDATE hub_notes SET number = 0 WHERE name = 'looker' AND text = ?",
                        {Value{std::to_string(owner)}});
}

std::optional<TopicState> load_topic(Transaction& transaction, std::int64_t topic,
                                     base::Seconds now) {
    const auto rows = transaction.query(
        "SELECT url, subject, class, name, version, position FROM topics WHERE id = ? AND EXISTS"
        " (SELECT 1 FROM subscriptions s WHERE s.topic = topics.id AND s.expires_at > ?)",
        {Value{topic}, Value{format_rfc3339(now)}});
    if (rows.empty()) return std::nullopt;
    return TopicState{topic_in(rows.front(), 0), rows.front().text(5)};
}

void note_without_news(Transaction& transaction, const LookPlan::Candidate& candidate,
                       const std::string& looked_in) {
    if (candidate.row_seen.empty())
        transaction.execute("UPDATE topics SET looked_in = ? WHERE id = ?",
                            {Value{looked_in}, Value{candidate.topic}});
    else
        transaction.execute(
            "UPDATE topics SET looked_in = ?, row_seen = ? WHERE id = ?",
            {Value{looked_in}, Value{candidate.row_seen}, Value{candidate.topic}});
}

}  // namespace hub
