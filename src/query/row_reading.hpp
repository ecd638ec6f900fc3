// history/row_reading.hpp -- rows of history read by their numbers (sid): first which rows there
// are, then those that are shown.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "history/tables.hpp"

namespace history {

// Whole rows by their number; of_day is not filled in. A number that there is none of is left
// out.
//   error   malformed: notes that are no notes
//   throws  Failure, as what follows
//   cost    a query for 64 rows
[[nodiscard]] base::Result<std::unordered_map<std::int64_t, Row>> rows_numbered(
    store::Transaction& transaction, std::span<const std::int64_t> sids);

// Which of these rows have a change that is shown, in the same order.
//   error  malformed
//   cost   the notes of all of them are read, 64 rows a query
[[nodiscard]] base::Result<std::vector<std::int64_t>> shown_among(
    store::Transaction& transaction, std::span<const std::int64_t> sids,
    const Narrowing& narrowing);

// The rows from .. to - 1 of `rows` rows, newest first, that a window shows. Pure.
struct Slice {
    std::size_t from = 0, to = 0;
    [[nodiscard]] std::size_t size() const { return to - from; }
    bool operator==(const Slice&) const = default;
};
[[nodiscard]] Slice slice_of(const Window& window, std::size_t rows);

}  // namespace history
