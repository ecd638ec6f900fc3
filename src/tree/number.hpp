// tree/number.hpp -- bare words that are numbers or dates, and the canonical spelling of numbers.
// Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tree/object.hpp"

namespace tree {

// Returns the kind of a bare word by its shape: integer `-?D+`, real `-?D+.D+` or with an exponent,
// date `YYYY-MM[-DD[_hh[:mm[:ss]]]]`, else a tag (also `2_point`). A year alone is an integer.
[[nodiscard]] Kind kind_of_bare_word(std::string_view word);

// Returns whether kind_of_bare_word gives integer or real.
[[nodiscard]] bool is_number(std::string_view word);

// Returns the same spelling for all words that are equal as decimal numbers ("007", "7.000" -> "7";
// "-0.0" -> "0"; "1.50e2" -> "150"). Exact: no rounding at any length.
// Requires is_number(word).
//   returns  plain decimal; "<digits>e<exponent>" where that would take over 400 characters
[[nodiscard]] std::string canonical_number(std::string_view word);

// Returns whether canonical_number(word) == word, without a copy.
[[nodiscard]] bool is_canonical_number(std::string_view word);

}  // namespace tree
