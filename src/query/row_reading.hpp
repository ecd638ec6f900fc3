// query/row_reading.hpp -- the rows of history that a page of one or several objects shows: first
// which rows there are, then those that are shown.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "query/history_page.hpp"
#include "tables/tables.hpp"

namespace query {

// Which of these rows have a change that is shown, in the same order.
//   error  malformed
//   cost   the notes of all of them are read, 64 rows a query
[[nodiscard]] base::Result<std::vector<std::int64_t>> shown_among(
    store::Transaction& transaction, std::span<const std::int64_t> sids,
    const ChangeFilter& narrowing);

// The rows from .. to - 1 of `rows` rows, newest first, that a window shows. Pure.
struct Slice {
    std::size_t from = 0, to = 0;
    [[nodiscard]] std::size_t size() const { return to - from; }
    bool operator==(const Slice&) const = default;
};
[[nodiscard]] Slice slice_of(const PageRequest& window, std::size_t rows);

// Rows that a window shows, newest release first, then by class and name.
struct Rows {
    std::vector<tables::Row> rows;
    std::size_t recorded = 0;                            // that since and narrowing leave, in all
    std::map<std::int64_t, std::size_t> of_object = {};  // rows up to the current release, by oid
    bool cut = false;                                    // as in HistoryPage
};

// The rows of one object, or of several together, up to `current`.
//   objects  settled; each once
//   error    malformed: notes that are no notes; refused: a window since an unknown release
//   cost     a covering index of all their rows, then the rows shown; a narrowing reads all rows
[[nodiscard]] base::Result<Rows> load_rows(store::Transaction& transaction,
                                           const tables::ObjectRow& object,
                                           const Release& current, const PageRequest& window,
                                           const tables::Releases& releases);
[[nodiscard]] base::Result<Rows> load_rows(store::Transaction& transaction,
                                           std::span<const tables::ObjectRow> objects,
                                           const Release& current, const PageRequest& window,
                                           const tables::Releases& releases);

}  // namespace query
