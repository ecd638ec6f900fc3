// tables/rows.hpp -- the table history: what one release did to one object, as a value, and its
// notes as JSON. Verbs that take a transaction throw store::Failure.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/date.hpp"
#include "base/release.hpp"
#include "base/result.hpp"
#include "compare/change.hpp"
#include "compare/field_change.hpp"
#include "compare/headline.hpp"
#include "store/pool.hpp"
#include "tree/object.hpp"

namespace tables {

using base::Release;
using tree::ObjectName;

enum class RowKind : unsigned char {
    changed,        // compared with the tree known before
    created,        // the kept index of the previous build did not have it
    vanished,       // was recorded, is not in this release
    reappeared,     // had vanished; compared with the empty tree
    reconstructed,  // first sight: read from timestamps (rule C4), since is empty
    withdrawn,      // a release that was published again has no changes left here
};
inline constexpr std::array all_kinds{RowKind::changed,       RowKind::created,
                                      RowKind::vanished,      RowKind::reappeared,
                                      RowKind::reconstructed, RowKind::withdrawn};
[[nodiscard]] std::string_view name_of(RowKind kind);
[[nodiscard]] std::optional<RowKind> kind_named(std::string_view name);
// Returns every kind but `reconstructed`, as a list of SQL: "('changed', 'created', ...)".
[[nodiscard]] const std::string& kinds_of_news();

// Says what is wrong with the text of a column of any table, where rows with it could not be read:
// a day, time or kind that is none. Empty: nothing.
[[nodiscard]] std::string fault_of(std::string_view table, std::string_view column,
                                   std::string_view text);

// The value of the column `notes`, stored as JSON (docs/schema.md).
struct Notes {
    std::vector<compare::Change> changes;
    std::string previous;            // version of the release just before, as known when recorded
    compare::References references;  // of objects that the changes name, at most 200
    compare::Counts left_out;  // changes that are not in the row, because it would be too long
    bool operator==(const Notes&) const = default;

    // Returns false when changes, or parts of them, are left out.
    [[nodiscard]] bool is_whole() const;
};
// Returns how many changes there were, those that are left out included.
[[nodiscard]] compare::Counts count_changes(const Notes& notes);

// Bytes of JSON that the changes of a row may have. The trees have what a longer one leaves out.
inline constexpr std::size_t longest_changes = 4 << 20;
// Leaves out of the changes what exceeds the limit: first what is below the topmost nodes of the
// largest changes, with their texts but for a beginning, then whole changes, the last ones first.
// Equal changes are shortened equally.
//   cost  that of their JSON
void shorten(Notes& notes, std::size_t most_bytes);

[[nodiscard]] std::string to_json(const Notes& notes);
// Returns the JSON of the notes, which are shortened first where they have more than longest_changes.
[[nodiscard]] std::string shortened_json(Notes& notes);
//   error  malformed; also where the paths of all changes are too long together (compare::PathLimit),
//          because each may share most of its cells with the one before
[[nodiscard]] base::Result<Notes> notes_from_json(std::string_view text);

// One row of the table: what one release did to one object. One item of a feed.
struct Row {
    std::int64_t oid = 0;
    ObjectName object;  // the spelling first recorded: ids are made of it, for ever
    Release release;    // in which the change was found
    int of_day = 0;     // the number of known releases of the same date before that one
    int revision = 0;   // > 0: the release was published again with other content
    std::string since;  // version that was compared with; empty: none (see kind)
    std::optional<base::Date> since_on;  // the date of that version, where it is known
    base::Seconds recorded_at{};
    std::string signature;  // of the object in this release; empty: vanished
    RowKind kind = RowKind::changed;
    std::string label;  // what people called the object then; never empty
    // The signature of what an object had that vanished, or has that came, where the build before is
    // known to have had, or lacked, it; empty: the row says nothing of renames (rule C9).
    std::string content;
    std::optional<ObjectName> renamed_to, renamed_from;  // not stored: find_renames()
    compare::Headline headline;                          // not stored: query::add_headline()
    Notes notes;  // notes.previous other than since: releases were skipped
    bool operator==(const Row&) const = default;
};

// A row that cannot be read, because its notes are damaged, or its kind or time is unknown.
struct UnreadableRow {
    ObjectName object;
    std::string version;
    std::string reason;
};
using OnUnreadable = std::function<void(const UnreadableRow&)>;
void log_unreadable(const UnreadableRow& row);

// Thrown instead of reading rows that would take more memory than the caller has.
struct NotesTooLong {};
inline constexpr std::size_t any_bytes = std::numeric_limits<std::size_t>::max();
// Bytes of the JSON of notes.
struct NotesLimits {
    std::size_t all = any_bytes;     // of the rows together
    std::size_t of_row = any_bytes;  // the notes of a row that has more are shortened
    // Called with each row before; empty: nothing is.
    std::function<void(Row&)> before_shortening = {};
};

struct NumberedRows {
    std::unordered_map<std::int64_t, Row> by_sid;
    std::size_t bytes = 0;  // of the JSON of their notes, as far as they are here
};
// Returns whole rows by their number (sid); of_day, since_on and other names are not filled in. Numbers of no row
// are left out, and rows that cannot be read, which `on_unreadable` gets.
//   throws  NotesTooLong when they have more than limits.all, before they are in memory
//   cost    a query for 64 rows, and two more for them if one has more than its part of limits.all
[[nodiscard]] NumberedRows rows_numbered(store::Transaction& transaction,
                                         std::span<const std::int64_t> sids,
                                         const OnUnreadable& on_unreadable,
                                         const NotesLimits& limits = {});

// Which row it is.
struct RowKey {
    std::int64_t sid = 0, oid = 0;
    std::string version;
};

// Reads rows only to find those that cannot be read.
struct CheckedRows {
    std::size_t rows = 0;
    std::int64_t last = 0;  // the number (sid) of the last one
    std::vector<UnreadableRow> unreadable;
};
// Checks up to `most` rows that were recorded before the one numbered `before`, the last first.
[[nodiscard]] CheckedRows check_rows(store::Transaction& transaction, std::int64_t before,
                                     std::size_t most);

// A row without its notes.
struct RowSummary {
    std::string version, since;
    std::optional<base::Date> date;  // nullopt: unreadable, as the kind
    std::optional<RowKind> kind;
    std::string label;
};
// Returns all rows of the objects, by oid; objects without rows are left out.
//   cost   a query for 64 objects
[[nodiscard]] std::map<std::int64_t, std::vector<RowSummary>> row_summaries(
    store::Transaction& transaction, std::span<const std::int64_t> oids);

// Returns the keys of all rows of the objects, in no order.
//   cost  a query for 64 objects, of an index alone
[[nodiscard]] std::vector<RowKey> row_keys(store::Transaction& transaction,
                                           std::span<const std::int64_t> oids);

struct NewRow {
    std::int64_t oid;
    const Row* row;
    const std::string* notes;  // to_json(row->notes)
};
//   throws  Failure (duplicate) when there is a row of one of these objects and releases
void insert_rows(store::Transaction& transaction, std::span<const NewRow> rows);

void delete_rows(store::Transaction& transaction, const std::string& version,
                 std::span<const std::int64_t> oids);

// Fills in the other names (rule C9): of exactly one row that vanished and exactly one other row of the
// same release, class and content.
//   cost  nothing for rows without content; a query for 64 others, each of which takes up to three
//         entries of an index
void find_renames(store::Transaction& transaction, std::span<Row> rows);

}  // namespace tables
