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

// Returns the number of characters. Of bytes that are no UTF-8, that of those that begin one.
[[nodiscard]] std::size_t count_characters(std::string_view text);

// Returns the longest prefix of at most `most` bytes that does not end inside a character. Of bytes
// that are no UTF-8 there, `most` bytes.
[[nodiscard]] std::string_view cut_at(std::string_view text, std::size_t most);

// Returns `bytes` as legal text. Keeps valid UTF-8; reads other bytes as windows-1252 (whose five
// unassigned bytes become U+FFFD). Characters that XML forbids become U+FFFD.
//   returns  at most 3 * size bytes; legal_text(legal_text(x)) == legal_text(x)
[[nodiscard]] std::string legal_text(std::string_view bytes);

// Returns the character of a byte in windows-1252; U+FFFD for the five bytes that have none.
[[nodiscard]] char32_t from_windows_1252(unsigned char byte);

// True for the marks, embeddings, overrides and isolates of direction (Unicode UAX 9).
[[nodiscard]] constexpr bool turns_direction(char32_t c) {
    return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
           (c >= 0x2066 && c <= 0x2069);
}

// The first strong isolate, and the end of an isolate.
inline constexpr std::string_view begin_of_isolate = "\xE2\x81\xA8",
                                  end_of_isolate = "\xE2\x81\xA9";

// True for a text of any bytes that has such a character.
[[nodiscard]] bool turns_direction(std::string_view text);

// Returns the text without these characters: what a stranger wrote cannot turn the text that follows.
//   text  any bytes
[[nodiscard]] std::string without_directions(std::string text);

// Returns the text so that it cannot turn what is beside it: a text with such characters, or with letters that run from
// right to left, such as Hebrew ones, is put between the first two. Everything
// that the text opens is closed in there, and nothing else. Other texts are returned as they are, and so are those
// that have all of that isolated already, such as sentences with isolated values.
//   text  any bytes
[[nodiscard]] std::string isolated(std::string_view text);
// Returns whether isolated() returns the text as it is.
//   cost  one pass; a lookup for each character beyond U+058F
[[nodiscard]] bool is_isolated(std::string_view text);

}  // namespace base
