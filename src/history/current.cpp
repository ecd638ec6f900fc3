// SPDX-License-Identifier: MIT
#include "history/current.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <mutex>

#include "base/log.hpp"
#include "base/text.hpp"
#include "compare/headline.hpp"
#include "history/context.hpp"

namespace history {
namespace {

using base::Result;

// Smaller classes may lose whatever they lose.
constexpr std::uint64_t counted_from = 20;

// Returns the classes that have objects in one build and none in the other.
std::vector<source::ClassCount> classes_only_in(const source::Source& build,
                                                const source::Source& other) {
    auto counts = build.class_counts();
    const auto others = other.class_counts();
    std::erase_if(counts, [&](const source::ClassCount& each) {
        return each.objects == 0 || source::objects_of(others, each.class_name) > 0;
    });
    return counts;
}

std::string refusal_of_classes(const source::Source& build, const source::Source& previous,
                               std::vector<std::string> differences) {
    constexpr std::size_t most_named = 10;
    if (const auto all = differences.size(); all > most_named) {
        differences.resize(most_named);
        differences.push_back(fmt::format("and {} more", all - most_named));
    }
    return fmt::format("{} comes from {}, {} came from {}, and the two may not list the same "
                       "classes: {}; name the classes that did not come or go with the release "
                       "in the configuration, [source] skip_classes",
                       build.release().version, build.kind(), previous.release().version,
                       previous.kind(), base::join(differences, "; "));
}

bool is_accepted(store::Pool& pool, const std::string& version, const std::string& digest) {
    return store::perform(pool, store::Access::read, tables::is_accepted, version, digest);
}

tables::Releases releases_in(store::Pool& pool) {
    return store::perform(pool, store::Access::read, tables::load_releases);
}

// What a release of which no build is recorded contradicts among the others; empty: nothing.
std::string contradiction_of_new(const tables::Releases& releases, const base::Release& build) {
    // People and some file systems take such versions for one.
    for (const auto& release : releases.all())
        if (release.version != build.version &&
            base::equal_ignoring_case(release.version, build.version))
            return build.version + " differs from the recorded release " + release.version +
                   " in case alone; if it is that release, spell it alike, else give this build"
                   " another version";
    if (const auto* newest = releases.build_after(build)) {
        const auto later =
            std::ranges::find_if(releases.all(), [&](const base::Release& release) {
                return build < release && releases.number_of(release.version) != 0;
            });
        return fmt::format(
            "{} of {} is new, and would come before {} of {}, which is recorded: nothing is "
            "written into the middle of histories; give the build a later date or version, or, "
            "to record what follows it anew, make it the current one (source.path) and run: "
            "varve forget release {}{}",
            build.version, base::format_date(build.released_on), newest->version,
            base::format_date(newest->released_on), later->version,
            *later == *newest ? "" : " --with-later");
    }
    return {};
}

// Returns why a build and what is recorded cannot both be right, whatever an operator accepts; empty: they can.
// A release is published once: another content or date under its version would tell readers two
// stories under one name.
std::string contradiction(const tables::Releases& releases, const source::Source& build,
                          Purpose purpose, const std::string& options) {
    const auto& release = build.release();
    if (releases.number_of(release.version) == 0) return contradiction_of_new(releases, release);
    const bool is_contradicted =
        releases.contradicts(release.version, build.digest()) && purpose != Purpose::republishing;
    if (is_contradicted && releases.is_superseded(release.version, build.digest()))
        return release.version +
               " was published again from another build since this one was recorded; put that "
               "one in place";
    if (is_contradicted)
        return release.version +
               " was recorded with different content; give this build a version of its own, or, "
               "if the release was published again, run: varve prewarm --replace " +
               release.version + options;
    const auto& recorded = *releases.find(release.version);
    if (recorded != release)
        return release.version + " is recorded as of " + base::format_date(recorded.released_on) +
               ", the build says " + base::format_date(release.released_on);
    return {};
}

// Returns the newest other version of which a build of this digest is in force; nullopt: there is none.
std::optional<std::string> other_version_of(const tables::Releases& releases,
                                            const source::Source& build) {
    std::optional<std::string> found;
    for (const auto& other : releases.builds())
        if (other.version != build.release().version &&
            releases.number_of(other.version, build.digest()) != 0)
            found = other.version;
    return found;
}

// A release that holds what another one held is most likely the other one, named too early. Readers
// would be told that it changed nothing, and its own data would come under a recorded version. But
// many releases do change nothing, and a folder with a release.ini of its own was made as a whole.
std::string named_too_early(store::Pool& pool, const tables::Releases& releases,
                            const source::Source& build, const std::string& options) {
    const auto& version = build.release().version;
    if (releases.number_of(version, build.digest()) != 0) return {};
    const auto other = other_version_of(releases, build);
    if (!other || is_accepted(pool, version, build.digest())) return {};
    const auto* before = releases.build_before(build.release());
    const bool is_just_before = before != nullptr && before->version == *other;
    if (is_just_before && !build.digest().starts_with(base::server_digest)) {
        base::log::info("release changed nothing", {{"release", version}, {"as", *other}});
        return {};
    }
    return fmt::format(
        "{0} holds exactly what is recorded as {1}: put the data of {0} in place before its "
        "version is changed (in release.ini, or `release` in the configuration); or, if {0} "
        "changed nothing, run: varve accept {0}{2}",
        version, *other, options);
}

// A date that was left over from another release would be that of every item, for good.
std::string doubt_of_date(const tables::Releases& releases, const base::Release& release,
                          const BuildOpener& opener) {
    if (!opener.is_dated_by_configuration || !opener.is_dated_by_configuration(release) ||
        releases.find(release.version) != nullptr)
        return {};
    const auto other =
        std::ranges::find(releases.all(), release.released_on, &base::Release::released_on);
    if (other == releases.all().end()) return {};
    return fmt::format(
        "{} is dated {} by the configuration, which is the date of {}; write its own"
        " date into releases.tsv",
        release.version, base::format_date(release.released_on), other->version);
}

struct Opened {
    source::Build build;
    std::string flaw;  // it is not whole; the operator may accept it nevertheless
};

Result<Opened> open(const BuildOpener& opener) {
    auto whole = opener.open(Wholeness::required);
    if (whole) return Opened{std::move(*whole), {}};
    if (whole.error().kind != base::ErrorKind::refused) return tl::unexpected(whole.error());
    auto broken = opener.open(Wholeness::not_required);
    // What holds nothing at all is no build that lacks its end.
    if (!broken || (*broken)->class_counts().empty()) return tl::unexpected(whole.error());
    return Opened{std::move(*broken), whole.error().text};
}

// A build that could not be opened. Making its index may take a server hours: after the second
// failure it is tried again after 1 s, 2 s, 4 s, up to a minute. One that is at fault itself is not: it
// would be read from end to end only to find the same fault.
class Unready {
   public:
    [[nodiscard]] bool must_wait(const std::string& identity) const {
        return identity == identity_ && Clock::now() < again_;
    }

