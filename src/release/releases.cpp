// SPDX-License-Identifier: MIT
#include "release/releases.hpp"

namespace release {

std::vector<ListedRelease> list_releases(store::Pool& pool, const history::Settings& settings,
                                         const std::optional<base::Release>& current) {
    return store::perform(pool, store::Access::read, [&](store::Transaction& transaction) {
        auto releases = history::known_releases(transaction, settings, nullptr, nullptr);
        if (current) releases.add(*current);
        const auto counts = tables::count_by_release(transaction);
        std::vector<ListedRelease> list;
        for (const auto& release : releases.up_to({{}, base::Date::max()})) {
            const auto counted = counts.find(release.version);
            list.push_back({release,
                            counted == counts.end() ? tables::ReleaseCounts() : counted->second,
                            current && release.version == current->version, false});
        }
        if (!list.empty()) list.back().is_newest = true;
        return list;
    });
}

}  // namespace release
