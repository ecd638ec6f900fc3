// render/display_text.hpp -- plain text as people see it: on one line, shortened, counted.
// Pure. Safe from any thread. Nothing here escapes: render/markup.hpp does that.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/date.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace render {

// U+FFFD and C1: what the W3C's feed validator calls bad characters.
[[nodiscard]] constexpr bool is_bad_character(char32_t c) {
    return c == 0xFFFD || (c >= 0x80 && c <= 0x9F);
}

inline constexpr std::string_view ellipsis = "\xE2\x80\xA6";

// Returns the text on one line: runs of blanks and ends of lines become one space, none remains at the ends;
// U+FFFD and U+0080 … U+009F become '?' (the validator's BadCharacters).
[[nodiscard]] std::string one_line(std::string_view text);

// The same for plain text of a feed: in a text with "</", < and > become U+2039 and U+203A,
// because readers and validator would take it for HTML (ContainsHTML). Marks of direction are left out
// (base::without_directions), since the reader's program puts other texts beside it.
[[nodiscard]] std::string plain_line(std::string_view text);
// Returns a value as part of a sentence: on one line, without marks of direction, and isolated if some of it runs from right
// to left (base::isolated).
[[nodiscard]] std::string isolated_line(std::string_view value);
// Returns plain_line() of a sentence with such values, which stay isolated.
[[nodiscard]] std::string plain_sentence(std::string_view text);

// Returns the longest suffix of at most `most` bytes that does not begin inside a character.
[[nodiscard]] std::string_view end_of(std::string_view text, std::size_t most);

// Returns the text, or of a longer one the beginning and an ellipsis.
//   most  bytes of the text
[[nodiscard]] std::string shortened_to(std::string_view text, std::size_t most);

// What people see of a text: a short one whole, of a long one its beginning, an ellipsis, its
// end, and its length in characters. Views into the text.
struct Shortened {
    std::string_view head, tail;
    std::size_t characters = 0;  // 0: `head` is the whole text
};
//   returns  at most 500 bytes; 50 of a sequence
[[nodiscard]] Shortened shortened(std::string_view text);

// True for a text that begins with more than 80 bytes without a blank, as DNA does.
[[nodiscard]] bool is_sequence(std::string_view text);

using base::count_characters;
using base::with_separators;

// "24 November 2026": the day as people read it. Dates for programs are base::format_date()'s.
[[nodiscard]] std::string date_in_words(base::Date day);
// "24 November 2026, 09:15"
[[nodiscard]] std::string time_in_words(base::Seconds time);
// "1 change", "3,000 changes"
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view one,
                                  std::string_view several);

}  // namespace render
