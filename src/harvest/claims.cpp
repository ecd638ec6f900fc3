// SPDX-License-Identifier: MIT
#include "harvest/claims.hpp"

#include <map>

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

constexpr std::chrono::days read_lately{30};
constexpr std::int64_t kept_events = 100;  // of each feed
constexpr std::string_view moved_to_known = "moved to the URL of another feed";

const store::Insert an_event{"fetch_events", {"feed", "created_at", "event", "note"}, {}};
const store::Insert a_note_of_harvest{"harvest_notes", {"name", "number"}, {"name"}};

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

}  // namespace

std::vector<ClaimedFeed> claim_feeds(Transaction& transaction, std::span<const DueRow> due,
                                     std::int64_t claim, base::Seconds now) {
    const auto rows = claim_rows(transaction, feed_queue, due, claim, now);
    std::vector<std::int64_t> ids;
    for (const auto& each : rows) ids.push_back(each.row.id);
    auto feeds = load_feeds(transaction, ids);
    std::vector<ClaimedFeed> claimed;
    std::vector<Value> events;
    for (const auto& [row, base_url] : rows) {
        append_event(events, row.id, now, EventKind::queued, "");
        claimed.push_back({.feed = std::move(feeds.at(row.id)),
                           .claim = claim,
                           .claimed_at = now,
                           .base_url = base_url});
    }
    store::insert_many(transaction, an_event, events);
    count_readers(transaction, claimed, now);
    return claimed;
}

std::size_t finish_fetches(Transaction& transaction, std::span<const FinishedFetch> fetches,
                           base::Seconds now) {
    static const std::string finish = "UPDATE feeds SET " + std::string(fetched_columns) +
                                      ", claim = 0 WHERE id = ? AND claim = ?";
    std::vector<Value> events;
    std::vector<std::int64_t> copies;
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
        if (fetch.copy_differs || shows_other_texts(before, fetch.after))
            copies.push_back(before.id);
        if (fetch.after.url == before.url || move_feed(transaction, fetch))
            append_event(events, before.id, now, fetch.event, fetch.note);
        else
            append_event(events, before.id, now, EventKind::fetch_disabled,
                         std::string(moved_to_known));
    }
    store::insert_many(transaction, an_event, events);
    tables::mark_copies(transaction, copies);
    return written;
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
    const auto corrected =
        store::correct_due(transaction, feed_queue.rows, furthest_fetch, now) +
        store::correct_due(transaction, archive_queue.rows, std::chrono::days(2), now);
    if (corrected > 0)
        base::log::warning("the store's clock was set back: feeds and archives are due at once",
                           {{"rows", std::to_string(corrected)}});
    delete_unneeded_base_urls(transaction, now);
}

}  // namespace harvest
