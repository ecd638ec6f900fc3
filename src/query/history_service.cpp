// SPDX-License-Identifier: MIT
#include "query/history_service.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>

#include "base/log.hpp"
#include "base/text.hpp"
#include "query/in_flight.hpp"
#include "query/object_history.hpp"
#include "query/people.hpp"
#include "tables/bulk.hpp"
#include "tables/mass_changes.hpp"

namespace query {
namespace {

using base::Result;
using store::Access;
using store::Transaction;

// Of more objects than this hits are not counted until the next write: memory is bounded.
constexpr std::size_t most_hits = 50'000;

std::string key_of(const ObjectName& asked) {
    return base::fold_ascii(asked.class_name) + '\0' + base::fold_ascii(asked.name);
}

void tell_not_refreshed(const ObjectName& asked, const base::Error& error) {
    base::log::warning(
        "object not refreshed",
        {{"class", asked.class_name}, {"name", asked.name}, {"reason", error.text}});
}

base::Error store_is_down() { return {base::Kind::unavailable, "the store can't be reached"}; }

}  // namespace

struct HistoryService::State {
    store::Pool& pool;
    history::CurrentBuild& current;
    history::Settings settings;
    base::Clock clock;
    history::CreatedObjects renames;
    InFlight in_flight;
    Curators curators;
    std::atomic<std::uint64_t> computations = 0;

    std::mutex moment_mutex;  // of what follows
    base::Seconds generation_read_at{};
    bool reading_generation = false;  // some thread is; the others take what is known
    std::int64_t generation = 0;
    bool may_have_mass_changes = true;  // as of the generation; true: not known yet
    bool store_reachable = true;

    std::mutex hits_mutex;
    std::map<ObjectName, std::int64_t> hits;

    [[nodiscard]] history::Context desk() { return {pool, settings, clock, renames}; }

    struct Read {
        std::int64_t generation;
        bool has_mass_changes;
    };
    // nullopt: the store can't be reached. Asked once: a request is waiting.
    std::optional<Read> read_generation() {
        try {
            const auto connection = pool.lease();
            Transaction transaction(*connection, Access::read);
            // In this order: what is written after the first moves the generation on.
            const Read read{tables::generation(transaction),
                            tables::has_mass_changes(transaction)};
            transaction.commit();
            return read;
        } catch (const store::Failure& failure) {
            base::log::error("store not reachable", {{"error", failure.what()}});
            return std::nullopt;
        }
    }

    // True for the one thread that is to read it now.
    bool is_generation_due() {
        const std::lock_guard lock(moment_mutex);
        if (reading_generation || generation_read_at == clock()) return false;
        return reading_generation = true;
    }

    void refresh_generation() {
        if (!is_generation_due()) return;
        const auto read = read_generation();
        const std::lock_guard lock(moment_mutex);
        reading_generation = false;
        generation_read_at = clock();
        store_reachable = read.has_value();
        if (!read) return;
        generation = read->generation;
        may_have_mass_changes = read->has_mass_changes;
    }

    // Most sites have none for years, and their feeds need not ask.
    bool can_have_mass_changes() {
        const std::lock_guard lock(moment_mutex);
        return may_have_mass_changes;
    }

    // Pages made before our own write are out of date at once.
    void forget_generation() {
        const std::lock_guard lock(moment_mutex);
        generation_read_at = {};
    }

    // The object up to date; or why it can't be brought up to date now.
    Result<history::Identity> bring_up_to_date(const ObjectName& asked,
                                               const source::Build& build,
                                               const source::Build& previous) {
        if (!build) return base::fail(base::Kind::unavailable, "no build: " + current.why());
        try {
            const InFlight::Turn turn(in_flight, key_of(asked));
            auto done = refresh(desk(), *build, previous.get(), asked);
            if (!done) return tl::unexpected(done.error());
            if (done->computed) ++computations;
            if (done->wrote_history) forget_generation();
            return history::Identity{std::move(done->row), std::move(done->spelling)};
        } catch (const store::Failure& failure) {
            // A store that can't be written may still be read.
            base::log::error("history not recorded", {{"error", failure.what()}});
            return tl::unexpected(store_is_down());
        }
    }

