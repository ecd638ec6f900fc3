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
    std::int64_t last = 0;  // the number (sid) of the one that was recorded last
    bool operator==(const RowsOfKind&) const = default;
};
using RowsByKind = std::map<RowKind, RowsOfKind>;
// Returns them by version; releases and kinds without a row are left out.
//   throws  store::Failure, as all that follow
//   cost    reads an index of `history` from end to end (10 million rows a second on SQLite, 1 on
//           MariaDB)
[[nodiscard]] std::map<std::string, RowsByKind> rows_by_kind(store::Transaction& transaction);

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
