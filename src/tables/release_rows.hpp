// tables/release_rows.hpp -- the rows of a release, of which there may be millions: their counts are
// kept, and they are found by their number (sid). Rows of kind `reconstructed` are left out here, because
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
#include <vector>

#include "store/pool.hpp"
#include "tables/rows.hpp"

namespace tables {

// Every kind but `reconstructed`, as a list of SQL.
[[nodiscard]] std::string_view kinds_of_news();

// Which rows are meant, and how they are looked up.
struct RowSelection {
    std::string class_name = {};  // of this class, as it is spelled; empty: of any class
    // Of objects whose name begins with this, ASCII case ignored, or whose label's key does
    // (base::search_prefix()); empty: of any object.
    std::string text = {};
    // With a text, at least one. The label of an object that was compared last in another release counts only
    // if the row has it too, so that none is given away of a release that is recorded but not shown yet.
    std::vector<std::string> shown_versions = {};
    // With a text: look for the spellings of the beginning among the names of the release, instead of
    // comparing the name of each row. Changes the cost, not the result: see most_compared.
    bool by_spelling = false;
};

// Returns how many rows there are, by version; releases without rows are left out.
//   selection  without a text
//   cost       reads counts, a few for each release
[[nodiscard]] std::map<std::string, std::size_t> count_rows(
    store::Transaction& transaction, const RowSelection& selection,
    std::span<const std::string> versions);

// Of more rows than this, those with a text are found faster by spelling.
inline constexpr std::size_t most_compared = 1'000;

// Return the numbers (sid) of rows of one release: by class and name, or in the order in which
// they were recorded.
//   selection   without a text
//   from, most  leaves out the first `from`, and returns at most `most`
//   rows        that the selection has (count_rows()); the nearer end is read
//   cost        a walk in an index over what is left out: at most half of the rows of a class, or of the
//               release in the order of recording
[[nodiscard]] std::vector<std::int64_t> rows_by_name(store::Transaction& transaction,
                                                     const RowSelection& selection,
                                                     const std::string& version, std::size_t from,
                                                     std::size_t most);
[[nodiscard]] std::vector<std::int64_t> rows_as_recorded(store::Transaction& transaction,
                                                         const RowSelection& selection,
                                                         const std::string& version,
                                                         std::size_t from, std::size_t most,
                                                         std::size_t rows);

struct FoundRows {
    std::vector<std::int64_t> sids;
    std::size_t all = 0;  // that there are
};
// Returns, by class and name, rows of objects whose name or label begins with the text of the selection.
//   from, most  as above
//   cost        a look-up for each row of the release. By spelling and with `from` up to 10,000, one for each
//               object whose label begins so, and a walk in an index over the names that do
[[nodiscard]] FoundRows rows_with_text(store::Transaction& transaction,
                                       const RowSelection& selection, const std::string& version,
                                       std::size_t from, std::size_t most);

struct KindCount {
    RowKind kind;
    std::uint64_t objects;  // with a row of this kind
};
// Returns the rows of a release by kind, in the order of RowKind; kinds without rows are left out.
//   cost  reads the counts of the release
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
//   cost  reads the counts of the release: for each class and kind, one for each slot that wrote such
//         rows (16 at most)
[[nodiscard]] std::vector<ClassCount> count_classes(store::Transaction& transaction,
                                                    const std::string& version);

}  // namespace tables
