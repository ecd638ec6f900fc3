// source/import/ace_head.hpp -- distinguishes files that AceDB wrote from those of curators.
// Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>

namespace source::import {

// The functions below look at this many bytes of a file, or at all of a shorter one.
inline constexpr std::size_t head_size = std::size_t{64} << 10;

// True when AceDB itself wrote the file, which is then read strictly (dump/ace_reader).
// - A class banner shows that it was AceDB. So does a stamp in the header of the first object
//   (`Class : "name" -O "..."`), whatever its lines look like, so that damage is refused.
// - Otherwise the first object with content must be what dump/ace_reader accepts, and the head
//   must show no sign of a curator: a header without colon or quotes, -D, -R, -A, `!`, `@`, `//`
//   in or after a line, a line that begins with blanks or quotes, only TABs between cells
//   (AcePerl), or no TAB after any tag of that object.
// - A file without any object counts as a dump, which dump/ace_reader refuses: it may be cut off.
[[nodiscard]] bool is_dumped(std::string_view head);

// True when a dump was made without stamps (`dump` instead of `dump -T`).
//   needs  is_dumped(head)
[[nodiscard]] bool is_unstamped(std::string_view head);

}  // namespace source::import
