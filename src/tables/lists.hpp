// tables/lists.hpp -- one query for many values: few journeys to the database, few texts of
// SQL, since statements are kept prepared.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/pool.hpp"

namespace tables {

// Values of one IN (…): only these numbers of them occur. The last value is repeated up to the
// next.
inline constexpr std::size_t longest_list = 64;

// Runs `before (?, …)` for all values, `first` standing before them each time.
//   returns  the rows of all runs; those of a value that stands in `values` twice may come twice
//   throws   Failure
//   cost     a statement for 64 values
[[nodiscard]] store::Rows query_in(store::Transaction& transaction, std::string_view before,
                                   const std::vector<store::Value>& first,
                                   std::span<const store::Value> values);

[[nodiscard]] std::vector<store::Value> values_of(std::span<const std::int64_t> numbers);

}  // namespace tables