    void note(const std::string& identity, base::ErrorKind error) {
        constexpr std::chrono::seconds shortest{1}, longest{60};
        const bool may_pass =
            error == base::ErrorKind::unavailable || error == base::ErrorKind::absent;
        pause_ = identity != identity_ ? std::chrono::seconds(0)
                                       : std::clamp(pause_ * 2, shortest, longest);
        identity_ = identity;
        again_ = may_pass ? Clock::now() + pause_ : Clock::time_point::max();
    }

   private:
    using Clock = std::chrono::steady_clock;
    std::string identity_;
    std::chrono::seconds pause_{};
    Clock::time_point again_;
};

}  // namespace

std::string lost_classes(const source::Source& build, const source::Source& previous) {
    std::string lost;
    const auto now = build.class_counts();
    for (const auto& before : previous.class_counts()) {
        const auto left = source::objects_of(now, before.class_name);
        if (before.objects < counted_from || left * 2 >= before.objects) continue;
        lost += fmt::format("{}class {} has {} of the {} objects it had in {}",
                            lost.empty() ? "" : "; ", before.class_name, left, before.objects,
                            previous.release().version);
    }
    return lost;
}

struct CurrentBuild::State {
    State(BuildOpener opens, store::Pool& with, Purpose of)
        : opener(std::move(opens)), pool(with), purpose(of) {}

