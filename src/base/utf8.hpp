// base/utf8.hpp -- turns any bytes into text that XML 1.0 and JSON can carry.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace base {

// Returns whether `bytes` is legal: valid UTF-8 without C0 controls but TAB, LF and CR, and without
// U+FFFE and U+FFFF. DEL and C1 controls are legal characters of XML 1.0 (section 2.2).
//   cost  one pass; plain ASCII at memory speed
[[nodiscard]] bool is_legal_text(std::string_view bytes);

// True for a byte inside of a character, after its first one.
[[nodiscard]] constexpr bool is_continuation(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

// Returns the longest prefix of at most `most` bytes that does not end inside a character. Of bytes
// that are no UTF-8 there, `most` bytes.
[[nodiscard]] std::string_view cut_at(std::string_view text, std::size_t most);

// Returns `bytes` as legal text. Keeps valid UTF-8; reads other bytes as windows-1252 (whose five
// unassigned bytes become U+FFFD). Characters that XML forbids become U+FFFD.
//   returns  at most 3 * size bytes; legal_text(legal_text(x)) == legal_text(x)
[[nodiscard]] std::string legal_text(std::string_view bytes);

// Returns the text without the marks, embeddings, overrides and isolates of direction (U+061C, U+200E,
// U+200F, U+202A to U+202E, U+2066 to U+2069; Unicode UAX 9): what a stranger wrote cannot turn
// the text that follows it.
//   text  any bytes
[[nodiscard]] std::string without_directions(std::string text);

}  // namespace base
