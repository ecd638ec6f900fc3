// base/text.hpp -- small pure functions on text that several rooms need.
// Pure, no locale: only ASCII letters have a case here. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace base {

// ASCII letters in lower case, every other byte as it is.
[[nodiscard]] std::string fold_ascii(std::string_view text);
[[nodiscard]] bool equal_ignoring_case(std::string_view a, std::string_view b);

// Blanks (space, TAB, CR, LF) off both ends. The view points into `text`.
[[nodiscard]] std::string_view trim(std::string_view text);

// The parts between separators; k separators give k + 1 parts, empty ones included.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);
[[nodiscard]] std::string join(const std::vector<std::string>& parts, std::string_view between);

// A decimal integer and nothing else: no blanks, no '+', no overflow.
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text);

// Order in which people count: digits compare as numbers, so WS99 < WS100.
// Returns < 0, 0, > 0. Equal numbers of different spelling ("7", "007") compare by bytes.
[[nodiscard]] int natural_compare(std::string_view a, std::string_view b);

// RFC 3986 section 2: every byte but A-Z a-z 0-9 - . _ ~ as %XX with capital digits.
[[nodiscard]] std::string percent_encode(std::string_view bytes);

// The bytes meant by %XX escapes; nullopt when a '%' is not followed by two hex digits.
// `plus_is_space` for query strings (application/x-www-form-urlencoded).
enum class Plus { literal, is_space };
[[nodiscard]] std::optional<std::string> percent_decode(std::string_view text, Plus plus);

// & < > " ' as character references: safe as element text and in a quoted attribute.
[[nodiscard]] std::string escape_html(std::string_view text);

}  // namespace base
