// What a strict reader finds wrong with a whole page: HTML that a parser would have to mend,
// anything that could run or load what is not ours, and what a screen reader would stumble over.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace support {

// "RULE: what" each; empty: nothing to find. Stricter than HTML: only the elements and attributes
// that Varve writes may occur, and every element is ended.
[[nodiscard]] std::vector<std::string> findings_in_page(std::string_view page);

}  // namespace support
