// compare/unseen_difference.hpp -- what differs between two texts that look the same.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace compare {

// Returns in words what differs between two texts if people see no difference: "only white space differs" (a number of
// blanks of any kind, or some at the ends), "only the Unicode form differs (NFC → NFD)", "only invisible characters differ"
// (such as U+00AD and marks of direction). Empty if the texts are equal or look different.
//   before, after  legal UTF-8
//   cost           O(n); of most texts that look different, up to where they begin to differ
[[nodiscard]] std::string unseen_difference(std::string_view before, std::string_view after);

}  // namespace compare
