// SPDX-License-Identifier: MIT
#include "render/text_difference.hpp"

#include <algorithm>
#include <cstdint>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "render/display_text.hpp"

namespace render {
namespace {

constexpr std::size_t most_places = 20;
constexpr std::size_t most_runs = 40;      // of a place
constexpr std::size_t context = 6;         // words shown on either side of a difference
constexpr std::size_t sequence_ends = 12;  // bytes shown on either side of a difference

// How much two sequences share at either end; the two never overlap.
struct CommonEnds {
    std::size_t head = 0, tail = 0;
};
template <class Sequence>
CommonEnds common_ends(const Sequence& before, const Sequence& after) {
    const auto least = std::min(before.size(), after.size());
    CommonEnds ends;
    while (ends.head < least && before[ends.head] == after[ends.head]) ++ends.head;
    while (ends.tail < least - ends.head &&
           before[before.size() - 1 - ends.tail] == after[after.size() - 1 - ends.tail])
        ++ends.tail;
    return ends;
}

void append(std::vector<AlignedRun>& runs, bool same, std::size_t before, std::size_t after) {
    if (before == 0 && after == 0) return;
    const AlignedRun last = runs.empty() ? AlignedRun{} : runs.back();
    if (!runs.empty() && last.same == same) {
        runs.back().before_end += before;
        runs.back().after_end += after;
        return;
    }
    runs.push_back({same, last.before_end, last.before_end + before, last.after_end,
                    last.after_end + after});
}

// Aligns n pieces with m, which begin at `from`, along a longest common subsequence.
void align_middle(std::vector<AlignedRun>& runs, const Pieces& before, const Pieces& after,
                  std::size_t from, std::size_t n, std::size_t m) {
    if (n == 0 || m == 0 || n > most_cells / m) return append(runs, false, n, m);
    // Lengths of the longest common subsequences of all suffixes; most_cells keeps them below 2^16.
    std::vector<std::uint16_t> cells((n + 1) * (m + 1));
    const auto longest = [&](std::size_t i, std::size_t j) -> std::uint16_t& {
        return cells[i * (m + 1) + j];
    };
    const auto is_same = [&](std::size_t i, std::size_t j) {
        return before[from + i] == after[from + j];
    };
    for (auto i = n; i-- > 0;)
        for (auto j = m; j-- > 0;)
            longest(i, j) = is_same(i, j) ? static_cast<std::uint16_t>(longest(i + 1, j + 1) + 1)
                                          : std::max(longest(i + 1, j), longest(i, j + 1));
    std::size_t i = 0, j = 0;
    while (i < n && j < m) {
        if (is_same(i, j)) {
            append(runs, true, 1, 1);
            ++i, ++j;
        } else if (longest(i + 1, j) >= longest(i, j + 1)) {
            append(runs, false, 1, 0);
            ++i;
        } else {
            append(runs, false, 0, 1);
            ++j;
        }
    }
    append(runs, false, n - i, m - j);
}

// The part of a text from piece `from` to piece `end`; empty for none.
std::string_view spanned(const Pieces& pieces, std::size_t from, std::size_t end) {
    if (from == end) return {};
    const auto* last = pieces[end - 1].data() + pieces[end - 1].size();
    return {pieces[from].data(), static_cast<std::size_t>(last - pieces[from].data())};
}

using Kind = TextRun::Kind;

// Words that stayed, without those far from what differs.
void append_same(std::vector<TextRun>& runs, const Pieces& words, std::size_t from,
                 std::size_t end) {
    const std::size_t head = from == 0 ? 0 : context, tail = end == words.size() ? 0 : context;
    if (end - from <= head + tail + 2) {
        runs.push_back({Kind::same, spanned(words, from, end)});
        return;
    }
    if (head > 0) runs.push_back({Kind::same, spanned(words, from, from + head)});
    runs.push_back({Kind::skipped, {}});
    if (tail > 0) runs.push_back({Kind::same, spanned(words, end - tail, end)});
}

// What two sequences have between their common ends, and some of these.
//   returns  bytes that are the same at the beginning
std::size_t append_sequences(std::vector<TextRun>& runs, std::string_view before,
                             std::string_view after) {
    auto [head, tail] = common_ends(before, after);
    // Never between the bytes of one character.
    head = base::cut_at(before, head).size();
    tail = end_of(before, tail).size();
    const auto first = runs.size();
    const auto add = [&](Kind kind, std::string_view text) {
        if (kind == Kind::skipped || !text.empty())
            runs.push_back({kind, text, runs.size() == first});
    };
    if (head > sequence_ends) add(Kind::skipped, {});
    add(Kind::same, end_of(before.substr(0, head), sequence_ends));
    add(Kind::removed, before.substr(head, before.size() - head - tail));
    add(Kind::added, after.substr(head, after.size() - head - tail));
    add(Kind::same, base::cut_at(before.substr(before.size() - tail), sequence_ends));
    if (tail > sequence_ends) add(Kind::skipped, {});
    return head;
}

// Compares two stretches word by word.
TextPlace compared(std::string_view before, std::string_view after) {
    const auto old_words = words_of(before), new_words = words_of(after);
    TextPlace place;
    place.white_space_only = true;
    for (const auto& run : align(old_words, new_words)) {
        if (run.same) {
            append_same(place.runs, old_words, run.before, run.before_end);
            continue;
        }
        place.white_space_only = false;
        const auto from = spanned(old_words, run.before, run.before_end);
        const auto to = spanned(new_words, run.after, run.after_end);
        if (is_sequence(from) && is_sequence(to)) {
            const auto same = append_sequences(place.runs, from, to);
            if (old_words.size() > 1 || new_words.size() > 1) continue;
            place.character = count_characters(from.substr(0, same)) + 1;
            place.characters = count_characters(to);
            continue;
        }
        if (!from.empty()) place.runs.push_back({Kind::removed, from});
        if (!to.empty()) place.runs.push_back({Kind::added, to});
    }
    return place;
}

}  // namespace

TextDifference difference_of(std::string_view before, std::string_view after) {
    TextDifference difference;
    difference.white_space_only = words_of(before) == words_of(after);
    const auto add = [&difference](TextPlace place) {
        if (place.runs.size() > most_runs) {
            place.runs.resize(most_runs - 1);
            place.runs.push_back({Kind::skipped, {}});
            difference.shortened = true;
        }
        difference.places.push_back(std::move(place));
    };
    const auto old_lines = lines_of(before), new_lines = lines_of(after);
    if (old_lines.size() == 1 && new_lines.size() == 1) {
        add(compared(before, after));
        return difference;
    }
    for (const auto& run : align(old_lines, new_lines)) {
        if (run.same) continue;
        if (difference.places.size() == most_places) {
            difference.shortened = true;
            break;
        }
        auto place = compared(spanned(old_lines, run.before, run.before_end),
                              spanned(new_lines, run.after, run.after_end));
        place.line = (run.after < run.after_end ? run.after : run.before) + 1;
        add(std::move(place));
    }
    return difference;
}

std::vector<AlignedRun> align(const Pieces& before, const Pieces& after) {
    const auto [head, tail] = common_ends(before, after);
    std::vector<AlignedRun> runs;
    append(runs, true, head, head);
    align_middle(runs, before, after, head, before.size() - head - tail,
                 after.size() - head - tail);
    append(runs, true, tail, tail);
    return runs;
}

Pieces lines_of(std::string_view text) { return base::split(text, '\n'); }

Pieces words_of(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    Pieces words;
    for (;;) {
        const auto from = text.find_first_not_of(blanks);
        if (from == std::string_view::npos) return words;
        const auto end = std::min(text.find_first_of(blanks, from), text.size());
        words.push_back(text.substr(from, end - from));
        text.remove_prefix(end);
    }
}

}  // namespace render
