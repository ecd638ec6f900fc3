// SPDX-License-Identifier: MIT
#include "harvest/feeds.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "feed/reference.hpp"
#include "harvest/base_urls.hpp"
#include "store/dialect.hpp"
#include "tables/counters.hpp"
#include "tables/lists.hpp"
#include "tables/mentions.hpp"
#include "tables/releases.hpp"

namespace harvest {

namespace {

using base::ErrorKind;
using base::format_rfc3339;
using store::Transaction;
using store::Value;

const store::Insert a_feed{"feeds",
                           {"url", "url_digest", "base_url", "name", "home_url", "most_kb",
                            "created_at", "last_read", "next_fetch_attempt"},
                           {"url_digest"}};

const store::Insert a_round{"harvest_notes", {"name", "number"}, {"name"}};
constexpr std::int64_t removed_at_once = 500;  // entries, in one transaction
constexpr auto last_feed = std::numeric_limits<std::int64_t>::max();

constexpr std::array<std::string_view, 4> event_names{"queued", "fetch_succeeded", "fetch_failed",
                                                      "fetch_disabled"};

EventKind event_named(std::string_view name) {
    for (std::size_t i = 0; i < event_names.size(); ++i)
        if (event_names[i] == name) return static_cast<EventKind>(i);
    return EventKind::fetch_failed;
}

// Which feeds a text means: it is in their name, title or URL. In the whole URL, everyone could find out its query
// character by character. Four values, all of them the text.
std::string has_text(Audience audience) {
    const auto url = audience == Audience::everyone ? tables::shown_url_of_feed : "f.url";
    return "(? = '' OR INSTR(f.name, ?) > 0 OR INSTR(f.rss_title, ?) > 0 OR INSTR(" +
           std::string(url) + ", ?) > 0)";
}

std::uint64_t count_in(Transaction& transaction, const std::string& sql) {
    return static_cast<std::uint64_t>(transaction.query(sql).at(0).integer(0));
}

// Deletes a part of what belongs to a feed, and the feed when nothing else is left. Returns whether there may be more.
bool remove_part(Transaction& transaction, std::int64_t feed) {
    const Value id{feed}, most{removed_at_once};
    // First of all, as fetches do, so that neither waits for the other forever and none records anything meanwhile.
    transaction.execute(
        "UPDATE feeds SET system_enabled = 0, next_fetch_attempt = '', claim = 0 WHERE id = ?",
        {id});
    transaction.execute("DELETE FROM archives WHERE feed = ?", {id});
    const auto entries = tables::values_of(tables::oids_of(
        transaction.query("SELECT id FROM entries WHERE feed = ? LIMIT ?", {id, most})));
    if (!entries.empty()) {
        tables::execute_in(transaction, "DELETE FROM entry_changes WHERE entry IN", {}, entries);
        tables::execute_in(transaction, "DELETE FROM mentions WHERE entry IN", {}, entries);
        tables::execute_in(transaction, "DELETE FROM entries WHERE id IN", {}, entries);
        tables::mark_copies(transaction, {feed});
        return true;
    }
    // There are not many of them: sweep(), most_archive_pages.
    transaction.execute("DELETE FROM known_urls WHERE feed = ?", {id});
    transaction.execute("DELETE FROM fetch_events WHERE feed = ?", {id});
    transaction.execute("DELETE FROM feeds WHERE id = ?", {id});
    tables::mark_copies(transaction, {feed});
    return false;
}

// Which feeds an operator means: a condition and its values.
struct FeedsMeant {
    std::string condition = {};
    std::vector<Value> values = {};
};
std::optional<FeedsMeant> feeds_meant_by(std::string_view text) {
    const auto url = url_in(text);
    if (!url) return std::nullopt;
    const Value digest{digest_of_url(*url)};
    if (url->target != "/") return FeedsMeant{" AND feeds.url_digest = ?", {digest}};
    return FeedsMeant{" AND (feeds.url_digest = ? OR feeds.base_url = ?)",
                      {digest, Value{net::origin_of(*url)}}};
}

}  // namespace

base::Result<net::Url> url_in(std::string_view text) {
    const auto written = base::trim(text);
    const bool is_printable = std::ranges::all_of(written, base::is_printable);
    return net::parse_url(is_printable ? std::string(written)
                                       : feed::resolve_reference("", written));
}

std::string_view name_of(EventKind kind) {
    return event_names.at(static_cast<std::size_t>(kind));
}

base::Result<AddedFeed> add_feed(Transaction& transaction, const NewFeed& feed,
                                 base::Seconds now) {
    const auto url = url_in(feed.url);
    if (!url) return base::fail(url.error().kind, "the URL " + url.error().text);
    const auto digest = digest_of_url(*url);
    const std::string time = format_rfc3339(now);
    const bool is_new = store::insert_unless_there(
        transaction, a_feed,
        std::vector{Value{url->text}, Value{digest}, Value{net::origin_of(*url)},
                    Value{std::string(base::cut_at(base::legal_text(feed.name), 255))},
                    Value{std::string(base::cut_at(base::legal_text(feed.home_url), 2048))},
                    Value{feed.most_kb}, Value{time}, Value{time.substr(0, 10)}, Value{time}});
    const auto rows =
        transaction.query("SELECT id FROM feeds WHERE url_digest = ?", {Value{digest}});
    return AddedFeed{rows.at(0).integer(0), is_new};
}

bool remove_feed(store::Pool& pool, std::int64_t feed) {
    using store::Access;
    const bool is_there =
        store::perform(pool, Access::read, load_feed, feed, Audience::operators).has_value();
    if (!is_there) return false;
    while (store::perform(pool, Access::write, remove_part, feed)) {
    }
    return true;
}

void set_enabled(Transaction& transaction, std::int64_t feed, bool enabled, base::Seconds now) {
    if (!enabled) {
        transaction.execute("UPDATE feeds SET system_enabled = 0, next_fetch_attempt = '', claim "
                            "= 0 WHERE id = ?",
                            {Value{feed}});
        return;
    }
    // A claim of one that is disabled is a try of a harvester, which must not disable it once more.
    transaction.execute(
        "UPDATE feeds SET next_fetch_attempt = ?, claim = 0, last_fetch_failures = 0,"
        " system_enabled = 1 WHERE id = ? AND system_enabled = 0",
        {Value{format_rfc3339(now)}, Value{feed}});
}

Kicked kick(Transaction& transaction, std::string_view which, base::Seconds now) {
    const auto meant = which.empty() ? std::optional(FeedsMeant{}) : feeds_meant_by(which);
    if (!meant) return {};
    const Value time{format_rfc3339(now)};
    const auto with_meant = [&](std::vector<Value> values) {
        values.insert(values.end(), meant->values.begin(), meant->values.end());
        return values;
    };
    transaction.execute(store::make_due_sql(feed_queue.rows) + "feeds.system_enabled = 1" +
                            meant->condition,
                        with_meant({time, time}));
    Kicked kicked;
    for (const auto& row : transaction.query(
             "SELECT CASE WHEN b.held = 1 AND b.free_at > ? THEN b.free_at ELSE '' END AS pause,"
             " COUNT(*) FROM feeds LEFT JOIN base_urls b ON b.base_url = feeds.base_url"
             " WHERE feeds.system_enabled = 1" +
                 meant->condition + " GROUP BY pause",
             with_meant({time}))) {
        const auto held_until = base::parse_rfc3339(row.text(0));
        (held_until ? kicked.held : kicked.due) += static_cast<std::size_t>(row.integer(1));
        if (held_until) kicked.held_until = std::max(kicked.held_until, *held_until);
    }
    return kicked;
}

void set_public_query(Transaction& transaction, std::int64_t feed, bool is_public) {
    transaction.execute("UPDATE feeds SET public_query = ? WHERE id = ?",
                        {Value{std::int64_t{is_public ? 1 : 0}}, Value{feed}});
}

std::optional<FeedRow> load_feed(Transaction& transaction, std::int64_t feed, Audience audience) {
    const auto rows = transaction.query(select_feeds("WHERE f.id = ?"), {Value{feed}});
    if (rows.empty()) return std::nullopt;
    return shown_to(audience, feed_in(rows.front()));
}

std::map<std::int64_t, FeedRow> load_feeds(Transaction& transaction,
                                           std::span<const std::int64_t> feeds) {
    std::map<std::int64_t, FeedRow> found;
    for (const auto& row : tables::query_in(transaction, select_feeds("WHERE f.id IN"), {},
                                            tables::values_of(feeds)))
        found.insert_or_assign(row.integer(0), feed_in(row));
    return found;
}

base::Result<FeedRow> find_feed(Transaction& transaction, const std::string& which) {
    if (const auto id = base::parse_integer(which)) {
        if (auto feed = load_feed(transaction, *id, Audience::operators)) return *std::move(feed);
        return base::fail(ErrorKind::absent, "no feed has the id " + which);
    }
    if (const auto url = url_in(which)) {
        const auto rows = transaction.query(select_feeds("WHERE f.url_digest = ?"),
                                            {Value{digest_of_url(*url)}});
        if (!rows.empty()) return feed_in(rows.front());
    }
    const auto found = list_feeds(transaction, 0, which, 2, Audience::operators);
    if (found.empty())
        return base::fail(ErrorKind::absent, "no feed has this id, URL or name: " + which);
    if (found.size() > 1)
        return base::fail(ErrorKind::conflict,
                          "several feeds have this in their URL or name: " + which);
    return found.front();
}

std::vector<FeedRow> list_feeds(Transaction& transaction, std::int64_t after,
                                std::string_view text, std::size_t most, Audience audience) {
    const auto sql =
        select_feeds("WHERE f.id > ? AND " + has_text(audience) + " ORDER BY f.id LIMIT ?");
    const Value part{std::string(text)};
    std::vector<FeedRow> feeds;
    for (const auto& row : transaction.query(
             sql, {Value{after}, part, part, part, part, Value{static_cast<std::int64_t>(most)}}))
        feeds.push_back(shown_to(audience, feed_in(row)));
    return feeds;
}

std::vector<FeedRow> list_troubled_first(Transaction& transaction, std::string_view text,
                                         std::size_t from, std::size_t most) {
    static const std::string sql = select_feeds(
        "WHERE " + has_text(Audience::everyone) +
        " ORDER BY f.last_fetch_failures DESC, f.system_enabled, f.id LIMIT ? OFFSET ?");
    const Value part{std::string(text)};
    std::vector<FeedRow> feeds;
    for (const auto& row :
         transaction.query(sql, {part, part, part, part, Value{static_cast<std::int64_t>(most)},
                                 Value{static_cast<std::int64_t>(from)}}))
        feeds.push_back(shown_to(Audience::everyone, feed_in(row)));
    return feeds;
}

std::size_t count_feeds(Transaction& transaction, std::string_view text) {
    const Value part{std::string(text)};
    return static_cast<std::size_t>(
        transaction
            .query("SELECT COUNT(*) FROM feeds f WHERE " + has_text(Audience::everyone),
                   {part, part, part, part})
            .at(0)
            .integer(0));
}

bool has_feeds(Transaction& transaction) {
    return !transaction.query("SELECT 1 FROM feeds LIMIT 1").empty();
}

void note_read(Transaction& transaction, std::int64_t feed, base::Date day) {
    const Value today{base::format_date(day)};
    transaction.execute("UPDATE feeds SET last_read = ? WHERE id = ? AND last_read < ?",
                        {today, Value{feed}, today});
}

std::vector<FetchEvent> load_events(Transaction& transaction, std::int64_t feed,
                                    std::size_t most) {
    std::vector<FetchEvent> events;
    for (const auto& row :
         transaction.query("SELECT created_at, event, note FROM fetch_events WHERE feed = ? "
                           "ORDER BY id DESC LIMIT ?",
                           {Value{feed}, Value{static_cast<std::int64_t>(most)}}))
        events.push_back(
            {.feed = feed,
             .created_at = base::parse_rfc3339(row.text(0)).value_or(base::Seconds{}),
             .event = event_named(row.text(1)),
             .note = row.text(2)});
    return events;
}

FeedRange next_of_round(Transaction& transaction, const std::string& round, std::size_t most) {
    const auto noted =
        transaction.query("SELECT number FROM harvest_notes WHERE name = ?", {Value{round}});
    FeedRange range{.after = noted.empty() ? 0 : noted.front().integer(0), .last = last_feed};
    const auto last =
        transaction.query("SELECT id FROM feeds WHERE id > ? ORDER BY id LIMIT 1 OFFSET ?",
                          {Value{range.after}, Value{static_cast<std::int64_t>(most) - 1}});
    if (!last.empty()) range.last = last.front().integer(0);
    return range;
}

void note_round(Transaction& transaction, const std::string& round, std::int64_t feed) {
    transaction.execute(store::upsert_sql(transaction.engine(), a_round),
                        {Value{round}, Value{feed == last_feed ? std::int64_t{0} : feed}});
}

HarvestNumbers harvest_numbers(Transaction& transaction, base::Seconds now) {
    HarvestNumbers numbers;
    numbers.feeds = count_in(transaction, "SELECT COUNT(*) FROM feeds");
    numbers.disabled =
        count_in(transaction, "SELECT COUNT(*) FROM feeds WHERE system_enabled = 0");
    numbers.failing =
        count_in(transaction, "SELECT COUNT(*) FROM feeds WHERE last_fetch_failures > 0");
    numbers.queued = count_in(transaction, "SELECT COUNT(*) FROM feeds WHERE claim > 0");
    numbers.entries = count_in(transaction, "SELECT COUNT(*) FROM entries");
    // Also those whose claim has ended; the others of which there is a claim are due when it ends.
    const auto waiting = waiting_rows(transaction, feed_queue, now);
    numbers.due = waiting.rows;
    numbers.due_since = waiting.since;
    numbers.archive_due_since = waiting_rows(transaction, archive_queue, now).since;
    for (const auto& row :
         transaction.query("SELECT number FROM harvest_notes WHERE name = 'harvester'"))
        numbers.harvested_at = base::Seconds(std::chrono::seconds(row.integer(0)));
    numbers.outcomes = tables::load_outcomes(transaction, "harvest_notes");
    return numbers;
}

std::string fault_of(const HarvestNumbers& numbers, base::Seconds now) {
    constexpr std::chrono::minutes fetched_within{15}, page_read_within{60}, seen_within{5};
    const auto is_late = [&](const std::optional<base::Seconds>& since,
                             std::chrono::minutes within) {
        return since && *since + within < now;
    };
    std::string fault;
    if (is_late(numbers.due_since, fetched_within)) {
        const auto since = format_rfc3339(*numbers.due_since);
        fault = numbers.due == 1 ? "a source feed has been due since " + since
                                 : std::to_string(numbers.due) +
                                       " source feeds are due, the first one since " + since;
    } else if (is_late(numbers.archive_due_since, page_read_within)) {
        fault = "the next page of an archive has been due since " +
                format_rfc3339(*numbers.archive_due_since);
    } else {
        return {};
    }
    const bool is_at_work = numbers.harvested_at && *numbers.harvested_at + seen_within >= now;
    return fault +
           (is_at_work ? ", although a harvester is running"
                       : ", and no harvester has run in the last 5 minutes: start varve harvest");
}

void write_json(base::JsonWriter& json, const HarvestNumbers& numbers) {
    json.begin_object()
        .field("feeds", numbers.feeds)
        .field("disabled", numbers.disabled)
        .field("failing", numbers.failing)
        .field("due", numbers.due)
        .field("due_since", base::rfc3339_or(numbers.due_since))
        .field("archive_due_since", base::rfc3339_or(numbers.archive_due_since))
        .field("queued", numbers.queued)
        .field("entries", numbers.entries)
        .field("harvested_at", base::rfc3339_or(numbers.harvested_at));
    json.key("outcomes").begin_object();
    for (const auto& [name, count] : numbers.outcomes) json.field(name, count);
    json.end_object().end_object();
}

}  // namespace harvest
