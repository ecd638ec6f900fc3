// SPDX-License-Identifier: MIT
#include "harvest/claims.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/log.hpp"
#include "base/utf8.hpp"
#include "harvest/feed_row.hpp"
#include "store/dialect.hpp"
#include "tables/counters.hpp"
#include "tables/lists.hpp"

namespace harvest {

namespace {

using base::format_rfc3339;
using store::Transaction;
using store::Value;

// Times have whole seconds, so that one second passes between two requests for certain only if two are counted.
constexpr std::chrono::seconds counted_spacing = spacing + std::chrono::seconds(1);
constexpr std::chrono::days read_lately{30};
constexpr std::int64_t kept_events = 100;  // of each feed
constexpr std::int64_t rows_of_sweep = 1000;
constexpr std::string_view moved_to_known = "moved to the URL of another feed";

const store::Insert a_base_url{"base_urls", {"base_url", "free_at", "claim"}, {"base_url"}};
const store::Insert an_event{"fetch_events", {"feed", "created_at", "event", "note"}, {}};
const store::Insert a_note_of_harvest{"harvest_notes", {"name", "number"}, {"name"}};

// A base URL as a claim finds it.
struct BaseState {
    bool is_known = false;
    std::string free_at, held_until, planned_until;
    std::int64_t claim = 0;
};

BaseState base_state_in(const store::Row& row, std::size_t first) {
    if (row.is_null(first)) return {};
    return {.is_known = true,
            .free_at = row.text(first),
            .held_until = row.text(first + 1),
            .planned_until = row.text(first + 2),
            .claim = row.integer(first + 3)};
}

bool is_busy(const BaseState& state, base::Seconds now) {
    const auto time = format_rfc3339(now);
    return state.free_at > time || state.held_until > time;
}

// Takes a base URL until the claim ends. Returns false if another harvester was faster.
bool take_base_url(Transaction& transaction, const std::string& base_url, const BaseState& state,
                   std::int64_t claim, base::Seconds now) {
    const Value end{format_rfc3339(now + fetch_claim)};
    if (!state.is_known)
        return store::insert_unless_there(transaction, a_base_url,
                                          std::vector{Value{base_url}, end, Value{claim}});
    return transaction.execute(
               "UPDATE base_urls SET free_at = ?, claim = ? WHERE base_url = ? AND claim = ?"
               " AND free_at <= ? AND held_until <= ?",
               {end, Value{claim}, Value{base_url}, Value{state.claim},
                Value{format_rfc3339(now)}, Value{format_rfc3339(now)}}) == 1;
}

// Feeds of one base URL that wait for each other, each at a time of its own.
class Queues {
   public:
    Queues(Transaction& transaction, base::Seconds now) : transaction_(transaction), now_(now) {}

    void put_off(const FeedRow& feed, const BaseState& state) {
        const auto [found, is_first] = planned_.try_emplace(feed.base_url);
        auto& last = found->second;
        last = is_first ? first_turn(state) : last + counted_spacing;
        transaction_.execute(
            "UPDATE feeds SET next_fetch_attempt = ? WHERE id = ? AND next_fetch_attempt > ''"
            " AND next_fetch_attempt <= ?",
            {Value{format_rfc3339(last)}, Value{feed.id}, Value{format_rfc3339(now_)}});
    }
    void write() {
        for (const auto& [base_url, last] : planned_)
            transaction_.execute("UPDATE base_urls SET planned_until = ? WHERE base_url = ?",
                                 {Value{format_rfc3339(last)}, Value{base_url}});
    }

   private:
    // Returns when nobody else is planned and the base URL may be free.
    [[nodiscard]] base::Seconds first_turn(const BaseState& state) const {
        const auto time_of = [](const std::string& text) {
            return base::parse_rfc3339(text).value_or(base::Seconds{});
        };
        auto turn =
            std::max(time_of(state.held_until), state.claim == 0 ? time_of(state.free_at) : now_);
        // Nobody knows when the request that is under way will end; when its claim ends is much too late.
        if (turn <= now_) turn = now_ + counted_spacing;
        return std::max(turn, time_of(state.planned_until) + counted_spacing);
    }

