// SPDX-License-Identifier: MIT
#include "harvest/entries.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/compress.hpp"
#include "base/digest.hpp"
#include "base/log.hpp"
#include "base/utf8.hpp"
#include "compare/compare.hpp"
#include "feed/entry_tree.hpp"
#include "feed/safe_html.hpp"
#include "harvest/feeds.hpp"
#include "store/dialect.hpp"
#include "tables/feed_writes.hpp"
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
                              "published", "first_seen", "changed_at", "last_seen", "tree",
                              "content"},
                             {"feed", "guid_digest"}};
const store::Insert an_entry_change{
    "entry_changes", {"entry", "revision", "created_at", "notes"}, {}};

constexpr std::size_t longest_guid = 2048, longest_link = 2048, longest_title = 512;
constexpr std::size_t most_content = 1 << 20;  // decompressed, of what is stored
constexpr std::size_t keys_at_once = 32;

std::string guid_digest_of(const feed::Entry& entry) { return base::md5_hex(entry.id); }

std::string fitting_text(const std::string& text, std::size_t most) {
    return std::string(base::cut_at(text, most));
}

std::string text_of_time_or_none(const std::optional<base::Seconds>& time) {
    return time ? format_rfc3339(*time) : std::string();
}

// "?, ?, …" with as many places as one statement of this kind has.
std::string places() {
    std::string text = "?";
    for (std::size_t i = 1; i < keys_at_once; ++i) text += ", ?";
    return text;
}

// Calls use(row) for the rows that a statement finds for keys, which are its last values.
template <class Use>
void for_keys(Transaction& transaction, const std::string& sql, const std::vector<Value>& first,
              std::span<const Value> keys, Use use) {
    for (std::size_t at = 0; at < keys.size(); at += keys_at_once) {
        auto values = first;
        for (std::size_t i = 0; i < keys_at_once; ++i)
            values.push_back(keys[std::min(at + i, keys.size() - 1)]);
        for (const auto& row : transaction.query(sql, values)) use(row);
    }
}

std::vector<Value> guid_keys(std::span<const feed::Entry> entries) {
    std::vector<Value> keys;
    keys.reserve(entries.size());
    for (const auto& entry : entries) keys.emplace_back(guid_digest_of(entry));
    return keys;
}

// What is recorded of an entry.
struct KnownEntry {
    std::int64_t id = 0, revision = 0;
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
    return KnownEntry{rows[0].integer(0), rows[0].integer(1), rows[0].text(2), rows[0].blob(3)};
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

// Returns what the new version changed; empty: nothing, or it cannot be told.
std::vector<compare::Change> changes_between(const KnownEntry& known, const ReadyEntry& ready) {
    const auto before = tables::unpacked_tree(known.tree);
    if (!before) {
        base::log::error("an entry cannot be read",
                         {{"entry", std::to_string(known.id)}, {"reason", before.error().text}});
        return {};
    }
    return compare::compare(*before, ready.tree, {}, tree::Models::unknown);
}

std::vector<Value> values_of_new(std::int64_t feed, const ReadyEntry& ready, base::Seconds now) {
    const auto& entry = *ready.entry;
    const std::string time = format_rfc3339(std::min(ready.dated.value_or(now), now));
    return {Value{feed},
            Value{fitting_text(entry.id, longest_guid)},
            Value{guid_digest_of(entry)},
            Value{entry.digest},
            Value{fitting_text(entry.link, longest_link)},
            Value{fitting_text(entry.title, longest_title)},
            Value{text_of_time_or_none(entry.published)},
            Value{time},
            Value{time},
            Value{base::format_date(
                ready.seen_on.value_or(std::chrono::floor<std::chrono::days>(now)))},
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
            "UPDATE entries SET seen_digest = ?, content = ?, last_seen = ? WHERE id = ?",
            {Value{entry.digest}, Value{store::Blob{base::compress(ready.content)}},
             Value{format_rfc3339(now).substr(0, 10)}, Value{known.id}});
        return false;
    }
    const bool is_edit = !changes.empty();
    const auto revision = known.revision + (is_edit ? 1 : 0);
    if (is_edit) {
        tables::Notes notes;
        notes.changes = changes;
        tables::shorten(notes);
        store::insert_many(transaction, an_entry_change,
                           std::vector{Value{known.id}, Value{revision},
                                       Value{format_rfc3339(now)},
                                       Value{tables::to_json(notes)}});
    }
    transaction.execute("UPDATE entries SET seen_digest = ?, link = ?, title = ?, published = ?, "
                        "tree = ?, content = ?,"
                        " last_seen = ?, revision = ?, changed_at = CASE WHEN ? = 1 THEN ? ELSE "
                        "changed_at END WHERE id = ?",
                        {Value{entry.digest}, Value{fitting_text(entry.link, longest_link)},
                         Value{fitting_text(entry.title, longest_title)},
                         Value{text_of_time_or_none(entry.published)},
                         Value{store::Blob{tables::packed_tree(ready.tree)}},
                         Value{store::Blob{base::compress(ready.content)}},
                         Value{format_rfc3339(now).substr(0, 10)}, Value{revision},
                         Value{std::int64_t{is_edit ? 1 : 0}}, Value{format_rfc3339(now)},
                         Value{known.id}});
    return is_edit;
}

