// SPDX-License-Identifier: MIT
#include "release/kept.hpp"

#include "tables/tables.hpp"

namespace release {

source::Build Kept::of(const std::string& version) {
    const std::lock_guard lock(mutex_);
    const auto [known, is_new] = builds_.try_emplace(version);
    if (is_new) known->second = open(version);
    return known->second;
}

source::Build Kept::open(const std::string& version) const {
    const auto recorded =
        store::perform(pool_, store::Access::read, [&](store::Transaction& transaction) {
            return tables::recorded_release(transaction, version);
        });
    if (!recorded) return nullptr;
    for (const auto& build : at_hand_)
        if (build && build->release().version == version &&
            !base::contradict(build->digest(), recorded->digest))
            return build;
    return open_ ? open_(version, recorded->digest) : nullptr;
}

}  // namespace release
