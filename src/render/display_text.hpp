// render/shown_text.hpp -- texts as people see them in a list of changes: short ones whole, long
// ones shortened, two long ones by what differs.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "render/html.hpp"

namespace render {

// Texts above this many bytes, or of several lines, are compared word by word.
inline constexpr std::size_t longest_whole_text = 160;

// Appends a text; at most some 500 bytes of it (70 of a word without blanks, as DNA is), then
// its length. Escaped. An empty text is shown as "".
void append_shortened(std::string& html, std::string_view text);

// True when a replaced text should be shown by what differs.
[[nodiscard]] bool is_long(std::string_view text);

// Appends what differs, line by line and in these word by word:
//   <ul><li>line 3: the <del>quick</del> <ins>slow</ins> fox</li>…</ul>
void add_difference(Html& html, std::string_view before, std::string_view after);

}  // namespace render
