// What an HTML5 parser and a strict reader find wrong with the HTML inside a feed and with a whole page: only the
// elements and attributes that Varve writes may occur. How people perceive pages is judged by axe (tests/clients).
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace support {

// Return "RULE: what" for each finding.
[[nodiscard]] std::vector<std::string> findings_in_html(std::string_view fragment);
// The same of what others wrote and feed::safe_html() let through: more elements.
[[nodiscard]] std::vector<std::string> findings_in_foreign_html(std::string_view fragment);
[[nodiscard]] std::vector<std::string> findings_in_page(std::string_view page);

}  // namespace support
