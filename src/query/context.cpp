// SPDX-License-Identifier: MIT
#include "query/context.hpp"

#include <ranges>

#include "base/log.hpp"
#include "tables/mass_changes.hpp"

namespace query {
namespace {

using base::Result;
using std::chrono::steady_clock;

// How long curators whom the build could not give are called by their names.
constexpr std::chrono::seconds read_again_after{10};

Person unread(const ObjectName& object) { return {object, object.name}; }

Result<Person> person(const history::Settings& settings, const source::Source& build,
                      const ObjectName& object) {
    const auto spelling = build.find(object);
    if (!spelling) return tl::unexpected(spelling.error());
    if (!*spelling) return unread(object);
    const auto loaded = build.load(**spelling);
    if (!loaded) return tl::unexpected(loaded.error());
    return Person{**spelling, history::label_of(loaded->nodes, **spelling, settings.names)};
}

Release release_of(const source::Build& build) { return build ? build->release() : Release{}; }

}  // namespace

KnownReleasesPtr ReleaseCache::get(store::Transaction& transaction,
                                   const history::Settings& settings,
                                   const history::Builds& builds) {
    const auto& [build, previous] = builds;
    const Version version{clock_(), expirations_, release_of(build), release_of(previous),
                          build ? build->digest() : std::string()};
    const auto load = [&]() -> Result<KnownReleasesPtr> {
        KnownReleases known{
            history::known_releases(transaction, settings, build.get(), previous.get()),
            tables::has_mass_changes(transaction)};
        if (build != nullptr) {
            const auto& current = build->release().version;
            known.number = known.releases.number_of(current, build->digest());
            known.is_superseded = known.releases.contradicts(current, build->digest());
        }
        return std::make_shared<const KnownReleases>(std::move(known));
    };
    return kept_.get(version, load).value();
}

ReadView view_of(store::Transaction& transaction, const ReadContext& context, bool may_be_long) {
    auto known = context.shared.releases.get(transaction, context.settings, context.builds);
    const auto* newest = known->releases.newest();
    const auto& build = context.builds.build;
    auto current = build ? build->release() : newest != nullptr ? *newest : Release{};
    return {transaction, context, std::move(known), std::move(current), may_be_long};
}

const Release* ReadView::shown(const std::string& version) const {
    const auto* release = releases().find(version);
    return release == nullptr || current < *release ? nullptr : release;
}

std::vector<Release> ReadView::shown() const {
    auto all = releases().up_to(current);
    std::ranges::reverse(all);
    return all;
}

std::int64_t ReadView::newest_build() const {
    // Numbers grow with the order of releases.
    for (const auto& build : releases().builds() | std::views::reverse)
        if (shown(build.version) != nullptr) return build.number;
    return 0;
}

std::vector<CountedRowsPtr> ReadView::counted(std::span<const Release> of) const {
    std::vector<std::string> versions;
    for (const auto& release : of) versions.push_back(release.version);
    return context.shared.counted_rows.get(transaction, versions, current.version);
}

bool CountedRowsCache::is_good(const Kept& kept, std::int64_t newest_row, bool is_current) const {
    const auto age = clock_() - kept.counted_at;
    const auto most = is_current ? std::chrono::minutes(1) : std::chrono::minutes(10);
    return kept.rows->newest == newest_row && age >= age.zero() && age < most;
}

std::vector<CountedRowsPtr> CountedRowsCache::get(store::Transaction& transaction,
                                                  std::span<const std::string> versions,
                                                  const std::string& current) {
    auto newest = tables::newest_rows(transaction);
    std::map<std::string, CountedRowsPtr> found;
    std::vector<std::string> wanted;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& version : versions) {
            const auto kept = kept_.find(version);
            if (kept != kept_.end() && is_good(kept->second, newest[version], version == current))
                found[version] = kept->second.rows;
            else
                wanted.push_back(version);
        }
    }
    const auto now = clock_();
    auto counted = tables::count_rows(transaction, wanted);
    const std::lock_guard lock(mutex_);
    for (auto& each : counted) {
        each.newest = newest[each.version];
        const auto rows = std::make_shared<const tables::CountedRows>(std::move(each));
        kept_[rows->version] = {now, rows};
        found[rows->version] = rows;
    }
    std::vector<CountedRowsPtr> all;
    for (const auto& version : versions) all.push_back(found.at(version));
    return all;
}

void UnreadableRows::note(const tables::UnreadableRow& row) {
    constexpr std::size_t most = 100;
    const std::lock_guard lock(mutex_);
    if (logged_.size() >= most || !logged_.emplace(row.object, row.version).second) return;
    tables::log_unreadable(row);
    if (logged_.size() == most)
        base::log::error("more history rows may be unreadable", {{"see", "varve check"}});
}

std::shared_ptr<const tree::Models> models_of(const history::Builds& builds) {
    const auto& build = builds.build ? builds.build : builds.previous;
    return build ? std::shared_ptr<const tree::Models>(build, &build->models()) : nullptr;
}

tl::unexpected<base::Error> no_release(const std::string& version) {
    return base::fail(base::ErrorKind::absent,
                      "Release " + version +
                          " is unknown, or it is newer than the current release.");
}

People Curators::of(const history::Settings& settings, const source::Build& build) {
    if (settings.curators.empty()) return {};
    const auto load = [&] {
        Kept kept{{}, steady_clock::time_point::max()};
        bool is_reachable = build != nullptr;
        for (const auto& [user, object] : settings.curators) {
            // Each of the others would wait as long in vain.
            auto found = is_reachable ? person(settings, *build, object) : unread(object);
            if (!found) {
                base::log::warning("a curator cannot be read",
                                   {{"user", user}, {"reason", found.error().text}});
                is_reachable = found.error().kind != base::ErrorKind::unavailable;
            }
            kept.people.emplace(user, found.value_or(unread(object)));
        }
        if (!is_reachable) kept.valid_until = steady_clock::now() + read_again_after;
        return kept;
    };
    if (!build) return load().people;
    const auto is_good = [](const Kept& kept) { return steady_clock::now() < kept.valid_until; };
    return kept_.get(build->digest(), load, is_good).value().people;
}

}  // namespace query
