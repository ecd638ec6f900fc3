// tables/release_counts.hpp -- what the store has of each release, counted for operators and for the
// list of all releases.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "store/pool.hpp"
#include "tables/release_rows.hpp"
#include "tables/rows.hpp"

namespace tables {

// The rows of one kind in one release.
struct RowsOfKind {
    std::uint64_t rows = 0;
    // The number (sid) of the one that was recorded last, or a later one: two counts with the same have
    // the same rows.
    std::int64_t last = 0;
    bool operator==(const RowsOfKind&) const = default;
};
using RowsByKind = std::map<RowKind, RowsOfKind>;
// All rows of `history`, counted, and what shows whether the count is still true.
struct CountedRows {
    std::map<std::string, RowsByKind> by_release;  // by version; without those that have no row
    std::uint64_t rows = 0;                        // all of them, of unknown kinds too
    std::int64_t last = 0;                         // the largest number (sid) counted
    std::string builds;                            // versions and digests of all releases
};
// Counts the rows, only the new ones if the others are still those of an earlier count. They are
// unless their number differs, because rows were deleted or became visible late (nodes of a cluster
// number rows on their own); or a release was published again, which changes kinds of rows.
//   throws  store::Failure, as all that follow
//   cost    reads an index of `history` from end to end (10 million rows a second on SQLite, 1 on
//           MariaDB); from an earlier count only to count its entries (100 and 5 million), and up to
//           20,000 rows recorded since
[[nodiscard]] CountedRows count_rows_by_kind(store::Transaction& transaction,
                                             CountedRows earlier = {});

// Returns what count_classes() returns for each of these releases, by version; classes by name.
//   cost  a look-up of each object (1 million a second on SQLite, 0.2 on MariaDB)
[[nodiscard]] std::map<std::string, std::vector<ClassCount>> classes_by_release(
    store::Transaction& transaction, std::span<const std::string> versions);

struct ChangedObject {
    ObjectName object;
    std::string label;
};
// Returns the objects whose changes in these releases take the most bytes, by version, at most
// `most` of each, the one with most first. Objects that came or went are left out.
//   cost  reads all rows of kind `changed` of these releases
[[nodiscard]] std::map<std::string, std::vector<ChangedObject>> most_changed(
    store::Transaction& transaction, std::span<const std::string> versions, std::size_t most);

struct ReleaseCounts {
    bool has_digest = false;                     // its build was served once
    bool is_prewarmed = false;                   // all classes are
    std::uint64_t prewarmed_classes = 0;         // that are prewarmed
    std::uint64_t failed = 0;                    // objects that a job could not read
    std::uint64_t compared = 0;                  // objects whose row was compared in it last
    std::map<RowKind, std::uint64_t> rows = {};  // of history; kinds without a row are left out
    bool operator==(const ReleaseCounts&) const = default;
};
// Returns them by version.
//   cost  reads an index of `history` and the table `objects` from end to end
[[nodiscard]] std::map<std::string, ReleaseCounts> count_by_release(
    store::Transaction& transaction);

}  // namespace tables
