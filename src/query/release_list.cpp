// SPDX-License-Identifier: MIT
#include "query/release_list.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "tables/mass_changes.hpp"

namespace query {
namespace {

using tables::RowKind;

std::uint64_t rows_of(const tables::RowsByKind& kinds, RowKind kind) {
    const auto found = kinds.find(kind);
    return found == kinds.end() ? 0 : found->second.rows;
}

ListedRelease listed(const Release& release, const tables::Releases& known,
                     const tables::RowsByKind& rows) {
    ListedRelease each;
    each.summary.release = release;
    each.of_day = known.position(release.version)->of_day;
    each.summary.reconstructed = rows_of(rows, RowKind::reconstructed);
    for (const auto& [kind, of_kind] : rows)
        if (kind != RowKind::reconstructed && of_kind.rows > 0)
            each.summary.kinds.push_back({kind, of_kind.rows});
    return each;
}

}  // namespace

ReleaseList ReleaseListCache::get(const ReadContext& context) {
    const auto digest =
        context.builds.build ? std::string(context.builds.build->digest()) : std::string();
    std::map<std::string, Kept> kept;
    {
        const std::lock_guard lock(mutex_);
        if (build_ == digest) kept = kept_;
    }
    std::map<std::string, Kept> used;
    auto list = read(context, [&](const ReadView& now) {
        used.clear();
        auto counted = tables::count_rows_by_kind(now.transaction);
        ReleaseList all;
        std::vector<std::string> wanted;
        for (const auto& release : now.shown()) {
            const auto& own = counted[release.version];
            all.push_back(listed(release, now.releases(), own));
            if (all.size() > detailed_releases) continue;
            const auto found = kept.find(release.version);
            auto mass_changes = tables::mass_changes_in(now.transaction, release.version);
            if (found != kept.end() && found->second.rows == own &&
                found->second.mass_changes == mass_changes) {
                used[release.version] = found->second;
                continue;
            }
            used[release.version] = {own, std::move(mass_changes),
                                     std::make_shared<const ReleaseDetails>()};
            if (!all.back().summary.kinds.empty()) wanted.push_back(release.version);
        }
        auto classes = tables::classes_by_release(now.transaction, wanted);
        for (const auto& version : wanted) {
            ReleaseDetails details{std::move(classes[version]), {}};
            std::ranges::stable_sort(details.classes, std::greater(),
                                     &tables::ClassCount::objects);
            details.leading = leading_entries(now, version, details.classes);
            used[version].details = std::make_shared<const ReleaseDetails>(std::move(details));
        }
        if (const auto* first = now.releases().first_build())
            for (auto& each : all) each.summary.is_first_seen = each.summary.release == *first;
        for (std::size_t i = 0; i < std::min(all.size(), detailed_releases); ++i)
            all[i].details = used[all[i].summary.release.version].details;
        return all;
    });
    const std::lock_guard lock(mutex_);
    build_ = digest;
    kept_ = std::move(used);
    return list;
}

}  // namespace query