    Result<history::Identity> as_recorded(const ObjectName& asked, const source::Build& build) {
        return store::perform(pool, Access::read, [&](Transaction& transaction) {
            auto identity = history::identify(transaction, build.get(), asked);
            if (identity && identity->row)
                tables::settle(
                    transaction, *identity->row, {},
                    history::known_releases(transaction, settings, build.get(), nullptr));
            return identity;
        });
    }

    Result<Answer> answer(const ObjectName& asked, const PageRequest& window) {
        const auto [build, previous] = current.builds();
        auto compared = if_compared(asked, window, build, previous);
        if (!compared) return tl::unexpected(compared.error());
        if (*compared) {
            (*compared)->people = curators.of(settings, build);
            return Answer{std::move(**compared), true};
        }
        const auto fresh = bring_up_to_date(asked, build, previous);
        if (!fresh && fresh.error().kind == base::Kind::absent)
            return tl::unexpected(fresh.error());
        if (!fresh) tell_not_refreshed(asked, fresh.error());
        const auto identity = fresh ? fresh : as_recorded(asked, build);
        if (!identity || !identity->row) return tl::unexpected(fresh.error());
        auto history = store::perform(pool, Access::read, [&](Transaction& transaction) {
            const auto releases =
                history::known_releases(transaction, settings, build.get(), previous.get());
            return load_history({transaction, settings, build, releases, can_have_mass_changes()},
                                *identity, window);
        });
        if (!history) return tl::unexpected(history.error());
        history->people = curators.of(settings, build);
        return Answer{std::move(*history), fresh.has_value()};
    }

    // The common case in one transaction: nothing is to be done but to read. nullopt: there is.
    Result<std::optional<History>> if_compared(const ObjectName& asked, const PageRequest& window,
                                               const source::Build& build,
                                               const source::Build& previous) {
        using Found = Result<std::optional<History>>;
        if (!build) return std::nullopt;
        return store::perform(pool, Access::read, [&](Transaction& transaction) -> Found {
            auto identity = history::identify(transaction, build.get(), asked);
            if (!identity) return tl::unexpected(identity.error());
            if (!identity->row) return std::nullopt;
            const auto releases =
                history::known_releases(transaction, settings, build.get(), previous.get());
            tables::settle(transaction, *identity->row, build->release(), releases);
            if (!history::is_compared(*identity->row, build->release(), releases))
                return std::nullopt;
            auto history =
                load_history({transaction, settings, build, releases, can_have_mass_changes()},
                             *identity, window);
            if (!history) return tl::unexpected(history.error());
            return std::optional(std::move(*history));
        });
    }

    // What of those that are not compared yet: they are told instead, or taken as they are.
    enum class Outdated { told, taken };
    struct Attempt {
        std::vector<ObjectName> outdated;
        std::optional<Result<WatchList>> list;
    };
    Attempt read_list(const std::vector<ObjectName>& asked, const PageRequest& window,
                      const history::Builds& builds, Outdated what) {
        return store::perform(pool, Access::read, [&](Transaction& transaction) -> Attempt {
            const auto& [build, previous] = builds;
            auto identities = history::identify_all(transaction, build.get(), asked);
            if (!identities) return {{}, tl::unexpected(identities.error())};
            const auto releases =
                history::known_releases(transaction, settings, build.get(), previous.get());
            const auto release = build ? build->release() : Release{};
            settle_rows(transaction, *identities, release, releases);
            if (what == Outdated::told)
                if (auto old = outdated(*identities, asked, release, releases); !old.empty())
                    return {std::move(old), std::nullopt};
            return {{},
                    load_list({transaction, settings, build, releases, can_have_mass_changes()},
                              recorded_once(std::move(*identities)), window)};
        });
    }

    static void settle_rows(Transaction& transaction, std::vector<history::Identity>& identities,
                            const Release& release, const tables::Releases& releases) {
        std::vector<tables::ObjectRow*> rows;
        for (auto& identity : identities)
            if (identity.row) rows.push_back(&*identity.row);
        tables::settle_all(transaction, rows, release, releases);
    }

    // What is neither recorded nor in the build is nothing to wait for.
    static std::vector<ObjectName> outdated(const std::vector<history::Identity>& identities,
                                            const std::vector<ObjectName>& asked,
                                            const Release& release,
                                            const tables::Releases& releases) {
        std::vector<ObjectName> found;
        for (std::size_t at = 0; at < identities.size(); ++at) {
            const auto& [row, spelling] = identities[at];
            if (row ? !history::is_compared(*row, release, releases) : spelling.has_value())
                found.push_back(asked[at]);
        }
        return found;
    }

