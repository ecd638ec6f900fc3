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

// Aligns n pieces with m, which begin at `from`, by as few edits as there can be: E. W. Myers, "An O(ND) Difference
// Algorithm and Its Variations", Algorithmica 1 (1986), figure 2. After d edits, a path that has dropped so many pieces more
// than it added, from -d to d, is on that diagonal; of each the furthest is known.
class Alignment {
   public:
    Alignment(const Pieces& before, const Pieces& after, std::size_t from, std::size_t n,
              std::size_t m)
        : before_(before), after_(after), from_(from), n_(static_cast<Position>(n)),
          m_(static_cast<Position>(m)) {}

    void append_to(std::vector<AlignedRun>& runs) {
        if (!search()) return append(runs, false, size(n_), size(m_));
        Position x = 0, y = 0;
        for (const auto& [is_addition, at_x, at_y] : edits()) {
            append(runs, true, size(at_x - x), size(at_y - y));
            append(runs, false, is_addition ? 0 : 1, is_addition ? 1 : 0);
            x = at_x + (is_addition ? 0 : 1);
            y = at_y + (is_addition ? 1 : 0);
        }
        append(runs, true, size(n_ - x), size(m_ - y));
    }

   private:
    using Position = std::int32_t;
    struct Edit {
        bool is_addition = false;
        Position x = 0, y = 0;  // pieces before it
    };
    static std::size_t size(Position pieces) { return static_cast<std::size_t>(pieces); }

    // Of the paths of d edits, number i is on diagonal 2 i - d.
    [[nodiscard]] bool ends_in_addition(std::size_t d, std::size_t i) const {
        const auto& before = furthest_[d - 1];
        return i == 0 || (i < d && before[i - 1] < before[i]);
    }

    // Finds the least number of edits; false: it is too large.
    bool search() {
        const auto most = std::min(most_edits, most_steps / size(n_ + m_));
        for (std::size_t d = 0; d <= most; ++d) {
            std::vector<Position> row(d + 1);
            for (std::size_t i = 0; i <= d; ++i) {
                const auto diagonal = 2 * static_cast<Position>(i) - static_cast<Position>(d);
                auto x = d == 0                   ? 0
                         : ends_in_addition(d, i) ? furthest_[d - 1][i]
                                                  : furthest_[d - 1][i - 1] + 1;
                while (x < n_ && x - diagonal < m_ && is_same(x, x - diagonal)) ++x;
                row[i] = x;
                if (x < n_ || x - diagonal < m_) continue;
                furthest_.push_back(std::move(row));
                return true;
            }
            furthest_.push_back(std::move(row));
        }
        return false;
    }

    // Returns the edits of the path that was found, in order.
    [[nodiscard]] std::vector<Edit> edits() const {
        std::vector<Edit> edits;
        auto x = n_, y = m_;
        for (auto d = furthest_.size() - 1; d > 0; --d) {
            const auto i = size(x - y + static_cast<Position>(d)) / 2;
            const bool is_addition = ends_in_addition(d, i);
            const auto diagonal = x - y + (is_addition ? 1 : -1);
            x = furthest_[d - 1][is_addition ? i : i - 1];
            y = x - diagonal;
            edits.push_back({is_addition, x, y});
        }
        std::ranges::reverse(edits);
        return edits;
    }

    [[nodiscard]] bool is_same(Position x, Position y) const {
        return before_[from_ + size(x)] == after_[from_ + size(y)];
    }

    const Pieces &before_, &after_;
    std::size_t from_;
    Position n_, m_;
    std::vector<std::vector<Position>> furthest_;  // by number of edits
};

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
    const auto n = before.size() - head - tail, m = after.size() - head - tail;
    if (n == 0 || m == 0)
        append(runs, false, n, m);
    else
        Alignment(before, after, head, n, m).append_to(runs);
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
