// render/page_sides.hpp -- an old text and a new one, side by side, with the words that changed
// marked.
// Pure. Safe from any thread. Everything is escaped.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace render {

struct Sides {
    std::string place;          // "line 12"; empty where there is one line on either side
    std::string before, after;  // HTML: text, <del> and <ins>; at most some 4 KB each
};

// The places in which two texts differ. One at least; long stretches that both have are left
// out, and long words (sequences) shown by their ends.
//   most  places; the rest is left out, and `cut` tells so
struct SideBySide {
    std::vector<Sides> places;
    bool cut = false;
};
[[nodiscard]] SideBySide side_by_side(std::string_view before, std::string_view after);

}  // namespace render
