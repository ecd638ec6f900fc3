// SPDX-License-Identifier: MIT
#include "history/first_sight_sample.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "tree/stamp.hpp"

namespace history {
namespace {

using base::Result;

std::vector<ObjectName> names_spread_over(const source::Source& build) {
    constexpr std::uint64_t most = 1'000;
    std::uint64_t objects = 0, at = 0;
    for (const auto& count : build.class_counts()) objects += count.objects;
    const auto stride = std::max<std::uint64_t>(1, (objects + most - 1) / most);
    std::vector<ObjectName> names;
    source::each_object(build, [&](const source::Listed& listed) {
        if (at++ % stride == 0) names.push_back(listed.id());
        return true;
    });
    return names;
}

void collect_users(const std::vector<tree::Node>& nodes, std::set<std::string>& users) {
    for (const auto& node : nodes) {
        if (const auto stamp = tree::parse_stamp(node.stamp)) users.emplace(stamp->by);
        collect_users(node.children, users);
    }
}

std::set<std::string> users_in(const Outcome& outcome) {
    std::set<std::string> users;
    for (const auto& row : outcome.rows)
        for (const auto& change : row.notes.changes) collect_users(change.after, users);
    return users;
}

}  // namespace

Result<FirstSightSample> sample_first_sight(const BuildView& view) {
    auto& pool = view.context.pool;
    const auto names = names_spread_over(view.build);
    const auto releases = store::perform(pool, store::Access::read, known_releases,
                                         view.context.settings, &view.build, view.previous);
    const auto identities =
        store::perform(pool, store::Access::read, identify, &view.build, names);
    if (!identities) return tl::unexpected(identities.error());
    FirstSightSample sample;
    std::map<std::string, std::size_t> objects_of;  // by user
    for (std::size_t i = 0; i < names.size(); ++i) {
        if ((*identities)[i].row) continue;
        const auto before = view.bytes_before(names[i]);
        if (!before) return tl::unexpected(before.error());
        if (*before && **before == 0) continue;
        ++sample.objects;
        const auto after = view.load(names[i], names[i]);
        if (!after && after.error().kind == base::ErrorKind::unavailable)
            return tl::unexpected(after.error());
        if (!after) continue;
        const auto outcome = view.decide({}, *after, releases);
        if (!outcome) return tl::unexpected(outcome.error());
        if (outcome->rows.empty()) continue;
        ++sample.reported;
        for (const auto& user : users_in(*outcome)) ++objects_of[user];
    }
    sample.users.assign(objects_of.begin(), objects_of.end());
    std::ranges::stable_sort(sample.users, std::ranges::greater(),
                             &std::pair<std::string, std::size_t>::second);
    return sample;
}

}  // namespace history
