// SPDX-License-Identifier: MIT
#include "harvest/entries.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/compress.hpp"
#include "base/digest.hpp"
#include "base/log.hpp"
#include "base/utf8.hpp"
#include "compare/compare.hpp"
#include "feed/read_feed.hpp"
#include "feed/safe_html.hpp"
#include "harvest/feeds.hpp"
#include "store/dialect.hpp"
#include "tables/counters.hpp"
#include "tables/lists.hpp"
#include "tables/mentions.hpp"
#include "tables/releases.hpp"
#include "tables/rows.hpp"
#include "tables/trees.hpp"

namespace harvest {

namespace {

using base::format_rfc3339;
using store::Transaction;
using store::Value;

const store::Insert an_entry{"entries",
                             {"feed", "guid", "guid_digest", "seen_digest", "link", "title",
                              "published", "first_seen", "last_seen", "rules", "tree", "content"},
                             {"feed", "guid_digest"}};
const store::Insert an_entry_change{
    "entry_changes", {"entry", "revision", "feed", "created_at", "notes"}, {}};

constexpr std::size_t longest_guid = 2048, longest_link = 2048;

std::string guid_digest_of(const feed::Entry& entry) { return base::md5_hex(entry.id); }

std::string fitting_text(const std::string& text, std::size_t most) {
    return std::string(base::cut_at(text, most));
}

std::vector<Value> guid_keys(std::span<const feed::Entry> entries) {
    std::vector<Value> keys;
    keys.reserve(entries.size());
    for (const auto& entry : entries) keys.emplace_back(guid_digest_of(entry));
    return keys;
}

// What is recorded of an entry.
struct KnownEntry {
    std::int64_t id = 0, feed = 0, revision = 0;
    std::string seen_digest, tree;
};

std::optional<KnownEntry> find_entry(Transaction& transaction, std::int64_t feed,
                                     const std::string& digest) {
    static constexpr std::string_view sql =
        "SELECT id, revision, seen_digest, tree FROM entries WHERE feed = ? AND guid_digest = ?";
    const auto rows =
        transaction.query(std::string(sql) + std::string(store::for_update(transaction.engine())),
                          {Value{feed}, Value{digest}});
    if (rows.empty()) return std::nullopt;
    return KnownEntry{rows[0].integer(0), feed, rows[0].integer(1), rows[0].text(2),
                      rows[0].blob(3)};
}

// Returns the link in the tree of an entry; nullptr: it has none.
auto* link_in(auto& tree) {
    const auto found = std::ranges::find(
        tree, "Link", [](const tree::Node& node) -> const auto& { return node.cell.text; });
    return found == tree.end() || found->children.empty() ? nullptr
                                                          : &found->children.front().cell.text;
}

// True for changes of nothing but times: many feeds say of old entries that they were published now.
bool are_times_alone(std::span<const compare::Change> changes) {
    return std::ranges::all_of(changes, [](const compare::Change& change) {
        const auto* first = !change.path.empty()    ? &change.path.front()
                            : !change.after.empty() ? &change.after.front().cell
                                                    : &change.before.front().cell;
        return first->text == "Updated" || first->text == "Published";
    });
}

// Returns what the new version changed; empty: nothing, or that is unknown.
std::vector<compare::Change> changes_between(const KnownEntry& known, const ReadyEntry& ready) {
    auto before = tables::unpacked_tree(known.tree);
    if (!before) {
        base::log::error("an entry cannot be read",
                         {{"entry", std::to_string(known.id)}, {"reason", before.error().text}});
        return {};
    }
    // A move from http to https changes nothing that people see.
    auto* old_link = link_in(*before);
    const auto* link = link_in(ready.tree);
    if (old_link && link && feed::key_of_url(*old_link) == feed::key_of_url(*link))
        *old_link = *link;
    return compare::compare(*before, ready.tree, {}, tree::Models::unknown);
}

std::vector<Value> values_of_new(std::int64_t feed, const ReadyEntry& ready, base::Seconds now) {
    const auto& entry = *ready.entry;
    return {Value{feed},
            Value{fitting_text(entry.id, longest_guid)},
            Value{guid_digest_of(entry)},
            Value{entry.digest},
            Value{fitting_text(entry.link, longest_link)},
            Value{fitting_text(entry.title, longest_title)},
            Value{base::rfc3339_or(entry.published)},
            Value{format_rfc3339(std::min(ready.dated.value_or(now), now))},
            Value{base::format_date(
                ready.seen_on.value_or(std::chrono::floor<std::chrono::days>(now)))},
            Value{ready.rules},
            Value{store::Blob{tables::packed_tree(ready.tree)}},
            Value{store::Blob{base::compress(ready.content)}}};
}

// Writes a later version of an entry. Returns whether it changed anything that is shown.
bool write_version(Transaction& transaction, const KnownEntry& known, const ReadyEntry& ready,
                   base::Seconds now) {
    const auto& entry = *ready.entry;
    const auto changes = changes_between(known, ready);
    if (!changes.empty() && are_times_alone(changes)) {
        // The tree keeps its times, so that the dates of items that readers have stay as they are.
        transaction.execute(
            "UPDATE entries SET seen_digest = ?, content = ?, last_seen = ?, rules = ?"
            " WHERE id = ?",
            {Value{entry.digest}, Value{store::Blob{base::compress(ready.content)}},
             Value{format_rfc3339(now).substr(0, 10)}, Value{ready.rules}, Value{known.id}});
        return false;
    }
    const bool is_edit = !changes.empty();
    const auto revision = known.revision + (is_edit ? 1 : 0);
    if (is_edit) {
        tables::Notes notes;
        notes.changes = changes;
        store::insert_many(transaction, an_entry_change,
                           std::vector{Value{known.id}, Value{revision}, Value{known.feed},
                                       Value{format_rfc3339(now)},
                                       Value{tables::shortened_json(notes)}});
    }
    transaction.execute(
        "UPDATE entries SET seen_digest = ?, link = ?, title = ?, published = ?,"
        " tree = ?, content = ?, last_seen = ?, rules = ?, revision = ? WHERE id = ?",
        {Value{entry.digest}, Value{fitting_text(entry.link, longest_link)},
         Value{fitting_text(entry.title, longest_title)},
         Value{base::rfc3339_or(entry.published)},
         Value{store::Blob{tables::packed_tree(ready.tree)}},
         Value{store::Blob{base::compress(ready.content)}},
         Value{format_rfc3339(now).substr(0, 10)}, Value{ready.rules}, Value{revision},
         Value{known.id}});
    return is_edit;
}

// Notes that the entries which were in the window when it was read last were still there on a later day.
void note_window(Transaction& transaction, std::int64_t feed, base::Date day) {
    const auto known = window_day(transaction, feed);
    if (!known || *known >= day) return;
    transaction.execute(
        "UPDATE entries SET last_seen = ? WHERE feed = ? AND last_seen = ?",
        {Value{base::format_date(day)}, Value{feed}, Value{base::format_date(*known)}});
}

// Feeds with entries to drop. Uses index look-ups only, because MariaDB answers MIN, MAX and EXISTS by reading all
// entries of each feed, or all mentions.
constexpr std::string_view feeds_with_old_entries =
    "SELECT f.id FROM feeds f WHERE f.id > ? AND f.id <= ?"
    " AND (SELECT e.last_seen FROM entries e WHERE e.feed = f.id ORDER BY e.last_seen LIMIT 1)"
    " < ? AND (SELECT e.last_seen FROM entries e WHERE e.feed = f.id ORDER BY e.last_seen LIMIT "
    "1)"
    " < (SELECT e.last_seen FROM entries e WHERE e.feed = f.id ORDER BY e.last_seen DESC LIMIT 1)"
    " AND (SELECT 1 FROM entries e JOIN mentions m ON m.entry = e.id WHERE e.feed = f.id LIMIT 1)"
    " IS NULL ORDER BY f.id";

// Deletes entries of a feed that were seen last before a day, and that its window does not have any more.
//   returns  how many there were to delete
std::size_t drop_of_feed(Transaction& transaction, std::int64_t feed, const Value& oldest,
                         std::size_t most) {
    const auto rows = transaction.query(
        "SELECT id FROM entries WHERE feed = ? AND last_seen < ? AND last_seen <"
        " (SELECT MAX(w.last_seen) FROM entries w WHERE w.feed = ?) ORDER BY last_seen LIMIT ?",
        {Value{feed}, oldest, Value{feed}, Value{static_cast<std::int64_t>(most)}});
    for (const auto& row : rows) {
        // Unless another harvester has seen it meanwhile.
        if (transaction.execute("DELETE FROM entries WHERE id = ? AND last_seen < ?",
                                {row.value(0), oldest}) > 0)
            transaction.execute("DELETE FROM entry_changes WHERE entry = ?", {row.value(0)});
    }
    return rows.size();
}

}  // namespace

ReadyEntry make_ready(const feed::Entry& entry) {
    auto content = feed::safe_and_plain(entry.content, entry.content_base);
    return {&entry, feed::tree_of(entry, std::move(content.text)), std::move(content.html)};
}

std::vector<ReadyEntry> make_ready(std::span<const feed::Entry* const> entries) {
    std::vector<ReadyEntry> ready;
    ready.reserve(entries.size());
    for (const auto* entry : entries) ready.push_back(make_ready(*entry));
    return ready;
}

void note_mentions(std::span<ReadyEntry> entries, const MentionFinder& finder,
                   std::int64_t rules) {
    for (auto& entry : entries) {
        entry.mentions = finder.mentions_in(entry.tree);
        entry.rules = rules;
    }
}

std::vector<const feed::Entry*> unrecorded(Transaction& transaction, std::int64_t feed,
                                           std::span<const feed::Entry> entries) {
    const auto keys = guid_keys(entries);
    std::unordered_map<std::string, std::string> seen;
    for (const auto& row : tables::query_in(transaction,
                                            "SELECT guid_digest, seen_digest FROM entries"
                                            " WHERE feed = ? AND guid_digest IN",
                                            {Value{feed}}, keys))
        seen[row.text(0)] = row.text(1);
    std::vector<const feed::Entry*> found;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto known = seen.find(std::get<std::string>(keys[i]));
        if (known == seen.end() || known->second != entries[i].digest)
            found.push_back(&entries[i]);
    }
    return found;
}

