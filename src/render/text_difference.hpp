// render/text_difference.hpp -- what differs between two texts, line by line and word by word.
// Pure. Safe from any thread. The results are views into the texts.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace render {

// A stretch of one line of either text, or of both.
struct TextRun {
    enum class Kind : unsigned char {
        same,     // in both texts; words between single blanks
        removed,  // in the old text only
        added,    // in the new text only
        skipped   // left out: far from what differs
    };
    Kind kind = Kind::same;
    std::string_view text;
    bool begins_word = true;  // false inside of a sequence: no blank before this run
    bool operator==(const TextRun&) const = default;
};

// Lines next to each other that differ.
struct TextPlace {
    std::size_t line = 0;        // the first one, from 1; 0: both texts have one line
    std::size_t character = 0;   // of two sequences: where they begin to differ, from 1; else 0
    std::size_t characters = 0;  // of two sequences: length of the new one; else 0
    bool white_space_only = false;
    std::vector<TextRun> runs;
};

struct TextDifference {
    std::vector<TextPlace> places;  // at least one; at most 20, of at most 40 runs
    bool shortened = false;         // there are more places or runs than that
};
//   cost  as align()
[[nodiscard]] TextDifference difference_of(std::string_view before, std::string_view after);

using Pieces = std::vector<std::string_view>;

// A part that both lists have, or one that was replaced (either side may be empty).
struct AlignedRun {
    bool same = false;
    std::size_t before = 0, before_end = 0;  // [before, before_end) of the one
    std::size_t after = 0, after_end = 0;    // [after, after_end) of the other
    bool operator==(const AlignedRun&) const = default;
};

// Returns runs that cover both lists in order, same and replaced in turn.
//   cost  O(n + m) where they agree at both ends; for what lies between O((n + m) d) with d edits, and O(d²) memory. It is
//         one replaced run where d is above most_edits, or (n + m) d above most_steps (pages are rendered at each request)
inline constexpr std::size_t most_edits = 400, most_steps = 4'000'000;
[[nodiscard]] std::vector<AlignedRun> align(const Pieces& before, const Pieces& after);

// Views into `text`: its lines without their ends; its words, which blanks separate.
[[nodiscard]] Pieces lines_of(std::string_view text);
[[nodiscard]] Pieces words_of(std::string_view text);

}  // namespace render
