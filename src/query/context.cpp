// SPDX-License-Identifier: MIT
#include "query/context.hpp"

#include <algorithm>

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

// Returns the people, and whether the build could not be reached for some of them.
std::pair<People, bool> read_people(const history::Settings& settings,
                                    const source::Build& build) {
    People people;
    bool is_unreachable = !build;
    for (const auto& [user, object] : settings.curators) {
        auto found = is_unreachable ? unread(object) : person(settings, *build, object);
        if (!found) {
            base::log::warning("curator not read",
                               {{"user", user}, {"reason", found.error().text}});
            // Each of the others would wait as long in vain.
            is_unreachable = found.error().kind == base::ErrorKind::unavailable;
        }
        people.emplace(user, found ? std::move(*found) : unread(object));
    }
    return {std::move(people), is_unreachable};
}

Release release_of(const source::Build& build) { return build ? build->release() : Release{}; }

}  // namespace

KnownReleasesPtr ReleaseCache::get(store::Transaction& transaction,
                                   const history::Settings& settings,
                                   const history::Builds& builds) {
    const auto& [build, previous] = builds;
    const Version version{tables::generation(transaction), release_of(build),
                          release_of(previous)};
    const auto load = [&]() -> Result<KnownReleasesPtr> {
        KnownReleases known{
            history::known_releases(transaction, settings, build.get(), previous.get()),
            tables::has_mass_changes(transaction)};
        return std::make_shared<const KnownReleases>(std::move(known));
    };
    return kept_.get(version, load).value();
}

ReadView view_of(store::Transaction& transaction, const ReadContext& context) {
    auto known = context.release_cache.get(transaction, context.settings, context.builds);
    const auto* newest = known->releases.newest();
    const auto& build = context.builds.build;
    auto current = build ? build->release() : newest != nullptr ? *newest : Release{};
    return {transaction, context, std::move(known), std::move(current)};
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

tl::unexpected<base::Error> no_release(const std::string& version) {
    return base::fail(base::ErrorKind::absent, "no release " + version + " is known here");
}

People Curators::of(const history::Settings& settings, const source::Build& build) {
    if (settings.curators.empty()) return {};
    if (!build) return read_people(settings, build).first;
    const auto read = [&]() -> Result<Kept> {
        auto [people, is_unreachable] = read_people(settings, build);
        return Kept{std::move(people), is_unreachable ? steady_clock::now() + read_again_after
                                                      : steady_clock::time_point::max()};
    };
    const auto is_valid = [](const Kept& kept) { return steady_clock::now() < kept.valid_until; };
    return kept_.get(build->digest(), read, is_valid).value().people;
}

}  // namespace query
