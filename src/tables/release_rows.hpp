// tables/release_rows.hpp -- the rows of a release, of which there may be millions: counted in an
// index, and found by their number (sid). Rows of kind `reconstructed` are left out here, because
// they were read from timestamps and are no news of a release. All functions throw
// store::Failure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/pool.hpp"
#include "tables/rows.hpp"

namespace tables {

// Every kind but `reconstructed`, as a list of SQL.
[[nodiscard]] std::string_view kinds_of_news();

// Which rows are meant, and how they are looked up.
struct RowSelection {
    std::string class_name = {};  // of this class, as it is spelled; empty: of any class
    // Of objects whose name or label begins with this, ASCII case ignored; empty: of any object.
    std::string text = {};
    // Walk over objects and look up their rows, instead of the other way round. Changes the cost,
    // not the result: see has_few_objects() and most_sorted.
    bool objects_first = false;
};

// Returns true when the class has at most 5,000 objects: then it is faster to read it object by
// object.
//   cost  an index look-up for each object, of at most 5,001
[[nodiscard]] bool has_few_objects(store::Transaction& transaction,
                                   const std::string& class_name);

// Returns how many rows there are, by version; releases without rows are left out.
//   cost  of one release or of all classes: a walk over its rows in an index (2 million a second);
//         objects first: all rows of the class; else a walk over all rows of those releases
[[nodiscard]] std::map<std::string, std::size_t> count_rows(
    store::Transaction& transaction, const RowSelection& selection,
    std::span<const std::string> versions);

// Of more rows than this, the first ones by name are found faster with objects first.
inline constexpr std::size_t most_sorted = 20'000;

// Return the numbers (sid) of rows of one release: by class and name, or in the order in which
// they were recorded.
//   from, most  leaves out the first `from`, and returns at most `most`
[[nodiscard]] std::vector<std::int64_t> rows_by_name(store::Transaction& transaction,
                                                     const RowSelection& selection,
                                                     const std::string& version, std::size_t from,
                                                     std::size_t most);
[[nodiscard]] std::vector<std::int64_t> rows_as_recorded(store::Transaction& transaction,
                                                         const RowSelection& selection,
                                                         const std::string& version,
                                                         std::size_t from, std::size_t most);
// The same from the row that was recorded last to the first.
[[nodiscard]] std::vector<std::int64_t> last_recorded_rows(store::Transaction& transaction,
                                                           const RowSelection& selection,
                                                           const std::string& version,
                                                           std::size_t most);

struct RowName {
    std::string version;
    ObjectName object;
};
// Returns the releases and objects of rows, by the number (sid) of the row.
//   cost  a query for 64 rows
[[nodiscard]] std::map<std::int64_t, RowName> row_names(store::Transaction& transaction,
                                                        std::span<const std::int64_t> sids);

struct KindCount {
    RowKind kind;
    std::uint64_t objects;  // with a row of this kind
};
// Returns the rows of a release by kind, in the order of RowKind; kinds without rows are left out.
//   cost  a walk over its rows in an index (10 million a second on SQLite, 1 on MariaDB)
[[nodiscard]] std::vector<KindCount> count_kinds(store::Transaction& transaction,
                                                 const std::string& version);

// Returns how many histories of a release were read from timestamps, which no other count includes.
//   cost  as count_kinds()
[[nodiscard]] std::uint64_t count_reconstructed(store::Transaction& transaction,
                                                const std::string& version);

struct ClassCount {
    std::string class_name;
    std::uint64_t objects = 0;  // with a row of the release
    std::vector<KindCount> kinds;
};
// Returns the same of each class, classes with most objects first.
//   cost  a look-up of each object (1 million a second on SQLite, 0.2 on MariaDB)
[[nodiscard]] std::vector<ClassCount> count_classes(store::Transaction& transaction,
                                                    const std::string& version);

}  // namespace tables
