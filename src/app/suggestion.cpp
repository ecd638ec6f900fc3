// SPDX-License-Identifier: MIT
#include "app/suggestion.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace app {
namespace {

constexpr std::size_t most_edits = 2, longest_word = 64;

// Returns the Damerau-Levenshtein distance in which no letter is changed twice.
std::size_t edits_between(std::string_view a, std::string_view b) {
    // The rows of the letters of `a` before the last one, before this one, and up to this one.
    std::vector<std::size_t> earlier, above(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        earlier = std::exchange(above, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = a[i - 1] == b[j - 1] ? 0 : 1;
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], earlier[j - 2] + 1);
        }
    }
    return row.back();
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
    if (word.empty() || word.size() > longest_word) return {};
    const auto asked = base::fold_ascii(word);
    const std::string* nearest = nullptr;
    auto fewest = std::min(most_edits, word.size() / 2) + 1;
    for (const auto& candidate : candidates) {
        if (candidate.size() > word.size() + most_edits) continue;
        const auto edits = edits_between(asked, base::fold_ascii(candidate));
        if (edits >= fewest) continue;
        fewest = edits;
        nearest = &candidate;
    }
    for (const auto& candidate : candidates)
        if (nearest == nullptr && word.size() > 1 &&
            base::fold_ascii(candidate).starts_with(asked))
            nearest = &candidate;
    return nearest == nullptr ? "" : "; did you mean " + *nearest + "?";
}

std::string complaint_of_class(const source::Source& build, std::string_view class_name) {
    std::vector<std::string> classes;
    for (auto& count : build.class_counts()) classes.push_back(std::move(count.class_name));
    const bool has_class = std::ranges::any_of(classes, [&](const std::string& each) {
        return base::equal_ignoring_case(each, class_name);
    });
    if (has_class) return {};
    return "there is no class " + std::string(class_name) + " in " + build.release().version +
           did_you_mean(class_name, classes);
}

}  // namespace app