constexpr std::string_view entry_columns =
    "SELECT id, feed, guid, link, title, published, first_seen, changed_at, revision, tree, "
    "content FROM entries ";

// Reads a row; nullopt, with a line in the log: it is damaged.
std::optional<StoredEntry> entry_in(const store::Row& row) {
    auto nodes = tables::unpacked_tree(row.blob(9));
    auto content = base::decompress(row.blob(10), most_content);
    const auto first_seen = base::parse_rfc3339(row.text(6)),
               changed_at = base::parse_rfc3339(row.text(7));
    if (!nodes || !content || !first_seen || !changed_at) {
        base::log::error("an entry cannot be read",
                         {{"entry", std::to_string(row.integer(0))},
                          {"reason", !nodes     ? nodes.error().text
                                     : !content ? content.error().text
                                                : "its times are none"}});
        return std::nullopt;
    }
    StoredEntry entry{.id = row.integer(0),
                      .feed = row.integer(1),
                      .guid = row.text(2),
                      .link = row.text(3),
                      .title = row.text(4),
                      .published = base::parse_rfc3339(row.text(5)),
                      .first_seen = *first_seen,
                      .changed_at = *changed_at,
                      .revision = row.integer(8),
                      .tree = *std::move(nodes),
                      .content = *std::move(content),
                      .changes = {}};
    return entry;
}

// Reads the changes of those entries that were edited.
void add_changes(Transaction& transaction, std::vector<StoredEntry>& entries) {
    for (auto& entry : entries) {
        if (entry.revision == 0) continue;
        for (const auto& row : transaction.query(
                 "SELECT revision, created_at, notes FROM entry_changes WHERE entry = ? ORDER BY "
                 "revision DESC LIMIT ?",
                 {Value{entry.id}, Value{static_cast<std::int64_t>(most_changes_of_entry)}})) {
            auto notes = tables::notes_from_json(row.text(2));
            const auto at = base::parse_rfc3339(row.text(1));
            if (!notes || !at) {
                base::log::error("a change of an entry cannot be read",
                                 {{"entry", std::to_string(entry.id)},
                                  {"revision", std::to_string(row.integer(0))}});
                continue;
            }
            entry.changes.push_back({row.integer(0), *at, std::move(notes->changes)});
        }
    }
}

std::vector<StoredEntry> entries_in(const store::Rows& rows) {
    std::vector<StoredEntry> entries;
    for (const auto& row : rows)
        if (auto entry = entry_in(row)) entries.push_back(*std::move(entry));
    return entries;
}

std::vector<StoredEntry> entries_in(Transaction& transaction, const store::Rows& rows) {
    auto entries = entries_in(rows);
    add_changes(transaction, entries);
    return entries;
}

// Notes that the entries which were in the window when it was read last were still there on a later day.
void note_window(Transaction& transaction, std::int64_t feed, base::Date day) {
    const auto known = window_day(transaction, feed);
    if (!known || *known >= day) return;
    transaction.execute(
        "UPDATE entries SET last_seen = ? WHERE feed = ? AND last_seen = ?",
        {Value{base::format_date(day)}, Value{feed}, Value{base::format_date(*known)}});
}

