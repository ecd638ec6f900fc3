// base/text.hpp -- small functions on text that several rooms need.
// Pure, no locale: only ASCII letters have a case here. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace base {

// Of ASCII alone; false for every byte of another character.
[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
[[nodiscard]] constexpr bool is_printable(char c) { return c >= 0x20 && c < 0x7F; }

// Returns the text with ASCII letters in lower case and every other byte as it is.
[[nodiscard]] std::string fold_ascii(std::string_view text);
[[nodiscard]] bool equal_ignoring_case(std::string_view a, std::string_view b);

// Returns the first place from `from` on that has one of these bytes; npos: there is none. For long texts:
// std::string_view::find_first_of calls memchr for each byte, which takes ten times as long.
template <char... wanted>
[[nodiscard]] constexpr std::size_t find_any(std::string_view text, std::size_t from = 0) {
    for (; from < text.size(); ++from)
        if (((text[from] == wanted) || ...)) return from;
    return std::string_view::npos;
}

// Removes blanks (space, TAB, CR, LF) from both ends. The view points into `text`.
[[nodiscard]] std::string_view trim(std::string_view text);

// Returns the parts between separators; k separators give k + 1 parts, empty ones included.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);
//   Parts  a range of texts
template <class Parts = std::vector<std::string>>
[[nodiscard]] std::string join(const Parts& parts, std::string_view between) {
    std::string joined;
    for (const auto& part : parts) {
        if (&part != &*std::begin(parts)) joined += between;
        joined += part;
    }
    return joined;
}

// "30,123"
[[nodiscard]] std::string with_separators(std::uint64_t number);

// Returns the index of the candidate that is nearest to a word: at most two bytes were left out,
// added, replaced or exchanged with the next one, of a short word fewer, or else the candidate begins
// with the word. The first of equally near ones wins.
//   returns  nullopt when none is near, or the word is longer than 64 bytes
//   cost     O(candidates * their length * word)
[[nodiscard]] std::optional<std::size_t> nearest_to(std::string_view word,
                                                    const std::vector<std::string>& candidates);

// Parses a decimal integer and nothing else: no blanks, no '+', no overflow.
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text);
// Parses the same from 0 on.
[[nodiscard]] std::optional<std::uint64_t> parse_count(std::string_view text);

// Orders texts as people count: digits compare as numbers, so WS99 < WS100.
// Returns < 0, 0, > 0. Equal numbers of different spelling ("7", "007") compare by bytes.
// strverscmp(3) differs: to it a leading zero begins a fraction, so "010" comes before "9".
[[nodiscard]] int natural_compare(std::string_view a, std::string_view b);

// Writes every byte but A-Z a-z 0-9 - . _ ~ as %XX with capital digits (RFC 3986 section 2).
[[nodiscard]] std::string percent_encode(std::string_view bytes);
void append_percent_encoded(std::string& encoded, std::string_view bytes);

// Decodes %XX escapes; nullopt when a '%' is not followed by two hexadecimal digits.
// Plus::is_space is for query strings (application/x-www-form-urlencoded).
enum class Plus { literal, is_space };
[[nodiscard]] std::optional<std::string> percent_decode(std::string_view text, Plus plus);

// Writes & < > " ' as character references: safe as element text and in a quoted attribute.
[[nodiscard]] std::string escape_html(std::string_view text);

}  // namespace base