    BuildOpener opener;
    store::Pool& pool;
    Purpose purpose;
    std::mutex looking;  // one look() at a time

    mutable std::mutex mutex;  // of what follows
    Builds current;
    std::string why, trouble;

    template <class T>
    [[nodiscard]] T get(T State::* member) const {
        const std::lock_guard lock(mutex);
        return this->*member;
    }

    std::string identity;  // of what was opened last; only look() uses what follows
    std::string flaw;      // why it is not whole, which the operator may accept
    Builds candidate;  // what was opened, and the index of its kind before it, else another one
    std::int64_t number_before = 0;          // of the release before it; 0: none
    std::vector<source::Build> kept_before;  // its indexes
    bool is_recorded = false;                // the current build has a number
    std::string not_recorded;                // why not, as it was logged last
    Unready unready;

    void refuse(const std::string& reason) {
        const std::lock_guard lock(mutex);
        why = reason;
    }

    [[nodiscard]] std::string verdict(const tables::Releases& releases) const {
        const auto& build = *candidate.build;
        const auto& release = build.release();
        const auto counts = build.class_counts();
        if (std::ranges::none_of(counts, [](const auto& of) { return of.objects > 0; }))
            return "the build holds no objects";
        auto reason = contradiction(releases, build, purpose, opener.options);
        if (reason.empty()) reason = named_too_early(pool, releases, build, opener.options);
        if (!reason.empty()) return reason;
        reason = flaw;
        if (reason.empty()) reason = difference_in_classes();
        if (reason.empty() && candidate.previous)
            reason = lost_classes(build, *candidate.previous);
        if (const auto doubt = doubt_of_date(releases, release, opener); !doubt.empty())
            reason += (reason.empty() ? "" : "; ") + doubt;
        if (reason.empty() || is_accepted(pool, release.version, build.digest())) return {};
        return reason + "; if this is intended, run: varve accept " + release.version +
               opener.options;
    }

    // What would be called created or vanished because the kind of source is another one.
    [[nodiscard]] std::string difference_in_classes() const {
        const auto& now = *candidate.build;
        for (const auto& before : kept_before) {
            if (before->kind() == now.kind()) continue;
            const auto& version = before->release().version;
            std::vector<std::string> differences;
            // Objects of a class that is not recorded cannot vanish.
            for (const auto& [name, objects] : classes_only_in(*before, now))
                if (store::perform(pool, store::Access::read, tables::has_objects_of, name))
                    differences.push_back(fmt::format("class {} has none and had {} in {}", name,
                                                      compare::counted(objects, "object"),
                                                      version));
            // Only what the index that is compared with lacks is created.
            if (before == candidate.previous)
                for (const auto& [name, objects] : classes_only_in(now, *before))
                    differences.push_back(fmt::format("class {} has {} and had none in {}", name,
                                                      compare::counted(objects, "object"),
                                                      version));
            if (!differences.empty())
                return refusal_of_classes(now, *before, std::move(differences));
        }
        return {};
    }

    // Gives the build its number at once, so that a release without changes is known too. Retried on each
    // check.
    void record() {
        if (purpose != Purpose::serving) return;
        try {
            const auto number = number_of(pool, *candidate.build, base::system_clock_now());
            is_recorded = number.has_value();
            if (!number && number.error().text != not_recorded) {
                not_recorded = number.error().text;
                base::log::warning("release not recorded", {{"reason", not_recorded}});
            }
        } catch (const store::Failure& failure) {
            // A store that cannot be written still answers from what it has.
            base::log::warning("release not recorded", {{"error", failure.what()}});
        }
    }

    void take_over() {
        is_recorded = false;
        record();
        const std::lock_guard lock(mutex);
        current = candidate;
        why.clear();
        trouble.clear();
        if (purpose != Purpose::serving) return;
        base::log::info("build is current", {{"release", current.build->release().version},
                                             {"digest", current.build->digest()}});
    }

    // The current build is the candidate; the index before it may be another one now.
    void renew_current() {
        const std::lock_guard lock(mutex);
        current = candidate;
    }