// Feeds whose oldest entries are to be dropped. Each condition is a look-up in an index, or of a feed in which objects are
// mentioned as many as it has entries before the first that mentions one. With MIN, MAX or EXISTS, MariaDB reads all
// entries of each feed, or all mentions.
constexpr std::string_view feeds_with_old_entries =
    "SELECT f.id FROM feeds f WHERE f.id > ? AND f.id <= ?"
    " AND (SELECT e.last_seen FROM entries e WHERE e.feed = f.id ORDER BY e.last_seen LIMIT 1) < "
    "?"
    " AND (SELECT e.last_seen FROM entries e WHERE e.feed = f.id ORDER BY e.last_seen LIMIT 1)"
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

store::Rows rows_numbered(Transaction& transaction, std::span<const std::int64_t> ids) {
    static const std::string sql = std::string(entry_columns) + "WHERE id IN (" + places() + ")";
    const std::vector<Value> keys(ids.begin(), ids.end());
    store::Rows rows;
    for_keys(transaction, sql, {}, keys, [&](const store::Row& row) { rows.push_back(row); });
    return rows;
}

const std::string& tag_of(const tree::Cell& cell) {
    static const std::string none;
    return cell.kind == tree::CellKind::tag ? cell.text : none;
}

// Returns the value of a field with one value that a side of a change has; nullopt: the change is of another field.
std::optional<std::string> value_in(const compare::Change& change,
                                    const std::vector<tree::Node>& side, std::string_view tag) {
    if (!change.path.empty()) {
        if (tag_of(change.path.front()) != tag) return std::nullopt;
        return side.empty() ? std::string() : side.front().cell.text;
    }
    const auto& there = side.empty() ? change.after : side;
    if (there.empty() || tag_of(there.front().cell) != tag) return std::nullopt;
    if (side.empty() || side.front().children.empty()) return std::string();
    return side.front().children.front().cell.text;
}

// Returns what a field said before the first edit after `revision` that changed it, empty if there was nothing; nullopt:
// no edit did.
std::optional<std::string> value_before_edits(Transaction& transaction, std::int64_t entry,
                                              std::int64_t revision, const std::string& tag) {
    const auto rows = transaction.query(
        "SELECT notes FROM entry_changes WHERE entry = ? AND revision > ? AND notes LIKE ?"
        " ORDER BY revision LIMIT 1",
        {Value{entry}, Value{revision}, Value{"%\"tag\":\"" + tag + "\"%"}});
    if (rows.empty()) return std::nullopt;
    const auto notes = tables::notes_from_json(rows.front().text(0));
    if (!notes) return std::nullopt;
    std::optional<std::string> value;
    // One value that was removed and another that was added are two changes.
    for (const auto& change : notes->changes)
        if (auto old = value_in(change, change.before, tag); old && value.value_or("").empty())
            value = std::move(old);
    return value;
}

// "2026-11-24_09:15:20", as trees have times.
std::optional<base::Seconds> time_in_tree(std::string text) {
    std::ranges::replace(text, '_', 'T');
    return base::parse_rfc3339(text);
}

// Sets the title and the time that the entry said then: later edits may have changed them.
void set_values_of_then(Transaction& transaction, EntryVersion& version) {
    const auto& entry = version.entry;
    version.title = entry.title;
    version.published = entry.published;
    if (entry.revision == version.revision) return;
    if (const auto title = value_before_edits(transaction, entry.id, version.revision, "Title"))
        version.title = fitting_text(*title, longest_title);
    if (version.revision > 0) return;
    if (const auto time = value_before_edits(transaction, entry.id, 0, "Published"))
        version.published = time_in_tree(*time);
}

// Reads what an edit changed. Returns false, with a line in the log, if that is damaged.
bool add_changes(Transaction& transaction, EntryVersion& version) {
    if (version.revision == 0) return true;
    const auto rows =
        transaction.query("SELECT notes FROM entry_changes WHERE entry = ? AND revision = ?",
                          {Value{version.entry.id}, Value{version.revision}});
    auto notes = rows.empty() ? base::fail(base::ErrorKind::absent, "it is gone")
                              : tables::notes_from_json(rows.front().text(0));
    if (notes) {
        version.changes = std::move(notes->changes);
        return true;
    }
    base::log::error("a change of an entry cannot be read",
                     {{"entry", std::to_string(version.entry.id)},
                      {"revision", std::to_string(version.revision)},
                      {"reason", notes.error().text}});
    return false;
}

