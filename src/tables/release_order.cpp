// SPDX-License-Identifier: MIT
#include "tables/release_order.hpp"

namespace tables {

ReleaseOrder::ReleaseOrder(const Releases& releases, const Release& current) {
    const Release* before = nullptr;
    int of_day = 0;
    for (const auto& release : releases.all()) {
        const bool same_day = before != nullptr && before->released_on == release.released_on;
        of_day = same_day ? of_day + 1 : 0;
        places_.emplace(release.version,
                        Place{release, places_.size(), of_day, !(current < release)});
        before = &release;
    }
}

const ReleaseOrder::Place* ReleaseOrder::find(const std::string& version) const {
    const auto found = places_.find(version);
    return found == places_.end() ? nullptr : &found->second;
}

base::Result<std::ptrdiff_t> ReleaseOrder::begins_behind(const std::string& since) const {
    if (since.empty()) return -1;
    const auto* place = find(since);
    if (place == nullptr)
        return base::fail(base::Kind::refused, "no release " + since + " is known");
    return static_cast<std::ptrdiff_t>(place->rank);
}

}  // namespace tables
