// SPDX-License-Identifier: MIT
#include "harvest/versions.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <unordered_map>

#include "base/compress.hpp"
#include "base/log.hpp"
#include "base/utf8.hpp"
#include "harvest/feed_row.hpp"
#include "tables/lists.hpp"
#include "tables/rows.hpp"
#include "tables/trees.hpp"

namespace harvest {

namespace {

using base::format_rfc3339;
using store::Transaction;
using store::Value;

constexpr std::size_t most_content = 1 << 20;  // decompressed, of what is stored

// Reads a row; nullopt, with a line in the log: it is damaged.
std::optional<StoredEntry> entry_in(const store::Row& row) {
    auto nodes = tables::unpacked_tree(row.blob(8));
    auto content = base::decompress(row.blob(9), most_content);
    const auto first_seen = base::parse_rfc3339(row.text(6));
    if (!nodes || !content || !first_seen) {
        base::log::error("an entry cannot be read", {{"entry", std::to_string(row.integer(0))},
                                                     {"reason", !nodes     ? nodes.error().text
                                                                : !content ? content.error().text
                                                                           : "an invalid time"}});
        return std::nullopt;
    }
    return StoredEntry{.id = row.integer(0),
                       .feed = row.integer(1),
                       .guid = row.text(2),
                       .link = row.text(3),
                       .title = row.text(4),
                       .published = base::parse_rfc3339(row.text(5)),
                       .first_seen = *first_seen,
                       .revision = row.integer(7),
                       .tree = *std::move(nodes),
                       .content = *std::move(content)};
}

// Returns the entries of versions by their ids, without those that are damaged.
std::unordered_map<std::int64_t, StoredEntry> entries_of(
    Transaction& transaction, std::span<const VersionPosition> positions) {
    std::vector<std::int64_t> ids;
    for (const auto& position : positions) ids.push_back(position.entry);
    std::ranges::sort(ids);
    const auto twice = std::ranges::unique(ids);
    ids.erase(twice.begin(), twice.end());
    std::unordered_map<std::int64_t, StoredEntry> entries;
    for (const auto& row : tables::query_in(
             transaction,
             "SELECT id, feed, guid, link, title, published, first_seen, revision, tree,"
             " content FROM entries WHERE id IN",
             {}, tables::values_of(ids)))
        if (auto entry = entry_in(row)) entries.insert_or_assign(entry->id, *std::move(entry));
    return entries;
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

// Sets the title that this version had, and the first publication time: later edits may have changed both.
void set_values_of_then(Transaction& transaction, EntryVersion& version) {
    const auto& entry = version.entry;
    version.title = entry.title;
    version.published = entry.published;
    if (entry.revision == 0) return;
    if (version.revision < entry.revision)
        if (const auto title =
                value_before_edits(transaction, entry.id, version.revision, "Title"))
            version.title = base::cut_at(*title, longest_title);
    if (version.revision > 0 && !version.title.empty()) return;
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

// Each of the four parts reads at most a page of an index: the entries of the same second as the position, older ones, the
// edits of the same second, and older ones. A condition with OR in one of them would be looked at row by row.
constexpr std::string_view versions_behind =
    "SELECT recorded_at, entry, revision FROM ("
    "SELECT * FROM (SELECT first_seen AS recorded_at, id AS entry, 0 AS revision FROM entries"
    " WHERE feed = ? AND first_seen = ? AND id < ? ORDER BY id DESC LIMIT ?) a"
    " UNION ALL SELECT * FROM (SELECT first_seen, id, 0 FROM entries"
    " WHERE feed = ? AND first_seen < ? ORDER BY first_seen DESC, id DESC LIMIT ?) b"
    " UNION ALL SELECT * FROM (SELECT created_at, entry, revision FROM entry_changes"
    " WHERE feed = ? AND created_at = ? AND entry <= ? AND (entry < ? OR revision < ?)"
    " ORDER BY entry DESC, revision DESC LIMIT ?) c"
    " UNION ALL SELECT * FROM (SELECT created_at, entry, revision FROM entry_changes"
    " WHERE feed = ? AND created_at < ? ORDER BY created_at DESC, entry DESC, revision DESC"
    " LIMIT ?) d) v ORDER BY recorded_at DESC, entry DESC, revision DESC LIMIT ?";

// Before all others.
constexpr VersionPosition newest_position{
    base::Seconds(std::chrono::sys_days(std::chrono::year(9999) / 12 / 31)), 0, 0};

}  // namespace

std::vector<VersionPosition> version_positions(Transaction& transaction, std::int64_t feed,
                                               const std::optional<VersionPosition>& before,
                                               std::size_t most) {
    const auto behind = before.value_or(newest_position);
    const Value id{feed}, time{format_rfc3339(behind.recorded_at)}, entry{behind.entry},
        limit{static_cast<std::int64_t>(most)};
    // As it came, an entry is behind its edits of the same second.
    const Value entries_below{behind.entry + (behind.revision > 0 ? 1 : 0)};
    std::vector<VersionPosition> positions;
    for (const auto& row : transaction.query(
             versions_behind, {id, time, entries_below, limit, id, time, limit, id, time, entry,
                               entry, Value{behind.revision}, limit, id, time, limit, limit}))
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
    const auto entries = entries_of(transaction, positions);
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

}  // namespace harvest
