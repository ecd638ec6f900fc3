// What a strict reader finds wrong with the HTML inside a feed. Stricter than the W3C feed
// validator: only the few elements that Varve writes may occur, and every tag is ended.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace support {

// "RULE: what" each, RULE being the validator's name of the finding; empty: nothing to find.
[[nodiscard]] std::vector<std::string> findings_in_html(std::string_view fragment);

}  // namespace support