    // Builds that were refused leave their indexes behind.
    void sweep() {
        if (!is_recorded || !opener.sweep) return;
        try {
            const auto releases = releases_in(pool);
            opener.sweep([&](const base::Release& release, const std::string& digest) {
                return releases.contradicts(release.version, digest);
            });
        } catch (const store::Failure& failure) {
            base::log::warning("old indexes cannot be removed", {{"error", failure.what()}});
        }
    }

    // Asks the current build whether it is still there, where it is not what the last look saw.
    void confirm_current(bool is_opened) {
        std::string reason;
        const auto build = get(&State::current).build;
        if (build && !(is_opened && candidate.build == build))
            if (const auto confirmed = build->confirm(); !confirmed)
                reason = confirmed.error().text;
        const std::lock_guard lock(mutex);
        if (!reason.empty() && trouble.empty())
            base::log::error("current build not available", {{"reason", reason}});
        trouble = std::move(reason);
    }

    // False: nothing new, or nothing that can be opened.
    bool open_newest() {
        const auto now = opener.identity();
        if (!now) {
            refuse(now.error().text);
            return false;
        }
        if (*now == identity && candidate.build) return true;
        if (unready.must_wait(*now)) return false;
        auto opened = open(opener);
        if (!opened) {
            refuse(opened.error().text);
            unready.note(*now, opened.error().kind);
            return false;
        }
        unready = {};
        candidate.build = std::move(opened->build);
        flaw = std::move(opened->flaw);
        find_previous(releases_in(pool));
        identity = *now;
        return true;
    }

    void find_previous(const tables::Releases& releases) {
        const auto* before = releases.build_before(candidate.build->release());
        number_before = before == nullptr ? 0 : releases.number_of(before->version);
        kept_before =
            opener.previous_of(candidate.build->release(), [&](const base::Release& release,
                                                               const std::string& digest) {
                return before != nullptr && release.version == before->version &&
                       releases.number_of(release.version, digest) != 0;
            });
        const auto same = std::ranges::find_if(kept_before, [&](const auto& kept) {
            return kept->kind() == candidate.build->kind();
        });
        candidate.previous = same != kept_before.end() ? *same
                             : kept_before.empty()     ? nullptr
                                                       : kept_before.front();
        if (before != nullptr && candidate.previous == nullptr)
            base::log::warning(
                "no index of the release before is kept, so new objects count as "
                "seen for the first time",
                {{"release", candidate.build->release().version}, {"before", before->version}});
    }

    // The release before may have been forgotten or published again since.
    void renew_previous(const tables::Releases& releases) {
        const auto* before = releases.build_before(candidate.build->release());
        if ((before == nullptr ? 0 : releases.number_of(before->version)) != number_before)
            find_previous(releases);
    }
};

CurrentBuild::CurrentBuild(BuildOpener opener, store::Pool& pool, Purpose purpose)
    : state_(std::make_unique<State>(std::move(opener), pool, purpose)) {}
CurrentBuild::~CurrentBuild() = default;

source::Build CurrentBuild::build() const { return builds().build; }
Builds CurrentBuild::builds() const { return state_->get(&State::current); }
std::string CurrentBuild::why() const { return state_->get(&State::why); }
std::string CurrentBuild::trouble() const { return state_->get(&State::trouble); }

Builds CurrentBuild::candidate() const {
    const std::lock_guard lock(state_->looking);
    return state_->candidate;
}

void CurrentBuild::look() {
    const std::lock_guard lock(state_->looking);
    const bool is_opened = state_->open_newest();
    state_->confirm_current(is_opened);
    if (!is_opened) return;
    const auto releases = releases_in(state_->pool);
    state_->renew_previous(releases);
    const auto& candidate = *state_->candidate.build;
    // Its release may have been published again since, or forgotten and be too late to be recorded again.
    if (state_->candidate.build == build() && why().empty() &&
        contradiction(releases, candidate, state_->purpose, {}).empty()) {
        if (!state_->is_recorded) state_->record();
        state_->renew_current();
        return;
    }
    const auto reason = state_->verdict(releases);
    if (!reason.empty()) {
        state_->refuse(reason);
        return;
    }
    state_->take_over();
    state_->sweep();
}

}  // namespace history