EntriesRecorded record_entries(Transaction& transaction, std::int64_t feed,
                               std::span<const ReadyEntry> entries, base::Seconds now) {
    EntriesRecorded result;
    const auto record_mentions = [&](std::int64_t entry, const ReadyEntry& ready) {
        tables::replace_mentions(transaction, entry, ready.mentions, now);
    };
    for (const auto& ready : entries) {
        const auto digest = guid_digest_of(*ready.entry);
        auto known = find_entry(transaction, feed, digest);
        if (!known) {
            const bool is_inserted = store::insert_unless_there(transaction, an_entry,
                                                                values_of_new(feed, ready, now));
            known = find_entry(transaction, feed, digest);
            if (is_inserted && known) {
                ++result.added;
                result.copy_differs = true;
                record_mentions(known->id, ready);
                continue;
            }
            // The walk of an archive and a fetch of the feed may both have it.
            if (!ready.dated) {
                ++result.inserted_twice;
                base::log::error("entry recorded twice: two harvesters fetched one feed",
                                 {{"feed", std::to_string(feed)}, {"guid", ready.entry->id}});
            }
            if (!known) continue;
        }
        const bool is_other = !ready.dated && known->seen_digest != ready.entry->digest;
        if (is_other) record_mentions(known->id, ready);
        result.copy_differs |= is_other;
        const bool is_edit = is_other && write_version(transaction, *known, ready, now);
        ++(is_edit ? result.edited : result.skipped);
    }
    return result;
}