    static std::vector<history::Identity> recorded_once(
        std::vector<history::Identity> identities) {
        std::set<std::int64_t> seen;
        std::erase_if(identities, [&](const history::Identity& identity) {
            return !identity.row || !seen.insert(identity.row->oid).second;
        });
        return identities;
    }

    Result<Listed> list(const std::vector<ObjectName>& asked, const PageRequest& window) {
        const auto builds = current.builds();
        auto attempt =
            read_list(asked, window, builds, builds.build ? Outdated::told : Outdated::taken);
        std::optional<base::Error> trouble;
        if (!builds.build)
            trouble = base::Error{base::Kind::unavailable, "no build: " + current.why()};
        for (const auto& object : attempt.outdated) {
            const auto fresh = bring_up_to_date(object, builds.build, builds.previous);
            if (fresh || fresh.error().kind == base::Kind::absent) continue;
            tell_not_refreshed(object, fresh.error());
            trouble = fresh.error();
        }
        if (!attempt.list) attempt = read_list(asked, window, builds, Outdated::taken);
        auto& read = *attempt.list;
        if (!read && trouble && read.error().kind == base::Kind::absent)
            return tl::unexpected(*trouble);
        if (!read) return tl::unexpected(read.error());
        read->people = curators.of(settings, builds.build);
        return Listed{std::move(*read), !trouble};
    }

    void write(const std::map<ObjectName, std::int64_t>& counted) {
        const store::Value today{
            base::format_date(std::chrono::floor<std::chrono::days>(clock()))};
        store::perform(pool, Access::write, [&](Transaction& transaction) {
            for (const auto& [object, count] : counted)
                transaction.execute("UPDATE objects SET hits = hits + ?, last_requested = ?"
                                    " WHERE class = ? AND name = ?",
                                    {store::Value{count}, today, store::Value{object.class_name},
                                     store::Value{object.name}});
        });
    }
};

HistoryService::HistoryService(store::Pool& pool, history::CurrentBuild& current,
                               history::Settings settings, base::Clock clock)
    : state_(std::make_unique<State>(pool, current, std::move(settings), std::move(clock))) {}
HistoryService::~HistoryService() = default;

CacheVersion HistoryService::cache_version() {
    const auto build = state_->current.build();
    CacheVersion moment;
    if (build) {
        moment.version = build->release().version;
        moment.build_digest = build->digest();
    }
    state_->refresh_generation();
    const std::lock_guard lock(state_->moment_mutex);
    moment.generation = state_->generation;
    moment.store_reachable = state_->store_reachable;
    return moment;
}

Result<HistoryService::Answer> HistoryService::history_of(const ObjectName& asked,
                                                          const PageRequest& window) {
    try {
        return state_->answer(asked, window);
    } catch (const store::Failure& failure) {
        base::log::error("store not reachable", {{"error", failure.what()}});
        return tl::unexpected(store_is_down());
    }
}

Result<HistoryService::Listed> HistoryService::watch_list(const std::vector<ObjectName>& asked,
                                                          const PageRequest& window) {
    try {
        return state_->list(asked, window);
    } catch (const store::Failure& failure) {
        base::log::error("store not reachable", {{"error", failure.what()}});
        return tl::unexpected(store_is_down());
    }
}

ReadContext HistoryService::read_context() const {
    auto builds = state_->current.builds();
    auto people = state_->curators.of(state_->settings, builds.build);
    return {state_->pool, state_->settings, std::move(builds), std::move(people)};
}

std::uint64_t HistoryService::computations() const { return state_->computations; }

void HistoryService::note_hit(const ObjectName& object) {
    const std::lock_guard lock(state_->hits_mutex);
    if (state_->hits.size() < most_hits || state_->hits.contains(object)) ++state_->hits[object];
}

void HistoryService::flush_hits() {
    std::map<ObjectName, std::int64_t> hits;
    {
        const std::lock_guard lock(state_->hits_mutex);
        hits.swap(state_->hits);
    }
    if (hits.empty()) return;
    try {
        state_->write(hits);
    } catch (const store::Failure&) {
        const std::lock_guard lock(state_->hits_mutex);
        for (const auto& [object, count] : hits) state_->hits[object] += count;
        throw;
    }
}

}  // namespace query
