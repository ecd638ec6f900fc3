// SPDX-License-Identifier: MIT
#include "history/renames.hpp"

#include "tree/outline.hpp"

namespace history {
namespace {

using base::Result;

constexpr std::uint64_t largest_class = 2'000'000;
constexpr std::size_t most_created = 5'000;

std::uint64_t objects_in(const source::Source& build, std::string_view class_name) {
    for (const auto& count : build.class_counts())
        if (count.class_name == class_name) return count.objects;
    return 0;
}

// Names of the class that `previous` has not; an error of the look-up ends the walk.
Result<std::vector<ObjectName>> created_in(const source::Source& build,
                                           const source::Source& previous,
                                           std::string_view class_name) {
    std::vector<ObjectName> created;
    std::optional<base::Error> error;
    source::each_object(build, [&](const source::Listed& listed) {
        if (listed.class_name != class_name) return true;
        auto name = listed.id();
        const auto known = previous.find(name);
        if (!known) error = known.error();
        if (known && !*known) created.push_back(std::move(name));
        return known.has_value() && created.size() <= most_created;
    });
    if (error) return tl::unexpected(*error);
    return created;
}

}  // namespace

Result<CreatedObjects::BySignature> CreatedObjects::sign_created(const source::Source& build,
                                                                 const source::Source& previous,
                                                                 std::string_view class_name) {
    BySignature signed_names;
    if (objects_in(build, class_name) > largest_class) return signed_names;
    const auto created = created_in(build, previous, class_name);
    if (!created) return tl::unexpected(created.error());
    if (created->size() > most_created) return signed_names;
    for (const auto& name : *created) {
        const auto object = build.load(name);
        // An object that can't be read takes nobody's content as far as we can tell.
        if (!object && object.error().kind == base::Kind::unavailable)
            return tl::unexpected(object.error());
        if (object) signed_names.emplace(tree::signature_of(object->nodes), name);
    }
    return signed_names;
}

Result<std::vector<ObjectName>> CreatedObjects::created_with(const source::Source& build,
                                                             const source::Source* previous,
                                                             std::string_view class_name,
                                                             std::string_view signature) {
    if (previous == nullptr || signature.empty() || signature == tree::signature_of({}))
        return std::vector<ObjectName>();
    const std::lock_guard lock(mutex_);
    if (const auto both = previous->digest() + build.digest(); builds_ != both) {
        created_.clear();
        builds_ = both;
    }
    auto known = created_.find(class_name);
    if (known == created_.end()) {
        auto names = sign_created(build, *previous, class_name);
        if (!names) return tl::unexpected(names.error());
        known = created_.emplace(class_name, std::move(*names)).first;
    }
    std::vector<ObjectName> names;
    const auto [first, last] = known->second.equal_range(signature);
    for (auto at = first; at != last; ++at) names.push_back(at->second);
    return names;
}

}  // namespace history
