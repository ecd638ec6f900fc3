// render/text_diff.hpp -- what differs between two texts, as runs of lines or words.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace render {

using Pieces = std::vector<std::string_view>;

// A part that both have, or one that was replaced (either side may be empty).
struct Run {
    bool same = false;
    std::size_t before = 0, before_end = 0;  // [before, before_end) of the one
    std::size_t after = 0, after_end = 0;    // [after, after_end) of the other
    bool operator==(const Run&) const = default;
};

// Runs that cover both lists in order, same and replaced in turn.
//   cost  O(n + m) where they agree at both ends; O(n' m') for what lies between, which is one
//         replaced run when n' m' is above most_cells (pages are rendered at each request)
inline constexpr std::size_t most_cells = 40'000;
[[nodiscard]] std::vector<Run> align(const Pieces& before, const Pieces& after);

// Views into `text`: its lines without their ends; its words, that is what stands between blanks.
[[nodiscard]] Pieces lines_of(std::string_view text);
[[nodiscard]] Pieces words_of(std::string_view text);

// How much two sequences share at either end; the two never overlap.
struct CommonEnds {
    std::size_t head = 0, tail = 0;
};
template <class Sequence>
[[nodiscard]] CommonEnds common_ends(const Sequence& before, const Sequence& after) {
    const auto least = std::min(before.size(), after.size());
    CommonEnds ends;
    while (ends.head < least && before[ends.head] == after[ends.head]) ++ends.head;
    while (ends.tail < least - ends.head &&
           before[before.size() - 1 - ends.tail] == after[after.size() - 1 - ends.tail])
        ++ends.tail;
    return ends;
}

}  // namespace render
