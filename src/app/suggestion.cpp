// SPDX-License-Identifier: MIT
#include "app/suggestion.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace app {

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
    std::vector<std::string> folded(candidates.size());
    std::ranges::transform(candidates, folded.begin(), base::fold_ascii);
    const auto nearest = base::nearest_to(base::fold_ascii(word), folded);
    return nearest ? "; did you mean " + candidates[*nearest] + "?" : "";
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
