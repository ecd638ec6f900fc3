// SPDX-License-Identifier: MIT
#include "history/first_sight_sample.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "tree/stamp.hpp"

namespace history {
namespace {

using base::Result;
using store::Transaction;

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

class Sampling {
   public:
    explicit Sampling(const BuildView& view) : view_(view) {}

    Result<FirstSightSample> run() {
        auto names = names_not_recorded();
        if (!names) return tl::unexpected(names.error());
        for (const auto& name : *names)
            if (const auto done = count(name); !done) return tl::unexpected(done.error());
        for (const auto& user : objects_of_) sample_.users.push_back(user);
        std::ranges::stable_sort(sample_.users, std::ranges::greater(),
                                 [](const auto& user) { return user.second; });
        return std::move(sample_);
    }

   private:
    Result<std::vector<ObjectName>> names_not_recorded() {
        const auto names = names_spread_over(view_.build);
        using Read = Result<std::vector<ObjectName>>;
        return store::perform(
            view_.context.pool, store::Access::read, [&](Transaction& transaction) -> Read {
                releases_ = known_releases(transaction, view_.context.settings, &view_.build,
                                           view_.previous);
                const auto identities = identify(transaction, &view_.build, names);
                if (!identities) return tl::unexpected(identities.error());
                std::vector<ObjectName> unknown;
                for (std::size_t i = 0; i < names.size(); ++i)
                    if (!(*identities)[i].row) unknown.push_back(names[i]);
                return unknown;
            });
    }

    Result<void> count(const ObjectName& name) {
        const auto before = view_.bytes_before(name);
        if (!before) return tl::unexpected(before.error());
        if (*before && **before == 0) return {};
        ++sample_.objects;
        const auto after = view_.load(name, name);
        if (!after && after.error().kind == base::ErrorKind::unavailable)
            return tl::unexpected(after.error());
        if (!after) return {};
        const auto outcome = view_.decide({}, *after, releases_);
        if (!outcome) return tl::unexpected(outcome.error());
        if (outcome->rows.empty()) return {};
        ++sample_.reported;
        for (const auto& user : users_in(*outcome)) ++objects_of_[user];
        return {};
    }

    const BuildView& view_;
    tables::Releases releases_;
    FirstSightSample sample_;
    std::map<std::string, std::size_t> objects_of_;  // by user
};

}  // namespace

Result<FirstSightSample> sample_first_sight(const BuildView& view) {
    return Sampling(view).run();
}

}  // namespace history
