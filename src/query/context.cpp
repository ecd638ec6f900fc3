// SPDX-License-Identifier: MIT
#include "query/context.hpp"

#include <iterator>
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

bool is_unreachable(const Result<Person>& person) {
    return !person && person.error().kind == base::ErrorKind::unavailable;
}

// Returns the people; those whom nobody could read are called by their names.
//   persons  in the order of settings.curators
People people_of(const history::Settings& settings,
                 const std::vector<std::optional<Result<Person>>>& persons) {
    People people;
    auto person = persons.begin();
    for (const auto& [user, object] : settings.curators) {
        people.emplace(user, *person && **person ? ***person : unread(object));
        ++person;
    }
    return people;
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

ReadView view_of(store::Transaction& transaction, const ReadContext& context, Memory memory) {
    auto known = context.release_cache.get(transaction, context.settings, context.builds);
    const auto* newest = known->releases.newest();
    const auto& build = context.builds.build;
    auto current = build ? build->release() : newest != nullptr ? *newest : Release{};
    return {transaction, context, std::move(known), std::move(current), std::move(memory)};
}

Memory memory_for(base::ByteBudget& budget, std::size_t note_bytes) {
    auto share = budget.take(note_bytes * memory_of_note_byte);
    if (!share) throw Busy();
    return std::make_shared<const base::ByteBudget::Share>(std::move(*share));
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
    return context.counted_rows.get(transaction, versions, current.version);
}

void UnreadableRows::note(const tables::UnreadableRow& row) {
    constexpr std::size_t most = 100;
    const std::lock_guard lock(mutex_);
    if (logged_.size() >= most || !logged_.emplace(row.object, row.version).second) return;
    tables::log_unreadable(row);
    if (logged_.size() == most)
        base::log::error("more history rows may be unreadable", {{"see", "varve check"}});
}

tl::unexpected<base::Error> no_release(const std::string& version) {
    return base::fail(base::ErrorKind::absent,
                      "Release " + version +
                          " is unknown, or it is newer than the current release.");
}

Curators::Start Curators::start(const std::string& digest, std::size_t curators) {
    const std::lock_guard lock(mutex_);
    if (kept_ && kept_->digest == digest && steady_clock::now() < kept_->valid_until)
        return {kept_->people, nullptr};
    if (reading_ == nullptr || reading_->digest != digest)
        reading_ = std::make_shared<Reading>(digest, curators);
    return {std::nullopt, reading_};
}

People Curators::of(const history::Settings& settings, const source::Build& build) {
    const auto& curators = settings.curators;
    if (curators.empty()) return {};
    if (!build)
        return people_of(settings, std::vector<std::optional<Result<Person>>>(curators.size()));
    const auto load = [&](std::size_t index) {
        const auto& [user, object] =
            *std::next(curators.begin(), static_cast<std::ptrdiff_t>(index));
        auto found = person(settings, *build, object);
        if (!found)
            base::log::warning("a curator cannot be read",
                               {{"user", user}, {"reason", found.error().text}});
        return found;
    };
    auto [kept, reading] = start(build->digest(), curators.size());
    if (kept) return std::move(*kept);
    // Each of the others would wait as long in vain.
    const auto& persons = reading->persons.run(load, is_unreachable);
    auto people = people_of(settings, persons);
    const bool is_partial = std::ranges::any_of(
        persons, [](const auto& each) { return !each || is_unreachable(*each); });
    const std::lock_guard lock(mutex_);
    if (reading_ != reading) return people;  // another thread has kept it, or of another build
    kept_ = {reading->digest, people,
             is_partial ? steady_clock::now() + read_again_after
                        : steady_clock::time_point::max()};
    reading_ = nullptr;
    return people;
}

}  // namespace query
