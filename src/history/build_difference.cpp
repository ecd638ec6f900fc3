// SPDX-License-Identifier: MIT
#include "history/build_difference.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>
#include <variant>

#include "base/shared_work.hpp"
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

// Names by class; one more than most_names where there are too many.
using NamesByClass = std::map<std::string, std::vector<ObjectName>, std::less<>>;

// Returns the names that `one` has and `other` lacks.
Result<NamesByClass> names_only_in(const source::Source& one, const source::Source& other) {
    NamesByClass names;
    const auto done = source::each_unknown_to(one, other, [&](const source::Listed& listed) {
        auto of_class = names.find(listed.class_name);
        if (of_class == names.end())
            of_class =
                names.emplace(std::string(listed.class_name), std::vector<ObjectName>()).first;
        if (of_class->second.size() <= most_names) of_class->second.push_back(listed.id());
        return true;
    });
    if (!done) return tl::unexpected(done.error());
    return names;
}

// The objects that one of the builds has and the other lacks, and the signatures of the new ones.
struct Candidates {
    Candidates(std::vector<ObjectName> created_, std::vector<std::string> vanished_keys_)
        : created(std::move(created_)), vanished_keys(std::move(vanished_keys_)),
          signatures(created.size()) {}
    const std::vector<ObjectName> created;
    const std::vector<std::string> vanished_keys;  // as in ClassDifference
    // Of each of `created`; empty: it cannot be read, so nothing can be said of it.
    base::SharedWork<Result<std::string>> signatures;
    std::atomic<bool> has_failed = false;  // they must be loaded again
};
using CandidatesPtr = std::shared_ptr<Candidates>;

CandidatesPtr candidates_of(std::string_view class_name, const source::Source& build,
                            const NamesByClass& created, const NamesByClass& vanished) {
    const auto of_class = [&](const NamesByClass& names) {
        const auto found = names.find(class_name);
        return found == names.end() ? std::vector<ObjectName>() : found->second;
    };
    auto fresh = of_class(created);
    const auto gone = of_class(vanished);
    if (objects_in(build, class_name) > largest_class || fresh.size() > most_names ||
        gone.size() > most_names)
        return std::make_shared<Candidates>(std::vector<ObjectName>(),
                                            std::vector<std::string>());
    std::vector<std::string> vanished_keys;
    for (const auto& name : gone) vanished_keys.push_back(base::fold_ascii(name.name));
    std::ranges::sort(vanished_keys);
    return std::make_shared<Candidates>(std::move(fresh), std::move(vanished_keys));
}

Result<std::string> signature_in(const source::Source& build, const ObjectName& name) {
    const auto object = build.load(name);
    if (object) return tree::signature_of(object->nodes);
    if (object.error().kind == base::ErrorKind::unavailable)
        return tl::unexpected(object.error());
    return std::string();
}

Result<std::shared_ptr<const ClassDifference>> difference_of(Candidates& candidates,
                                                             const source::Source& build) {
    const auto load = [&](std::size_t index) {
        return signature_in(build, candidates.created[index]);
    };
    const auto has_failed = [](const Result<std::string>& signature) { return !signature; };
    const auto& signatures = candidates.signatures.run(load, has_failed);
    ClassDifference difference;
    const auto no_content = tree::signature_of({});
    for (std::size_t i = 0; i < candidates.created.size(); ++i) {
        const auto& signature = signatures[i];
        if (signature && !*signature) {
            candidates.has_failed = true;
            return tl::unexpected(signature->error());
        }
        if (signature && !(*signature)->empty() && **signature != no_content)
            difference.created.emplace(**signature, candidates.created[i]);
    }
    difference.vanished_keys = candidates.vanished_keys;
    return std::make_shared<const ClassDifference>(std::move(difference));
}

}  // namespace

struct BuildDifference::Names {
    NamesByClass created, vanished;
};

struct BuildDifference::OfClass {
    base::VersionedValue<std::monostate, CandidatesPtr> candidates;
    std::mutex mutex;  // guards what follows
    std::shared_ptr<const ClassDifference> difference;
};

std::shared_ptr<BuildDifference::OfClass> BuildDifference::kept_of(std::string_view class_name,
                                                                   const std::string& builds) {
    const std::lock_guard lock(mutex_);
    if (builds_ != builds) {
        by_class_.clear();
        builds_ = builds;
    }
    auto& kept = by_class_[std::string(class_name)];
    if (kept == nullptr) kept = std::make_shared<OfClass>();
    return kept;
}

Result<std::shared_ptr<const ClassDifference>> BuildDifference::of_class(
    std::string_view class_name, const source::Source& build, const source::Source* previous) {
    if (previous == nullptr) return std::make_shared<const ClassDifference>();
    const auto builds = previous->digest() + build.digest();
    const auto kept = kept_of(class_name, builds);
    {
        const std::lock_guard lock(kept->mutex);
        if (kept->difference != nullptr) return kept->difference;
    }
    const auto candidates = kept->candidates.get(
        {},
        [&]() -> Result<CandidatesPtr> {
            const auto names = names_.get(builds, [&]() -> Result<std::shared_ptr<const Names>> {
                auto created = names_only_in(build, *previous);
                if (!created) return tl::unexpected(created.error());
                auto vanished = names_only_in(*previous, build);
                if (!vanished) return tl::unexpected(vanished.error());
                return std::make_shared<const Names>(
                    Names{std::move(*created), std::move(*vanished)});
            });
            if (!names) return tl::unexpected(names.error());
            return candidates_of(class_name, build, (*names)->created, (*names)->vanished);
        },
        [](const CandidatesPtr& each) { return !each->has_failed; });
    if (!candidates) return tl::unexpected(candidates.error());
    auto difference = difference_of(**candidates, build);
    if (!difference) return difference;
    const std::lock_guard lock(kept->mutex);
    if (kept->difference == nullptr) kept->difference = std::move(*difference);
    return kept->difference;
}

}  // namespace history