    Transaction& transaction_;
    const base::Seconds now_;
    std::map<std::string, base::Seconds> planned_;
};

// Counts the subscriptions of our copies of feeds.
void count_readers(Transaction& transaction, std::span<ClaimedFeed> claimed, base::Seconds now) {
    for (auto& one : claimed)
        one.readers = one.feed.last_read && now < *one.feed.last_read + read_lately ? 1 : 0;
    if (transaction.query("SELECT 1 FROM topics WHERE subject = 'source_feed' LIMIT 1").empty())
        return;
    std::vector<Value> names;
    for (const auto& one : claimed) names.emplace_back(std::to_string(one.feed.id));
    std::map<std::string, std::int64_t> subscriptions;
    for (const auto& row : tables::query_in(
             transaction,
             "SELECT t.name, COUNT(*) FROM topics t JOIN subscriptions s ON s.topic = t.id"
             " WHERE t.class = '' AND t.subject = 'source_feed' AND s.expires_at > ?"
             " AND t.name IN",
             {Value{format_rfc3339(now)}}, names, " GROUP BY t.name"))
        subscriptions[row.text(0)] = row.integer(1);
    for (auto& one : claimed) one.readers += subscriptions[std::to_string(one.feed.id)];
}

void append_event(std::vector<Value>& values, std::int64_t feed, base::Seconds at, EventKind kind,
                  const std::string& note) {
    values.insert(values.end(),
                  {Value{feed}, Value{format_rfc3339(at)}, Value{std::string(name_of(kind))},
                   Value{std::string(base::cut_at(note, 255))}});
}

// Returns whether another feed has the URL already.
bool is_url_taken(Transaction& transaction, const std::string& digest, std::int64_t feed) {
    return !transaction
                .query("SELECT 1 FROM feeds WHERE url_digest = ? AND id <> ?",
                       {Value{digest}, Value{feed}})
                .empty();
}

// Moves a feed to its new URL. Returns false if that is the URL of another one: then this one is disabled.
bool move_feed(Transaction& transaction, const FinishedFetch& fetch) {
    const auto url = net::parse_url(fetch.after.url);
    if (!url) return true;
    const auto digest = digest_of_url(*url);
    const Value id{fetch.after.id};
    if (is_url_taken(transaction, digest, fetch.after.id)) {
        transaction.execute("UPDATE feeds SET system_enabled = 0, next_fetch_attempt = '',"
                            " system_status = ? WHERE id = ?",
                            {Value{std::string(moved_to_known)}, id});
        return false;
    }
    transaction.execute("UPDATE feeds SET url = ?, url_digest = ?, base_url = ? WHERE id = ?",
                        {Value{url->text}, Value{digest}, Value{net::origin_of(*url)}, id});
    return true;
}

// Makes feeds due for which an operator has asked during their fetch.
void fetch_again(Transaction& transaction, std::span<const Value> feeds, base::Seconds now) {
    tables::execute_in(transaction,
                       "UPDATE feeds SET next_fetch_attempt = ?, fetch_again = 0"
                       " WHERE fetch_again = 1 AND system_enabled = 1 AND id IN",
                       {Value{format_rfc3339(now)}}, feeds);
}

// Takes a feed until the claim ends. Returns false if it was taken, disabled or deleted since it was found due.
bool take_feed(Transaction& transaction, std::int64_t feed, std::int64_t former_claim,
               std::int64_t claim, base::Seconds now) {
    return transaction.execute(
               "UPDATE feeds SET next_fetch_attempt = ?, queued = 1, claim = ?, fetch_again = 0 "
               "WHERE id = ?"
               " AND claim = ? AND next_fetch_attempt > '' AND next_fetch_attempt <= ?",
               {Value{format_rfc3339(now + fetch_claim)}, Value{claim}, Value{feed},
                Value{former_claim}, Value{format_rfc3339(now)}}) == 1;
}

// ---- what sweep() does ----

// Nodes of a cluster have clocks of their own, and times are written while others are looked at.
constexpr std::chrono::minutes clocks_differ_by{1};

// How many rows had a time that no rule explains.
struct CutTimes {
    std::int64_t feeds = 0, archives = 0, base_urls = 0;
};

void cut_feeds(Transaction& transaction, const FeedRange& part, base::Seconds now,
               CutTimes& cut) {
    const Value time{format_rfc3339(now)}, furthest{format_rfc3339(now + furthest_fetch)},
        end_of_claim{format_rfc3339(now + fetch_claim)},
        latest_end{format_rfc3339(now + fetch_claim + clocks_differ_by)};
    const auto make_due = [&](const store::Rows& rows, const Value& too_late, const Value& due) {
        for (const auto& row : rows)
            cut.feeds += transaction.execute(
                "UPDATE feeds SET next_fetch_attempt = ? WHERE id = ? AND next_fetch_attempt > ?",
                {due, row.value(0), too_late});
    };
    make_due(transaction.query("SELECT id FROM feeds WHERE next_fetch_attempt > ? LIMIT ?",
                               {furthest, Value{rows_of_sweep}}),
             furthest, time);
    // The process that made such a claim may be gone.
    make_due(transaction.query("SELECT id FROM feeds WHERE id > ? AND id <= ? AND claim <> 0"
                               " AND next_fetch_attempt > ?",
                               {Value{part.after}, Value{part.last}, latest_end}),
             latest_end, end_of_claim);
}

void cut_archives(Transaction& transaction, base::Seconds now, CutTimes& cut) {
    cut.archives +=
        transaction.execute("UPDATE archives SET next_attempt = ? WHERE next_attempt > ?",
                            {Value{format_rfc3339(now)},
                             Value{format_rfc3339(now + longest_pause + clocks_differ_by)}});
}

// Cuts the times of a base URL. Nobody knows how much of its pause is left: it keeps an hour.
std::int64_t cut_base_url(Transaction& transaction, const store::Row& row, base::Seconds now) {
    const Value time{format_rfc3339(now)}, end_of_claim{format_rfc3339(now + fetch_claim)},
        latest_end{format_rfc3339(now + fetch_claim + clocks_differ_by)},
        longest{format_rfc3339(now + longest_pause + clocks_differ_by)},
        usual_pause{format_rfc3339(now + std::chrono::hours(1))},
        longest_plan{format_rfc3339(now + 2 * longest_pause)};
    const auto is_after = [&](std::size_t column, const Value& limit) {
        return row.text(column) > std::get<std::string>(limit);
    };
    if (!is_after(1, latest_end) && !is_after(2, longest) && !is_after(3, longest_plan)) return 0;
    return transaction.execute(
        "UPDATE base_urls SET free_at = CASE WHEN free_at <= ? THEN free_at WHEN claim = 0 THEN ?"
        " ELSE ? END, held_until = CASE WHEN held_until > ? THEN ? ELSE held_until END,"
        " planned_until = CASE WHEN planned_until > ? THEN ? ELSE planned_until END"
        " WHERE base_url = ?",
        {latest_end, time, end_of_claim, longest, usual_pause, longest_plan, time, row.value(0)});
}

// Looks at the next base URLs of a round: deletes those that nobody needs, and cuts times.
void sweep_base_urls(Transaction& transaction, base::Seconds now, CutTimes& cut) {
    static const store::Insert a_round{"harvest_notes", {"name", "text"}, {"name"}};
    const Value round{std::string("round of base URLs")};
    const auto noted =
        transaction.query("SELECT text FROM harvest_notes WHERE name = ?", {round});
    const auto rows = transaction.query(
        "SELECT base_url, free_at, held_until, planned_until FROM base_urls WHERE base_url > ?"
        " ORDER BY base_url LIMIT ?",
        {noted.empty() ? Value{std::string()} : noted.front().value(0), Value{rows_of_sweep}});
    const bool is_last = rows.size() < static_cast<std::size_t>(rows_of_sweep);
    transaction.execute(store::upsert_sql(transaction.engine(), a_round),
                        {round, is_last ? Value{std::string()} : rows.back().value(0)});
    const auto yesterday = format_rfc3339(now - std::chrono::days(1));
    std::vector<Value> unneeded;
    for (const auto& row : rows) {
        if (std::max({row.text(1), row.text(2), row.text(3)}) < yesterday)
            unneeded.push_back(row.value(0));
        cut.base_urls += cut_base_url(transaction, row, now);
    }
    const Value before{yesterday};
    tables::execute_in(transaction,
                       "DELETE FROM base_urls WHERE free_at < ? AND held_until < ?"
                       " AND planned_until < ? AND base_url IN",
                       {before, before, before}, unneeded);
}

}  // namespace

std::vector<ClaimedFeed> claim_feeds(Transaction& transaction, const ClaimTerms& terms,
                                     base::Seconds now) {
    static const std::string due = select_feeds(
        "LEFT JOIN base_urls b ON b.base_url = f.base_url WHERE f.next_fetch_attempt > ''"
        " AND f.next_fetch_attempt <= ? ORDER BY f.next_fetch_attempt LIMIT ?",
        ", b.free_at, b.held_until, b.planned_until, b.claim, f.claim");
    const Value time{format_rfc3339(now)};
    std::vector<ClaimedFeed> claimed;
    std::vector<Value> events;
    std::set<std::string> taken;
    Queues queues(transaction, now);
    for (const auto& row :
         transaction.query(due, {time, Value{static_cast<std::int64_t>(terms.most)}})) {
        auto feed = feed_in(row);
        const auto base = base_state_in(row, feed_columns);
        if (taken.contains(feed.base_url) || is_busy(base, now)) {
            queues.put_off(feed, base);
            continue;
        }
        if (!take_base_url(transaction, feed.base_url, base, terms.claim, now)) continue;
        if (!take_feed(transaction, feed.id, row.integer(feed_columns + 4), terms.claim, now)) {
            release_base_url(transaction, feed.base_url, terms.claim, now);
            continue;
        }
        taken.insert(feed.base_url);
        append_event(events, feed.id, now, EventKind::queued, "");
        auto base_url = feed.base_url;
        claimed.push_back({.feed = std::move(feed),
                           .claim = terms.claim,
                           .claimed_at = now,
                           .base_url = std::move(base_url)});
    }
    queues.write();
    store::insert_many(transaction, an_event, events);
    count_readers(transaction, claimed, now);
    return claimed;
}

bool is_fetch_due(Transaction& transaction, base::Seconds now) {
    return !transaction
                .query("SELECT 1 FROM feeds WHERE next_fetch_attempt > '' AND next_fetch_attempt "
                       "<= ? LIMIT 1",
                       {Value{format_rfc3339(now)}})
                .empty();
}

base::Seconds planned_until(Transaction& transaction, base::Seconds now) {
    const auto rows = transaction.query("SELECT planned_until FROM base_urls WHERE held_until <= "
                                        "? ORDER BY planned_until DESC LIMIT 1",
                                        {Value{format_rfc3339(now)}});
    if (rows.empty()) return {};
    return base::parse_rfc3339(rows.front().text(0)).value_or(base::Seconds{});
}

std::vector<bool> are_ours(Transaction& transaction, std::span<const ClaimedFeed* const> claims) {
    // In the order in which others lock several feeds, too.
    std::vector<std::int64_t> ids;
    ids.reserve(claims.size());
    for (const auto* claimed : claims) ids.push_back(claimed->feed.id);
    std::ranges::sort(ids);
    std::map<std::int64_t, std::int64_t> found;
    for (const auto& row :
         tables::query_in(transaction, "SELECT id, claim FROM feeds WHERE id IN", {},
                          tables::values_of(ids), store::for_update(transaction.engine())))
        found[row.integer(0)] = row.integer(1);
    std::vector<bool> ours;
    ours.reserve(claims.size());
    for (const auto* claimed : claims) {
        const auto row = found.find(claimed->feed.id);
        ours.push_back(row != found.end() && row->second == claimed->claim);
    }
    return ours;
}

std::size_t finish_fetches(Transaction& transaction, std::span<const FinishedFetch> fetches,
                           base::Seconds now, std::vector<std::int64_t> recorded) {
    static const std::string finish = "UPDATE feeds SET " + std::string(fetched_columns) +
                                      ", queued = 0, claim = 0 WHERE id = ? AND claim = ?";
    std::vector<Value> events, finished;
    std::size_t written = 0;
    for (const auto& fetch : fetches) {
        const auto& before = fetch.claimed->feed;
        release_base_url(transaction, fetch.claimed->base_url, fetch.claimed->claim, now,
                         fetch.hold_base_until);
        std::vector<Value> values;
        append_fetched_values(values, fetch.after);
        values.emplace_back(before.id);
        values.emplace_back(fetch.claimed->claim);
        if (transaction.execute(finish, values) == 0) continue;
        ++written;
        finished.emplace_back(before.id);
        if (shows_other_texts(before, fetch.after)) recorded.push_back(before.id);
        if (fetch.after.url == before.url || move_feed(transaction, fetch))
            append_event(events, before.id, now, fetch.event, fetch.note);
        else
            append_event(events, before.id, now, EventKind::fetch_disabled,
                         std::string(moved_to_known));
    }
    store::insert_many(transaction, an_event, events);
    fetch_again(transaction, finished, now);
    tables::mark_copies(transaction, recorded);
    return written;
}

void give_back(Transaction& transaction, std::span<const ClaimedFeed* const> claims,
               base::Seconds now) {
    for (const auto* claimed : claims) {
        release_base_url(transaction, claimed->base_url, claimed->claim, now);
        transaction.execute(
            "UPDATE feeds SET next_fetch_attempt = ?, queued = 0, claim = 0 WHERE id = ? AND "
            "claim = ?",
            {Value{format_rfc3339(now)}, Value{claimed->feed.id}, Value{claimed->claim}});
    }
}

bool claim_base_url(Transaction& transaction, const std::string& base_url, std::int64_t claim,
                    base::Seconds now) {
    const auto rows = transaction.query(
        "SELECT free_at, held_until, planned_until, claim FROM base_urls WHERE base_url = ?",
        {Value{base_url}});
    const auto state = rows.empty() ? BaseState{} : base_state_in(rows.front(), 0);
    if (is_busy(state, now)) return false;
    return take_base_url(transaction, base_url, state, claim, now);
}

void release_base_url(Transaction& transaction, const std::string& base_url, std::int64_t claim,
                      base::Seconds now, const std::optional<base::Seconds>& held_until) {
    transaction.execute("UPDATE base_urls SET free_at = ?, held_until = CASE WHEN held_until > ?"
                        " THEN held_until ELSE ? END, claim = 0 WHERE base_url = ? AND claim = ?",
                        {Value{format_rfc3339(now + counted_spacing)},
                         Value{base::rfc3339_or(held_until)}, Value{base::rfc3339_or(held_until)},
                         Value{base_url}, Value{claim}});
}

void note_harvester(Transaction& transaction, base::Seconds now) {
    const std::vector<Value> values{Value{std::string("harvester")},
                                    Value{std::int64_t{now.time_since_epoch().count()}}};
    transaction.execute(store::upsert_sql(transaction.engine(), a_note_of_harvest), values);
}

void sweep(Transaction& transaction, base::Seconds now) {
    static const std::string round = "round of events";
    constexpr std::size_t feeds_at_once = 1000;

    const auto part = next_of_round(transaction, round, feeds_at_once);
    note_round(transaction, round, part.last);
    for (const auto& row :
         transaction.query("SELECT feed, COUNT(*) FROM fetch_events WHERE feed > ? AND feed <= ?"
                           " GROUP BY feed HAVING COUNT(*) > ?",
                           {Value{part.after}, Value{part.last}, Value{2 * kept_events}})) {
        const auto oldest = transaction.query(
            "SELECT id FROM fetch_events WHERE feed = ? ORDER BY id DESC LIMIT 1 OFFSET ?",
            {row.value(0), Value{kept_events}});
        if (!oldest.empty())
            transaction.execute("DELETE FROM fetch_events WHERE feed = ? AND id <= ?",
                                {row.value(0), oldest.front().value(0)});
    }
    CutTimes cut;
    cut_feeds(transaction, part, now, cut);
    cut_archives(transaction, now, cut);
    sweep_base_urls(transaction, now, cut);
    if (cut.feeds + cut.archives + cut.base_urls > 0)
        base::log::warning("the store's clock was set back: times too far ahead were cut",
                           {{"feeds", std::to_string(cut.feeds)},
                            {"archives", std::to_string(cut.archives)},
                            {"base_urls", std::to_string(cut.base_urls)}});
}

}  // namespace harvest
