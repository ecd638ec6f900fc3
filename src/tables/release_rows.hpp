// tables/release_rows.hpp -- the rows of a release, of which there may be millions: they are counted by an
// index (query::CountedRowsCache keeps the counts), and found by their number (sid). Rows of kind
// `reconstructed` are no news of a release, because they were read from timestamps; only their count is here.
// All functions throw store::Failure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/pool.hpp"
#include "tables/rows.hpp"

namespace tables {

// Which rows are meant, and how they are looked up.
struct RowSelection {
    std::string class_name = {};  // of this class, as it is spelled; empty: of any class
    // Of objects whose name begins with this, ASCII case ignored, or whose label's key does
    // (base::search_prefix()); empty: of any object.
    std::string text = {};
    // With a text: the label of an object that was compared last with a build of a higher number counts only if
    // the row has it too, so that none is given away of a release that is recorded but not shown yet.
    std::int64_t newest_build = 0;
    bool only_own = false;  // without rows that are quiet (tables::Quiet)
    // With a text: look for the spellings of the beginning among the names of the release, instead of
    // comparing the name of each row. Changes the cost, not the result: see most_compared.
    bool by_spelling = false;
};

struct KindCount {
    RowKind kind;
    std::uint64_t objects;  // with a row of this kind
    bool operator==(const KindCount&) const = default;
};
// Objects of which a release changed nothing of their own (tables::Quiet).
struct QuietCount {
    std::uint64_t mass = 0, echoes = 0;
    bool operator==(const QuietCount&) const = default;
};
struct ClassCount {
    std::string class_name;
    std::uint64_t objects = 0;  // with a row of the release
    std::vector<KindCount> kinds;
    QuietCount quiet = {};  // of those that changed
    bool operator==(const ClassCount&) const = default;
};

// The rows of a release, counted.
struct CountedRows {
    std::string version;
    std::vector<ClassCount> classes;  // that have news; most objects first, then by name
    std::vector<KindCount> kinds;     // of all classes, in the order of RowKind; none is 0
    std::uint64_t reconstructed = 0;  // which no other count includes
    QuietCount quiet = {};            // of all classes
    // newest_rows(), where the caller knows it: replaced rows may leave the counts as they were.
    std::int64_t newest = 0;
    bool operator==(const CountedRows&) const = default;

    // Returns how many rows of a class are news; of all classes if the name is empty.
    [[nodiscard]] std::size_t news(std::string_view class_name) const;
};
// Returns them for each of these releases, in their order.
//   cost  a walk in an index over all rows of these releases: 0.2 µs a row on SQLite, 0.4 on MariaDB
[[nodiscard]] std::vector<CountedRows> count_rows(store::Transaction& transaction,
                                                  std::span<const std::string> versions);
// Returns the highest number (sid) of a row of each recorded release; 0: it has none. While it is the same, no
// row was added or replaced, but rows may have been forgotten, or committed that have a lower number.
//   cost  an index look-up for each release
[[nodiscard]] std::map<std::string, std::int64_t> newest_rows(store::Transaction& transaction);

// What the store has of a release, counted for operators.
struct ReleaseCounts {
    bool has_build = false;        // one was accepted
    bool is_recorded = false;      // a job has compared all objects with the newest
    std::uint64_t unreadable = 0;  // objects that this job could not read
    std::uint64_t compared = 0;    // objects that were compared with a build of it last
    std::map<RowKind, std::uint64_t> rows = {};  // of history; kinds without a row are left out
    bool operator==(const ReleaseCounts&) const = default;
};
// Returns them by version.
//   cost    that of count_rows() for all releases, and reads the table `objects` from end to end
[[nodiscard]] std::map<std::string, ReleaseCounts> count_by_release(
    store::Transaction& transaction);

// Of more rows than this, those with a text are found faster by spelling.
inline constexpr std::size_t most_compared = 1'000;

// Return the numbers (sid) of rows of one release: by class and name, or in the order in which
// they were recorded.
//   selection   without a text
//   from, most  leaves out the first `from`, and returns at most `most`
//   cost        a walk in an index over what is left out: at most half of the rows of a class, or of the
//               release in the order of recording, because the nearer end is read
//   returns     also reconstructed rows of a release that had none when it was counted
[[nodiscard]] std::vector<std::int64_t> rows_by_name(store::Transaction& transaction,
                                                     const RowSelection& selection,
                                                     const CountedRows& release, std::size_t from,
                                                     std::size_t most);
[[nodiscard]] std::vector<std::int64_t> rows_as_recorded(store::Transaction& transaction,
                                                         const RowSelection& selection,
                                                         const CountedRows& release,
                                                         std::size_t from, std::size_t most);

struct FoundRows {
    std::vector<std::int64_t> sids;
    std::size_t all = 0;  // that there are
};
// Returns, by class and name, rows of objects whose name or label begins with the text of the selection.
//   from, most  as above
//   cost        a look-up for each row of the release. By spelling and with `from` up to 10,000, one for each
//               object whose label begins so, and a walk in an index over the names that do
[[nodiscard]] FoundRows rows_with_text(store::Transaction& transaction,
                                       const RowSelection& selection, const CountedRows& release,
                                       std::size_t from, std::size_t most);

}  // namespace tables
