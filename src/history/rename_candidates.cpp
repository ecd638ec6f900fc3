// SPDX-License-Identifier: MIT
#include "history/rename_candidates.hpp"

#include <algorithm>
#include <span>

#include "history/recorder.hpp"

namespace history {

using base::Result;

Result<void> RenameCandidates::bring_up_to_date(const Context& context,
                                                const source::Source& build,
                                                const source::Source* previous,
                                                const ObjectName& asked) {
    if (previous == nullptr) return {};
    const auto now = build.find(asked), before = previous->find(asked);
    if (!now) return tl::unexpected(now.error());
    if (!before) return tl::unexpected(before.error());
    if (now->has_value() == before->has_value()) return {};
    const auto& object = *now ? **now : **before;
    if (build.skips(object.class_name) || previous->skips(object.class_name)) return {};
    const Class which{previous->digest() + build.digest(), object.class_name};
    // What was recorded may have been forgotten since.
    constexpr std::chrono::minutes done_for{1};
    const auto is_done = [&] {
        const std::lock_guard lock(mutex_);
        const auto done = done_.find(which);
        return done != done_.end() && context.clock() - done->second < done_for;
    };
    if (is_done()) return {};
    return flights_.run(which, [&]() -> Result<void> {
        if (is_done()) return {};
        if (auto done = bring_class_up_to_date(context, build, *previous, which); !done)
            return done;
        const std::lock_guard lock(mutex_);
        std::erase_if(done_, [&](const auto& each) { return each.first.first != which.first; });
        done_[which] = context.clock();
        return {};
    });
}

Result<void> RenameCandidates::bring_class_up_to_date(const Context& context,
                                                      const source::Source& build,
                                                      const source::Source& previous,
                                                      const Class& which) {
    constexpr std::size_t at_once = 16;  // each may have some megabytes
    const auto names =
        names_.get(which.first, [&]() -> Result<std::shared_ptr<const NamesByClass>> {
            NamesByClass by_class;
            const auto add = [&](const source::Listed& listed) {
                auto& of_class = by_class[std::string(listed.class_name)];
                // One more where there are too many.
                if (of_class.size() <= most_rename_candidates) of_class.push_back(listed.id());
                return true;
            };
            for (const auto& done : {source::each_unknown_to(build, previous, add),
                                     source::each_unknown_to(previous, build, add)})
                if (!done) return tl::unexpected(done.error());
            return std::make_shared<const NamesByClass>(std::move(by_class));
        });
    if (!names) return tl::unexpected(names.error());
    const auto found = (*names)->find(which.second);
    if (found == (*names)->end() || found->second.size() > most_rename_candidates) return {};
    for (std::span<const ObjectName> rest = found->second; !rest.empty();) {
        const auto some = rest.first(std::min(at_once, rest.size()));
        // An object that cannot be read says nothing of the others.
        const auto done = history::bring_up_to_date(context, build, &previous, some);
        if (!done) return tl::unexpected(done.error());
        rest = rest.subspan(some.size());
    }
    return {};
}

}  // namespace history
