// What a strict reader finds wrong with the HTML inside a feed and with a whole page. Stricter
// than the W3C feed validator and HTML: only the elements and attributes that Varve writes may
// occur, and every element is ended.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace support {

// Returns "RULE: what" for each finding, RULE being the validator's name of it.
[[nodiscard]] std::vector<std::string> findings_in_html(std::string_view fragment);
// The same of what others wrote and feed::safe_html() let through: more elements, none of which the validator objects to.
[[nodiscard]] std::vector<std::string> findings_in_foreign_html(std::string_view fragment);

// The same for a whole page: HTML that a parser would have to repair, anything that could run
// or load foreign content, and what would disturb a screen reader.
[[nodiscard]] std::vector<std::string> findings_in_page(std::string_view page);

}  // namespace support