std::optional<base::Date> window_day(Transaction& transaction, std::int64_t feed) {
    const auto rows =
        transaction.query("SELECT MAX(last_seen) FROM entries WHERE feed = ?", {Value{feed}});
    if (rows.empty() || rows.front().is_null(0)) return std::nullopt;
    return base::parse_date(rows.front().text(0));
}

void note_seen(Transaction& transaction, const FeedRow& feed,
               std::span<const feed::Entry> entries, base::Seconds now) {
    using std::chrono::days;
    const auto today = std::chrono::floor<days>(now);
    const Value day{base::format_date(today)};
    // A clock that was ahead: no window could come behind such a day, and all of it would be dropped.
    transaction.execute("UPDATE entries SET last_seen = ? WHERE feed = ? AND last_seen > ?",
                        {day, Value{feed.id}, day});
    if (feed.last_fetch_success)
        note_window(transaction, feed.id,
                    std::min(std::chrono::floor<days>(*feed.last_fetch_success), today));
    tables::execute_in(transaction,
                       "UPDATE entries SET last_seen = ? WHERE feed = ? AND last_seen < ?"
                       " AND guid_digest IN",
                       {day, Value{feed.id}, day}, guid_keys(entries));
}

std::size_t count_entries(Transaction& transaction, std::int64_t feed) {
    return static_cast<std::size_t>(
        transaction.query("SELECT COUNT(*) FROM entries WHERE feed = ?", {Value{feed}})
            .at(0)
            .integer(0));
}

std::size_t drop_old_entries(Transaction& transaction, std::chrono::days keep, base::Seconds now,
                             std::size_t most) {
    static const std::string round = "round of entries";
    constexpr std::size_t feeds_at_once = 1000;

    const Value oldest{base::format_date(std::chrono::floor<std::chrono::days>(now) - keep)};
    const auto part = next_of_round(transaction, round, feeds_at_once);
    std::size_t dropped = 0;
    std::vector<std::int64_t> feeds;
    auto end_of_part = part.last;
    for (const auto& row : transaction.query(feeds_with_old_entries,
                                             {Value{part.after}, Value{part.last}, oldest})) {
        const auto feed = row.integer(0);
        if (!tables::lock_feed(transaction, feed)) continue;
        const auto of_feed = drop_of_feed(transaction, feed, oldest, most - dropped);
        if (of_feed > 0) feeds.push_back(feed);
        dropped += of_feed;
        if (dropped < most) continue;
        end_of_part = feed - 1;  // it may have more
        break;
    }
    note_round(transaction, round, end_of_part);
    tables::mark_copies(transaction, feeds);
    return dropped;
}

}  // namespace harvest
