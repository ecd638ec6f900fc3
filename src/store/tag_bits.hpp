// store/tag_bits.hpp -- the column history.tag_bits: which tags the changes of a row may have, and how
// they changed. A filter passes over rows that lack a bit without reading their notes. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

namespace store {

// Returns the bit of a tag, in any case of its ASCII letters. Several tags share one. It is stored, so
// it is the same for ever.
[[nodiscard]] std::int64_t bit_of_tag(std::string_view tag);

// Returns the bit of "added", "removed" or "replaced".
[[nodiscard]] std::int64_t bit_of_op(std::string_view op);

// Returns the bits of all changes in the notes of a row. 0: there are none, or they cannot be read; so
// a row without bits may have anything.
[[nodiscard]] std::int64_t tag_bits_of(std::string_view notes);

}  // namespace store