// Returns up to when entries may be passed over: each of the newest `most` entries behind a place has at least one version
// there. Empty: none may.
std::string oldest_change(Transaction& transaction, std::int64_t feed,
                          const VersionPosition& before, std::size_t most) {
    const Value time{format_rfc3339(before.recorded_at)};
    const auto rows = transaction.query(
        "SELECT changed_at FROM entries WHERE feed = ? AND changed_at <= ?"
        " AND (changed_at < ? OR id < ?) ORDER BY changed_at DESC, id DESC LIMIT 1 OFFSET ?",
        {Value{feed}, time, time, Value{before.entry}, Value{static_cast<std::int64_t>(most)}});
    return rows.empty() ? std::string() : rows.front().text(0);
}

// Before all others.
constexpr VersionPosition newest_position{
    base::Seconds(std::chrono::sys_days(std::chrono::year(9999) / 12 / 31)), 0, 0};

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

void note_mentions(std::span<ReadyEntry> entries, const MentionFinder& finder) {
    for (auto& entry : entries) entry.mentions = finder.mentions_in(entry.tree);
}

std::vector<const feed::Entry*> unrecorded(Transaction& transaction, std::int64_t feed,
                                           std::span<const feed::Entry> entries) {
    static const std::string sql =
        "SELECT guid_digest, seen_digest FROM entries WHERE feed = ? AND guid_digest IN (" +
        places() + ")";
    const auto keys = guid_keys(entries);
    std::unordered_map<std::string, std::string> seen;
    for_keys(transaction, sql, {Value{feed}}, keys,
             [&](const store::Row& row) { seen[row.text(0)] = row.text(1); });
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
    bool copy_differs = false,
         objects_differ = false;  // what our copy shows, and pages of objects
    const auto record_mentions = [&](std::int64_t entry, const ReadyEntry& ready) {
        if (tables::replace_mentions(transaction, entry, ready.mentions, now))
            objects_differ = true;
    };
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto& ready = entries[i];
        const auto digest = guid_digest_of(*ready.entry);
        auto known = find_entry(transaction, feed, digest);
        if (!known) {
            const bool is_inserted = store::insert_unless_there(transaction, an_entry,
                                                                values_of_new(feed, ready, now));
            known = find_entry(transaction, feed, digest);
            if (is_inserted && known) {
                ++result.added;
                copy_differs = true;
                result.recorded.push_back({known->id, i, true});
                record_mentions(known->id, ready);
                continue;
            }
            // The walk of an archive and a fetch of the feed may both have it.
            if (!ready.dated) {
                ++result.inserted_twice;
                base::log::error(
                    "an entry was to be recorded a second time: two harvesters have one feed",
                    {{"feed", std::to_string(feed)}, {"guid", ready.entry->id}});
            }
            if (!known) continue;
        }
        const bool is_other = !ready.dated && known->seen_digest != ready.entry->digest;
        if (is_other) record_mentions(known->id, ready);
        copy_differs |= is_other;
        if (is_other && write_version(transaction, *known, ready, now)) {
            ++result.edited;
            objects_differ |= !ready.mentions.empty();  // they name its title and authors
            result.recorded.push_back({known->id, i, false});
        } else {
            ++result.skipped;
        }
    }
    if (objects_differ) tables::move_generation(transaction);
    if (copy_differs) tables::move_feed_writes(transaction, std::span(&feed, 1));
    return result;
}

std::optional<base::Date> window_day(Transaction& transaction, std::int64_t feed) {
    const auto rows =
        transaction.query("SELECT MAX(last_seen) FROM entries WHERE feed = ?", {Value{feed}});
    if (rows.empty() || rows.front().is_null(0)) return std::nullopt;
    return base::parse_date(rows.front().text(0));
}

