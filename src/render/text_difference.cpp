// SPDX-License-Identifier: MIT
#include "render/text_diff.hpp"

#include <algorithm>
#include <cstdint>

#include "base/text.hpp"

namespace render {
namespace {

void append(std::vector<Run>& runs, bool same, std::size_t before, std::size_t after) {
    if (before == 0 && after == 0) return;
    const Run last = runs.empty() ? Run{} : runs.back();
    if (!runs.empty() && last.same == same) {
        runs.back().before_end += before;
        runs.back().after_end += after;
        return;
    }
    runs.push_back({same, last.before_end, last.before_end + before, last.after_end,
                    last.after_end + after});
}

// Lengths of the longest common subsequences of all suffixes of the two middles.
class Table {
   public:
    Table(const Pieces& before, const Pieces& after, std::size_t from, std::size_t n,
          std::size_t m)
        : width_(m + 1), cells_((n + 1) * (m + 1)) {
        for (std::size_t i = n; i-- > 0;)
            for (std::size_t j = m; j-- > 0;)
                cells_[i * width_ + j] = before[from + i] == after[from + j]
                                             ? static_cast<std::uint16_t>(at(i + 1, j + 1) + 1)
                                             : std::max(at(i + 1, j), at(i, j + 1));
    }
    [[nodiscard]] std::uint16_t at(std::size_t i, std::size_t j) const {
        return cells_[i * width_ + j];
    }

   private:
    std::size_t width_;
    std::vector<std::uint16_t> cells_;  // most_cells keeps the lengths below 2^16
};

void align_middle(std::vector<Run>& runs, const Pieces& before, const Pieces& after,
                  std::size_t from, std::size_t n, std::size_t m) {
    if (n == 0 || m == 0 || n > most_cells / m) return append(runs, false, n, m);
    const Table table(before, after, from, n, m);
    std::size_t i = 0, j = 0;
    while (i < n && j < m) {
        if (before[from + i] == after[from + j]) {
            append(runs, true, 1, 1);
            ++i, ++j;
        } else if (table.at(i + 1, j) >= table.at(i, j + 1)) {
            append(runs, false, 1, 0);
            ++i;
        } else {
            append(runs, false, 0, 1);
            ++j;
        }
    }
    append(runs, false, n - i, m - j);
}

}  // namespace

std::vector<Run> align(const Pieces& before, const Pieces& after) {
    const auto [head, tail] = common_ends(before, after);
    std::vector<Run> runs;
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
