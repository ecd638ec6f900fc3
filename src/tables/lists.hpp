// tables/lists.hpp -- one statement for many values: few round trips to the database, and few texts
// of SQL, since statements stay prepared.
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

// The most values of one IN (…). A list has one of few lengths, and is filled up with its last
// value.
inline constexpr std::size_t longest_list = 64;

// Returns the text "?, ?, …" for the values of a list; at least one.
[[nodiscard]] std::string marks(std::size_t count);

// Runs `before (?, …) behind` for all values, with the values of `first` bound before them.
//   returns  the rows of all runs; those of a value that `values` has twice may come twice
//   throws   store::Failure
//   cost     a statement for 64 values
[[nodiscard]] store::Rows query_in(store::Transaction& transaction, std::string_view before,
                                   const std::vector<store::Value>& first,
                                   std::span<const store::Value> values,
                                   std::string_view behind = {});
// The same for a statement that writes; returns how many rows it wrote.
std::uint64_t execute_in(store::Transaction& transaction, std::string_view before,
                         const std::vector<store::Value>& first,
                         std::span<const store::Value> values);

[[nodiscard]] std::vector<store::Value> values_of(std::span<const std::int64_t> numbers);
// Returns the first column, which holds oids or other numbers.
[[nodiscard]] std::vector<std::int64_t> oids_of(const store::Rows& rows);

}  // namespace tables
