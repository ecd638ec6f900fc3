// SPDX-License-Identifier: MIT
#include "history/build_difference.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/text.hpp"
#include "tree/outline.hpp"

namespace history {
namespace {

using base::Result;

constexpr std::uint64_t largest_class = 2'000'000;
constexpr std::size_t most_names = 5'000;

std::uint64_t objects_in(const source::Source& build, std::string_view class_name) {
    for (const auto& count : build.class_counts())
        if (count.class_name == class_name) return count.objects;
    return 0;
}

// Returns the names of the class that `one` has and `other` lacks; one more than most_names where
// there are too many.
Result<std::vector<ObjectName>> names_only_in(const source::Source& one,
                                              const source::Source& other,
                                              std::string_view class_name) {
    std::vector<ObjectName> names;
    std::optional<base::Error> error;
    source::each_object(one, [&](const source::Listed& listed) {
        if (listed.class_name != class_name) return true;
        auto name = listed.id();
        const auto known = other.find(name);
        if (!known) error = known.error();
        if (known && !*known) names.push_back(std::move(name));
        return known.has_value() && names.size() <= most_names;
    });
    if (error) return tl::unexpected(*error);
    return names;
}

Result<ClassDifference> difference_of(std::string_view class_name, const source::Source& build,
                                      const source::Source& previous) {
    ClassDifference difference;
    if (objects_in(build, class_name) > largest_class) return difference;
    const auto created = names_only_in(build, previous, class_name);
    if (!created) return tl::unexpected(created.error());
    const auto vanished = names_only_in(previous, build, class_name);
    if (!vanished) return tl::unexpected(vanished.error());
    if (created->size() > most_names || vanished->size() > most_names) return difference;
    const auto no_content = tree::signature_of({});
    for (const auto& name : *created) {
        const auto object = build.load(name);
        // Nothing can be said of an object that cannot be read.
        if (!object && object.error().kind == base::ErrorKind::unavailable)
            return tl::unexpected(object.error());
        if (!object) continue;
        if (auto signature = tree::signature_of(object->nodes); signature != no_content)
            difference.created.emplace(std::move(signature), name);
    }
    for (const auto& name : *vanished)
        difference.vanished_keys.push_back(base::fold_ascii(name.name));
    std::ranges::sort(difference.vanished_keys);
    return difference;
}

}  // namespace

Result<std::shared_ptr<const ClassDifference>> BuildDifference::of_class(
    std::string_view class_name, const source::Source& build, const source::Source* previous) {
    if (previous == nullptr) return std::make_shared<const ClassDifference>();
    const std::lock_guard lock(mutex_);
    if (const auto both = previous->digest() + build.digest(); builds_ != both) {
        by_class_.clear();
        builds_ = both;
    }
    if (const auto known = by_class_.find(class_name); known != by_class_.end())
        return known->second;
    auto difference = difference_of(class_name, build, *previous);
    if (!difference) return tl::unexpected(difference.error());
    auto shared = std::make_shared<const ClassDifference>(std::move(*difference));
    by_class_.emplace(class_name, shared);
    return shared;
}

}  // namespace history
