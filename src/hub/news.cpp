// SPDX-License-Identifier: MIT
#include "hub/news.hpp"

#include <limits>

#include "base/text.hpp"
#include "hub/subscriptions.hpp"
#include "store/dialect.hpp"
#include "tables/counters.hpp"
#include "tables/release_rows.hpp"
#include "tables/releases.hpp"

namespace hub {

namespace {

using base::format_rfc3339;
using store::Transaction;
using store::Value;

const store::Insert a_note{"hub_notes", {"name", "number", "text"}, {"name"}};
constexpr std::chrono::seconds look_claim{60};
// Within this time after a row got its number, its transaction ends.
constexpr std::chrono::minutes rows_settle_within{1};

// What the last finished look saw.
struct LastLook {
    std::string version;  // empty: there was none
    bool is_compared = false;
    std::int64_t highest = 0, seen = 0, settling = 0, feed_writes = -1;
    base::Seconds settling_since{};
};

LastLook last_look(Transaction& transaction) {
    LastLook last;
    const auto number_in = [](std::string_view text) {
        return base::parse_integer(text).value_or(0);
    };
    for (const auto& row :
         transaction.query("SELECT name, number, text FROM hub_notes"
                           " WHERE name IN ('looked', 'rows', 'feed writes')")) {
        const std::string text = row.text(2);
        const auto words = base::split(text, ' ');
        if (row.text(0) == "feed writes") {
            last.feed_writes = row.integer(1);
        } else if (row.text(0) == "looked" && words.size() == 2) {
            // "VERSION yes": it is compared
            last.version = words[0];
            last.is_compared = words[1] == "yes";
        } else if (row.text(0) == "rows" && words.size() == 3) {
            // "HIGHEST SETTLING SINCE"
            last.seen = row.integer(1);
            last.highest = number_in(words[0]);
            last.settling = number_in(words[1]);
            last.settling_since = base::Seconds(std::chrono::seconds(number_in(words[2])));
        }
    }
    return last;
}

using Chosen = std::map<std::int64_t, std::string>;  // row_seen by topic

// Returns the releases that have become visible since the last look.
std::vector<std::string> releases_since(const tables::Releases& releases, const std::string& last,
                                        const std::string& current) {
    std::vector<std::string> versions;
    if (last == current) return versions;
    if (releases.find(last) == nullptr) return {current};
    for (const auto& release : releases.all())
        if (releases.is_later(release.version, last) &&
            !releases.is_later(release.version, current))
            versions.push_back(release.version);
    return versions;
}

//   row  topic, row_seen and sid
void choose_for_row(const store::Row& row, Chosen& chosen) {
    auto seen = std::to_string(row.integer(2));
    if (seen != row.text(1)) chosen[row.integer(0)] = std::move(seen);
}

// Chooses topics of objects that have a row in the release.
void choose_changed(Transaction& transaction, const std::string& version, Chosen& chosen) {
    const auto sql = std::string("SELECT t.id, t.row_seen, h.sid FROM topics t ") +
                     std::string(store::read_first(transaction.engine())) +
                     "history h ON h.version = ? AND h.class = t.class AND h.name = t.name"
                     " WHERE t.subject = 'object'";
    for (const auto& row : transaction.query(sql, {Value{version}})) choose_for_row(row, chosen);
}

// Chooses topics of objects that have a row behind this one, in a release up to the current one.
void choose_recorded(Transaction& transaction, const tables::Releases& releases,
                     const std::string& current, std::int64_t seen, Chosen& chosen) {
    const auto sql = std::string("SELECT t.id, t.row_seen, h.sid, h.version FROM history h ") +
                     std::string(store::read_first(transaction.engine())) +
                     "topics t ON t.class = h.class AND t.name = h.name AND t.subject = 'object'"
                     " WHERE h.sid > ? ORDER BY h.sid";
    for (const auto& row : transaction.query(sql, {Value{seen}}))
        if (!releases.is_later(row.text(3), current)) choose_for_row(row, chosen);
}

// Chooses topics of objects that may not be compared in the release: none if a job has read them all.
void choose_uncompared(Transaction& transaction, const tables::Releases& releases,
                       const std::string& version, Chosen& chosen) {
    const auto number = releases.number_of(version);
    const auto read = transaction.query(
        "SELECT number FROM builds WHERE number = ? AND recorded_at <> '' AND unreadable = 0",
        {Value{number}});
    if (!read.empty()) return;
    constexpr auto any = std::numeric_limits<std::int64_t>::max();
    for (const auto& row : transaction.query(
             "SELECT t.id FROM topics t LEFT JOIN objects o ON o.class = t.class AND"
             " o.name = t.name AND o.build >= ?"
             " WHERE t.subject = 'object' AND t.looked_in <> ? AND o.oid IS NULL",
             {Value{number == 0 ? any : number}, Value{version}}))
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
    const auto releases = tables::load_releases(transaction);
    LookPlan plan{.version = current,
                  .is_compared = releases.is_compared(current),
                  .feed_writes = tables::all_feed_writes(transaction)};
    for (const auto& [version, sid] : tables::newest_rows(transaction))
        plan.highest = std::max(plan.highest, sid);
    const auto last = last_look(transaction);
    const bool is_settling = last.seen < last.settling;
    const bool has_settled = is_settling && last.settling_since + rows_settle_within <= now;
    const bool begins_anew = !is_settling || has_settled;
    plan.seen = has_settled ? last.settling : last.seen;
    plan.settling = begins_anew ? plan.highest : last.settling;
    // A clock that was set back begins the minute again.
    plan.settling_since = begins_anew ? now : std::min(last.settling_since, now);
    const bool is_written = last.version != current || last.is_compared != plan.is_compared ||
                            last.highest != plan.highest || has_settled;
    const bool are_feeds_written = last.feed_writes != plan.feed_writes;
    Chosen chosen;
    choose_activated(transaction, now, chosen);
    if (!is_written && !are_feeds_written && chosen.empty()) return std::nullopt;
    for (const auto& version : releases_since(releases, last.version, current))
        choose_changed(transaction, version, chosen);
    choose_recorded(transaction, releases, current, last.seen, chosen);
    if (last.version != current) choose_uncompared(transaction, releases, current, chosen);
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
    if (last_look(transaction).feed_writes != plan.feed_writes)
        note("feed writes", plan.feed_writes, "");
    note("rows", plan.seen,
         std::to_string(plan.highest) + ' ' + std::to_string(plan.settling) + ' ' +
             std::to_string(plan.settling_since.time_since_epoch().count()));
    note("looked", now.time_since_epoch().count(),
         plan.version + (plan.is_compared ? " yes" : " no"));
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
