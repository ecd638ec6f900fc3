// SPDX-License-Identifier: MIT
#include "hub/news.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "hub/subscriptions.hpp"
#include "store/dialect.hpp"
#include "tables/lists.hpp"
#include "tables/release_rows.hpp"
#include "tables/releases.hpp"

namespace hub {

namespace {

using base::format_rfc3339;
using store::Transaction;
using store::Value;

const store::Insert a_note{"hub_notes", {"name", "number", "text"}, {"name"}};
// Within this time after a row got its number, its transaction ends.
constexpr std::chrono::minutes rows_settle_within{1};
// A hub that has not noted its presence for so long is not there.
constexpr std::chrono::seconds hubs_end_within{150};

// Up to where topics were marked.
struct Marks {
    std::string version;       // the release that was current; empty: none
    std::int64_t build = 0;    // the number of its build
    bool is_compared = false;  // with all objects: it is in the feed of releases
    // Numbers of rows: the highest one; the one behind which rows are to be looked at once more; and the highest
    // one at `settling_since`, which will be that.
    std::int64_t highest = 0, settled = 0, settling = 0;
    base::Seconds settling_since{};
    bool operator==(const Marks&) const = default;
};

// "VERSION BUILD yes HIGHEST SETTLED SETTLING SINCE"
std::string text_of(const Marks& marks) {
    return marks.version + ' ' + std::to_string(marks.build) +
           (marks.is_compared ? " yes " : " no ") + std::to_string(marks.highest) + ' ' +
           std::to_string(marks.settled) + ' ' + std::to_string(marks.settling) + ' ' +
           std::to_string(marks.settling_since.time_since_epoch().count());
}

Marks load_marks(Transaction& transaction) {
    const auto rows = transaction.query("SELECT text FROM hub_notes WHERE name = 'marked'");
    const std::string text = rows.empty() ? "" : rows.front().text(0);
    const auto words = base::split(text, ' ');
    constexpr std::size_t parts = 7;
    if (words.size() != parts) return {};
    const auto number = [&](std::size_t at) {
        return base::parse_integer(words[at]).value_or(0);
    };
    return {.version = std::string(words[0]),
            .build = number(1),
            .is_compared = words[2] == "yes",
            .highest = number(3),
            .settled = number(4),
            .settling = number(5),
            .settling_since = base::Seconds(std::chrono::seconds(number(6)))};
}

// Returns whether a hub that serves a later release has marked topics, and is still there: hosts do not switch at the
// same moment. Topics are looked at by the hubs that serve the later one.
bool is_overtaken(Transaction& transaction, const Marks& last, const std::string& current,
                  const tables::Releases& releases, base::Seconds now) {
    if (last.version == current || !releases.is_later(last.version, current)) return false;
    const auto rows = transaction.query("SELECT number FROM hub_notes WHERE name = 'looked'");
    if (rows.empty()) return false;
    const base::Seconds looked{std::chrono::seconds(rows.front().integer(0))};
    return looked <= now && now < looked + hubs_end_within;
}

// Returns up to where topics will be marked.
Marks next_marks(Transaction& transaction, const Marks& last, const std::string& current,
                 const tables::Releases& releases, base::Seconds now) {
    auto next = last;
    next.version = current;
    next.build = releases.number_of(current);
    next.is_compared = releases.is_compared(current);
    next.highest = 0;
    for (const auto& [version, sid] : tables::newest_rows(transaction))
        next.highest = std::max(next.highest, sid);
    // Topics that are new are due by themselves, and each is looked at once a day.
    if (last.version.empty()) next.settled = next.settling = next.highest;
    const bool is_settling = last.settled < last.settling;
    // A clock that was set back begins the minute again.
    if (is_settling) next.settling_since = std::min(last.settling_since, now);
    const bool has_settled = is_settling && last.settling_since + rows_settle_within <= now;
    if (has_settled) next.settled = last.settling;
    if ((has_settled || !is_settling) && next.highest > next.settled) {
        next.settling = next.highest;
        next.settling_since = now;
    }
    return next;
}

const std::string set_due = store::make_due_sql(topic_queue);

void mark(Transaction& transaction, const std::string& condition, std::vector<Value> values,
          base::Seconds look_at) {
    const Value time{format_rfc3339(look_at)};
    values.insert(values.begin(), {time, time});
    transaction.execute(set_due + condition, values);
}

void mark_ids(Transaction& transaction, const std::vector<std::int64_t>& ids,
              base::Seconds look_at) {
    const Value time{format_rfc3339(look_at)};
    tables::execute_in(transaction, set_due + "id IN", {time, time}, tables::values_of(ids));
}

// Marks topics of objects that have a row in the release.
void mark_changed(Transaction& transaction, const std::string& version, base::Seconds look_at) {
    const auto sql = std::string("SELECT t.id FROM topics t ") +
                     std::string(store::read_first(transaction.engine())) +
                     "history h ON h.version = ? AND h.class = t.class AND h.name = t.name"
                     " WHERE t.subject = 'object'";
    mark_ids(transaction, tables::oids_of(transaction.query(sql, {Value{version}})), look_at);
}

// Marks what rows behind this one are of, as far as their releases are visible.
void mark_recorded(Transaction& transaction, const tables::Releases& releases,
                   const std::string& current, std::int64_t seen, base::Seconds look_at) {
    const auto is_visible = [&](const store::Row& row) {
        return !releases.is_later(row.text(0), current);
    };
    bool is_any_visible = false;
    for (const auto& row : transaction.query(
             "SELECT version, class FROM history WHERE sid > ? GROUP BY version, class",
             {Value{seen}})) {
        if (!is_visible(row)) continue;
        is_any_visible = true;
        mark(transaction, "subject = 'class' AND class = ?", {row.value(1)}, look_at);
        mark(transaction, "subject = 'release' AND version = ?", {row.value(0)}, look_at);
    }
    if (!is_any_visible) return;
    mark(transaction, "subject IN ('watch_list', 'releases')", {}, look_at);
    const auto sql = std::string("SELECT h.version, t.id FROM history h ") +
                     std::string(store::read_first(transaction.engine())) +
                     "topics t ON t.subject = 'object' AND t.class = h.class AND"
                     " t.name = h.name WHERE h.sid > ?";
    std::vector<std::int64_t> ids;
    for (const auto& row : transaction.query(sql, {Value{seen}}))
        if (is_visible(row)) ids.push_back(row.integer(1));
    mark_ids(transaction, ids, look_at);
}

bool is_read_whole(Transaction& transaction, const tables::Releases& releases,
                   const std::string& version) {
    return !transaction
                .query("SELECT number FROM builds WHERE number = ? AND recorded_at <> ''"
                       " AND unreadable = 0",
                       {Value{releases.number_of(version)}})
                .empty();
}

// Marks what a switch to another release makes visible.
void mark_switched(Transaction& transaction, const tables::Releases& releases,
                   const std::string& last, const std::string& current, base::Seconds look_at) {
    mark(transaction, "subject IN ('class', 'release', 'watch_list', 'releases')", {}, look_at);
    const bool is_first = last.empty();  // topics that are new are due by themselves
    if (!is_read_whole(transaction, releases, current) ||
        (!is_first && releases.find(last) == nullptr))
        return mark(transaction, "subject = 'object'", {}, look_at);
    if (is_first) return mark_changed(transaction, current, look_at);
    for (const auto& release : releases.all())
        if (releases.is_later(release.version, last) &&
            !releases.is_later(release.version, current))
            mark_changed(transaction, release.version, look_at);
}

}  // namespace

bool is_something_new(Transaction& transaction, const std::string& current, base::Seconds now) {
    const auto last = load_marks(transaction);
    const auto releases = tables::load_releases(transaction);
    return !is_overtaken(transaction, last, current, releases, now) &&
           next_marks(transaction, last, current, releases, now) != last;
}

void mark_topics(Transaction& transaction, const std::string& current, base::Seconds look_at,
                 base::Seconds now) {
    const auto releases = tables::load_releases(transaction);
    const auto last = load_marks(transaction);
    const auto next = next_marks(transaction, last, current, releases, now);
    if (next == last || is_overtaken(transaction, last, current, releases, now)) return;
    const std::vector<Value> note{Value{std::string("marked")}, Value{std::int64_t{0}},
                                  Value{text_of(next)}};
    // Written first: of several hubs the others wait here, or begin anew.
    transaction.execute(store::upsert_sql(transaction.engine(), a_note), note);
    if (last.version != next.version || last.build != next.build)
        mark_switched(transaction, releases, last.version, current, look_at);
    else if (last.is_compared != next.is_compared)
        mark(transaction, "subject IN ('release', 'releases')", {}, look_at);
    if (last.version.empty()) return;
    const auto seen = next.settled != last.settled ? last.settled : last.highest;
    mark_recorded(transaction, releases, current, seen, look_at);
}

void note_looker_is_there(Transaction& transaction, const std::string& current,
                          base::Seconds now) {
    const auto last = load_marks(transaction);
    if (is_overtaken(transaction, last, current, tables::load_releases(transaction), now)) return;
    const std::vector<Value> note{Value{std::string("looked")},
                                  Value{std::int64_t{now.time_since_epoch().count()}},
                                  Value{std::string()}};
    transaction.execute(store::upsert_sql(transaction.engine(), a_note), note);
}

std::vector<DueTopic> due_topics(Transaction& transaction, std::size_t most, base::Seconds now) {
    std::vector<DueTopic> due;
    // The clock may be wrong: who seems to have left a moment ago is still there.
    const Value ended{format_rfc3339(ended_before(transaction, now).value_or(base::Seconds{}))};
    for (const auto& row : transaction.query(
             "SELECT t.url, t.subject, t.class, t.name, t.version, t.id, t.look_at, t.claim,"
             " t.position, t.tries, EXISTS (SELECT 1 FROM subscriptions s WHERE s.topic = t.id"
             " AND s.expires_at > ?) OR EXISTS (SELECT 1 FROM hub_requests r WHERE r.topic = "
             "t.id)"
             " FROM topics t WHERE t.look_at <= ? ORDER BY t.look_at LIMIT ?",
             {ended, Value{format_rfc3339(now)}, Value{static_cast<std::int64_t>(most)}}))
        due.push_back({.row = {row.integer(5), row.text(6), row.integer(7)},
                       .topic = topic_in(row, 0),
                       .position = row.text(8),
                       .is_wanted = row.integer(10) != 0,
                       .tries = row.integer(9)});
    return due;
}

bool are_marked_for(Transaction& transaction, const std::string& current) {
    return load_marks(transaction).version == current;
}

std::vector<DueTopic> claim_topics(Transaction& transaction, const std::vector<DueTopic>& due,
                                   const std::string& current, std::int64_t claim,
                                   base::Seconds now) {
    if (!are_marked_for(transaction, current)) return {};
    return store::claim_each(transaction, topic_queue, due, claim, now);
}

namespace {

// Makes the notification, and due for all subscriptions. Also for those that seem to have ended: the clock may be
// wrong, and the claim looks again.
void notify(Transaction& transaction, const Look& look, base::Seconds now) {
    const Value topic{look.topic.row.id}, time{format_rfc3339(now)};
    transaction.execute("UPDATE topics SET newest = newest + 1 WHERE id = ?", {topic});
    const auto number =
        transaction.query("SELECT newest FROM topics WHERE id = ?", {topic}).at(0).value(0);
    transaction.execute(
        "INSERT INTO notifications (topic, number, content_type, body, made_at)"
        " VALUES (?, ?, ?, ?, ?)",
        {topic, number, Value{look.news.content_type}, Value{store::Blob{look.news.body}}, time});
    transaction.execute("UPDATE subscriptions SET queued = ?,"
                        " due_at = CASE WHEN due_at = '' THEN ? ELSE due_at END WHERE topic = ?",
                        {number, time, topic});
}

std::vector<Denied> deny_requests(Transaction& transaction, const Value& topic) {
    std::vector<Denied> denied;
    for (const auto& row : transaction.query(
             "SELECT callback, topic_url FROM hub_requests WHERE topic = ?", {topic}))
        denied.push_back({row.text(0), row.text(1)});
    transaction.execute("DELETE FROM hub_requests WHERE topic = ?", {topic});
    return denied;
}

}  // namespace

std::vector<Denied> finish_look(Transaction& transaction, const Look& look, base::Seconds now) {
    using Outcome = Look::Outcome;
    const auto [id, due, claim] = look.topic.row;
    if (!store::end_claim(transaction, topic_queue, id, claim, now + look.pause)) return {};
    const Value topic{id};
    if (look.outcome == Outcome::not_looked) return {};
    if (look.outcome == Outcome::failed) {
        transaction.execute("UPDATE topics SET tries = tries + 1 WHERE id = ?", {topic});
        return {};
    }
    const bool has_moved =
        look.outcome == Outcome::position || look.outcome == Outcome::notification;
    transaction.execute("UPDATE topics SET tries = 0, position = ? WHERE id = ?",
                        {Value{has_moved ? look.news.position : look.topic.position}, topic});
    if (look.outcome == Outcome::notification) notify(transaction, look, now);
    if (look.outcome == Outcome::absent) return deny_requests(transaction, topic);
    return {};
}

std::chrono::seconds pause_after_look(double random) {
    return std::chrono::days(1) -
           std::chrono::seconds(static_cast<std::int64_t>(random * 6 * 3600));
}

std::chrono::seconds pause_after_failed_looks(std::int64_t tries) {
    constexpr std::int64_t first = 30, longest = 3600, most_doubled = 7;
    return std::chrono::seconds(
        std::min(longest, first << std::min<std::int64_t>(tries, most_doubled)));
}

}  // namespace hub
