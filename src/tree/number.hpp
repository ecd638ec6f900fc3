// tree/number.hpp -- bare words that are numbers or dates, and one spelling for equal numbers.
// Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tree/object.hpp"

namespace tree {

// What a bare word is by its shape alone: integer `-?D+`, real `-?D+.D+` or with an exponent,
// date `YYYY-MM[-DD[_hh[:mm[:ss]]]]`, else a tag (also `2_point`). A year alone is an integer.
[[nodiscard]] Kind kind_of_bare_word(std::string_view word);

// True for words that kind_of_bare_word calls integer or real.
[[nodiscard]] bool is_number(std::string_view word);

// The one spelling of all words that are equal as decimal numbers ("007", "7.000" -> "7";
// "-0.0" -> "0"; "1.50e2" -> "150"). Exact: no rounding at any length.
//   needs    is_number(word)
//   returns  plain decimal; "<digits>e<exponent>" where that would take over 400 characters
[[nodiscard]] std::string canonical_number(std::string_view word);

// True when canonical_number(word) == word; cheap, so that most words need no copy.
[[nodiscard]] bool is_canonical_number(std::string_view word);

}  // namespace tree
