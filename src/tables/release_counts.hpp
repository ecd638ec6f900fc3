// tables/release_counts.hpp -- what the store has of each release, counted for operators and for the
// list of all releases.
// SPDX-License-Identifier: MIT
#pragma once

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
    // Grows with every transaction that inserts, deletes or replaces such rows: while it is the same,
    // so are the rows.
    std::int64_t writes = 0;
    bool operator==(const RowsOfKind&) const = default;
};
using RowsByKind = std::map<RowKind, RowsOfKind>;  // also kinds that have no row any more
// Returns them by version.
//   throws  store::Failure, as all that follow
//   cost    a row for each release and kind, for each slot that wrote such rows (16 at most)
[[nodiscard]] std::map<std::string, RowsByKind> count_rows_by_kind(
    store::Transaction& transaction);

// Returns what count_classes() returns for each of these releases, by version; classes by name.
//   cost  as of count_classes(), for each of them
[[nodiscard]] std::map<std::string, std::vector<ClassCount>> classes_by_release(
    store::Transaction& transaction, std::span<const std::string> versions);

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
//   cost  reads the table `objects` from end to end
[[nodiscard]] std::map<std::string, ReleaseCounts> count_by_release(
    store::Transaction& transaction);

}  // namespace tables