void note_seen(Transaction& transaction, std::int64_t feed, std::span<const feed::Entry> entries,
               const SeenOn& days) {
    if (days.last_success) note_window(transaction, feed, *days.last_success);
    static const std::string sql =
        "UPDATE entries SET last_seen = ? WHERE feed = ? AND last_seen < ? AND guid_digest IN (" +
        places() + ")";
    const Value day{base::format_date(days.today)};
    const auto keys = guid_keys(entries);
    for (std::size_t at = 0; at < keys.size(); at += keys_at_once) {
        std::vector<Value> values{day, Value{feed}, day};
        for (std::size_t i = 0; i < keys_at_once; ++i)
            values.push_back(keys[std::min(at + i, keys.size() - 1)]);
        transaction.execute(sql, values);
    }
}

std::vector<StoredEntry> load_entries(Transaction& transaction, std::int64_t feed,
                                      const std::optional<EntryPosition>& before,
                                      std::size_t most) {
    const Value limit{static_cast<std::int64_t>(most)};
    if (!before)
        return entries_in(
            transaction,
            transaction.query(std::string(entry_columns) +
                                  "WHERE feed = ? ORDER BY changed_at DESC, id DESC LIMIT ?",
                              {Value{feed}, limit}));
    const Value time{format_rfc3339(before->changed_at)};
    return entries_in(
        transaction,
        transaction.query(std::string(entry_columns) +
                              "WHERE feed = ? AND changed_at <= ? AND (changed_at < ? OR id < ?)"
                              " ORDER BY changed_at DESC, id DESC LIMIT ?",
                          {Value{feed}, time, time, Value{before->id}, limit}));
}

std::vector<StoredEntry> load_entries(Transaction& transaction,
                                      std::span<const std::int64_t> ids) {
    return entries_in(transaction, rows_numbered(transaction, ids));
}

std::vector<VersionPosition> version_positions(Transaction& transaction, std::int64_t feed,
                                               const std::optional<VersionPosition>& before,
                                               std::size_t most) {
    constexpr std::string_view sql =
        "SELECT recorded_at, entry, revision FROM ("
        "SELECT e.first_seen AS recorded_at, e.id AS entry, 0 AS revision FROM entries e"
        " WHERE e.feed = ? AND e.changed_at >= ? AND (e.changed_at <= ? OR e.revision > 0)"
        " UNION ALL SELECT c.created_at, c.entry, c.revision FROM entries e"
        " JOIN entry_changes c ON c.entry = e.id"
        " WHERE e.feed = ? AND e.changed_at >= ? AND e.revision > 0) v"
        " WHERE recorded_at <= ? AND (recorded_at < ? OR entry < ? OR (entry = ? AND revision < "
        "?))"
        " ORDER BY recorded_at DESC, entry DESC, revision DESC LIMIT ?";
    const auto behind = before.value_or(newest_position);
    const Value time{format_rfc3339(behind.recorded_at)}, entry{behind.entry};
    const Value oldest{oldest_change(transaction, feed, behind, most)};
    std::vector<VersionPosition> positions;
    for (const auto& row :
         transaction.query(std::string(sql), {Value{feed}, oldest, time, Value{feed}, oldest,
                                              time, time, entry, entry, Value{behind.revision},
                                              Value{static_cast<std::int64_t>(most)}}))
        if (const auto at = base::parse_rfc3339(row.text(0)))
            positions.push_back({*at, row.integer(1), row.integer(2)});
    return positions;
}

EntryVersions load_versions(Transaction& transaction, std::int64_t feed,
                            const std::optional<VersionPosition>& before, std::size_t most) {
    auto positions = version_positions(transaction, feed, before, most + 1);
    EntryVersions result;
    if (positions.size() > most) {
        positions.resize(most);
        if (!positions.empty()) result.rest = positions.back();
    }
    std::vector<std::int64_t> ids;
    for (const auto& position : positions) ids.push_back(position.entry);
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    std::unordered_map<std::int64_t, StoredEntry> entries;
    for (auto& entry : entries_in(rows_numbered(transaction, ids)))
        entries.insert_or_assign(entry.id, std::move(entry));
    for (const auto& [recorded_at, id, revision] : positions) {
        const auto found = entries.find(id);
        if (found == entries.end()) continue;
        EntryVersion version;
        version.revision = revision;
        version.recorded_at = recorded_at;
        version.entry = found->second;
        if (!add_changes(transaction, version)) continue;
        set_values_of_then(transaction, version);
        result.versions.push_back(std::move(version));
    }
    return result;
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
    tables::move_feed_writes(transaction, feeds);
    return dropped;
}

}  // namespace harvest
