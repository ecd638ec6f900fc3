// SPDX-License-Identifier: MIT
#include "history/ledger.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>

#include "base/log.hpp"
#include "base/text.hpp"
#include "history/mass_changes.hpp"
#include "history/tables.hpp"

namespace history {
namespace {

using base::Result;
using store::Access;
using store::Transaction;

// Of more objects than this hits are not counted until the next write: memory is bounded.
constexpr std::size_t most_hits = 50'000;

// One thread computes an object, others wait for it.
class InFlight {
   public:
    class Turn {
       public:
        Turn(InFlight& flight, std::string key) : flight_(flight), key_(std::move(key)) {
            std::unique_lock lock(flight_.mutex_);
            flight_.done_.wait(lock, [&] { return flight_.keys_.insert(key_).second; });
        }
        ~Turn() {
            const std::lock_guard lock(flight_.mutex_);
            flight_.keys_.erase(key_);
            flight_.done_.notify_all();
        }
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;

       private:
        InFlight& flight_;
        std::string key_;
    };

   private:
    std::mutex mutex_;
    std::condition_variable done_;
    std::set<std::string> keys_;
};

std::string key_of(const ObjectName& asked) {
    return base::fold_ascii(asked.class_name) + '\0' + base::fold_ascii(asked.name);
}

base::Error store_is_down() { return {base::Kind::unavailable, "the store can't be reached"}; }

}  // namespace

struct Ledger::State {
    store::Pool& pool;
    CurrentBuild& current;
    Settings settings;
    base::Clock clock;
    Renames renames;
    InFlight in_flight;

    std::mutex moment_mutex;  // of what follows
    base::Seconds generation_read_at{};
    bool reading_generation = false;  // some thread is; the others take what is known
    std::int64_t generation = 0;
    bool may_have_mass_changes = true;  // as of the generation; true: not known yet
    bool store_reachable = true;

    std::mutex hits_mutex;
    std::map<ObjectName, std::int64_t> hits;

    [[nodiscard]] Desk desk() { return {pool, settings, clock, renames}; }

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
            const Read read{history::generation(transaction), has_mass_changes(transaction)};
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
    Result<Identity> bring_up_to_date(const ObjectName& asked, const source::Build& build,
                                      const source::Build& previous) {
        if (!build) return base::fail(base::Kind::unavailable, "no build: " + current.why());
        try {
            const InFlight::Turn turn(in_flight, key_of(asked));
            auto done = refresh(desk(), *build, previous.get(), asked);
            if (!done) return tl::unexpected(done.error());
            if (done->wrote_history) forget_generation();
            return Identity{std::move(done->row), std::move(done->spelling)};
        } catch (const store::Failure& failure) {
            // A store that can't be written may still be read.
            base::log::error("history not recorded", {{"error", failure.what()}});
            return tl::unexpected(store_is_down());
        }
    }

    Result<Identity> as_recorded(const ObjectName& asked, const source::Build& build) {
        return store::perform(pool, Access::read, [&](Transaction& transaction) {
            auto identity = identify(transaction, build.get(), asked);
            if (identity && identity->row)
                settle(transaction, *identity->row, {},
                       known_releases(transaction, settings, build.get(), nullptr));
            return identity;
        });
    }

    Result<Answer> answer(const ObjectName& asked, const Window& window) {
        const auto [build, previous] = current.builds();
        auto compared = if_compared(asked, window, build, previous);
        if (!compared) return tl::unexpected(compared.error());
        if (*compared) return Answer{std::move(**compared), true};
        const auto fresh = bring_up_to_date(asked, build, previous);
        if (!fresh && fresh.error().kind == base::Kind::absent)
            return tl::unexpected(fresh.error());
        if (!fresh)
            base::log::warning("object not refreshed", {{"class", asked.class_name},
                                                        {"name", asked.name},
                                                        {"reason", fresh.error().text}});
        const auto identity = fresh ? fresh : as_recorded(asked, build);
        if (!identity || !identity->row) return tl::unexpected(fresh.error());
        auto history = store::perform(pool, Access::read, [&](Transaction& transaction) {
            const auto releases =
                known_releases(transaction, settings, build.get(), previous.get());
            return load(transaction, *identity, build, window, releases);
        });
        if (!history) return tl::unexpected(history.error());
        return Answer{std::move(*history), fresh.has_value()};
    }

    // The common case in one transaction: nothing is to be done but to read. nullopt: there is.
    Result<std::optional<History>> if_compared(const ObjectName& asked, const Window& window,
                                               const source::Build& build,
                                               const source::Build& previous) {
        using Found = Result<std::optional<History>>;
        if (!build) return std::nullopt;
        return store::perform(pool, Access::read, [&](Transaction& transaction) -> Found {
            auto identity = identify(transaction, build.get(), asked);
            if (!identity) return tl::unexpected(identity.error());
            if (!identity->row) return std::nullopt;
            const auto releases =
                known_releases(transaction, settings, build.get(), previous.get());
            settle(transaction, *identity->row, build->release(), releases);
            if (!is_compared(*identity->row, build->release(), releases)) return std::nullopt;
            auto history = load(transaction, *identity, build, window, releases);
            if (!history) return tl::unexpected(history.error());
            return std::optional(std::move(*history));
        });
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

    // The release to answer from when no build is there: the one the object was compared in.
    [[nodiscard]] static Release release_of(const source::Build& build, const Releases& releases,
                                            const ObjectRow& row) {
        if (build) return build->release();
        const auto* release = releases.find(row.compared_in);
        return release != nullptr ? *release : Release{row.compared_in, row.last_modified};
    }

    // The row as it was in the current release, if a newer one is recorded: what a build brings
    // that was warmed before the switch is not shown before it.
    Result<ObjectRow> as_of(Transaction& transaction, ObjectRow row, const Release& release,
                            const Releases& releases) const {
        if (!releases.is_later(row.ace_version, release.version)) return row;
        const auto known = tree_as_of(transaction, row.oid, release, releases);
        if (!known) return tl::unexpected(known.error());
        if (known->is_newest) return row;
        row.last_modified = settings.first_seen_since;
        row.label = row.object.name;
        if (known->tree) row.label = label_of(known->tree->nodes, row.object, settings.names);
        for (const auto& each : transaction.query(
                 "SELECT version, date FROM history WHERE oid = ?", {store::Value{row.oid}})) {
            const auto date = base::parse_date(each.text(1));
            if (date && !releases.is_later(each.text(0), release.version))
                row.last_modified = std::max(row.last_modified, *date);
        }
        return row;
    }

    Result<History> load(Transaction& transaction, const Identity& identity,
                         const source::Build& build, const Window& window,
                         const Releases& releases) {
        const auto release = release_of(build, releases, *identity.row);
        const auto then = as_of(transaction, *identity.row, release, releases);
        if (!then) return tl::unexpected(then.error());
        const auto& row = *then;
        History history;
        history.object = row.object;
        history.spelling = identity.spelling.value_or(row.object);
        history.label = row.label.empty() ? row.object.name : row.label;
        history.oid = row.oid;
        history.current = release;
        history.last_modified = row.last_modified;
        history.vanished = build ? !identity.spelling : row.signature.empty();
        auto rows = load_rows(transaction, row, history.current, window, releases);
        if (!rows) return tl::unexpected(rows.error());
        // Known from a newer release only: the current build decides.
        if (build && history.vanished && rows->recorded == 0)
            return base::fail(base::Kind::absent, row.object.class_name + " " + row.object.name +
                                                      " is not in " + history.current.version);
        history.rows = std::move(rows->rows);
        history.recorded = rows->recorded;
        if (can_have_mass_changes())
            history.mass_changes = mass_changes_of(transaction, history.rows);
        return history;
    }
};

Ledger::Ledger(store::Pool& pool, CurrentBuild& current, Settings settings, base::Clock clock)
    : state_(std::make_unique<State>(pool, current, std::move(settings), std::move(clock))) {}
Ledger::~Ledger() = default;

Moment Ledger::moment() {
    const auto build = state_->current.build();
    Moment moment;
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

Result<Ledger::Answer> Ledger::history_of(const ObjectName& asked, const Window& window) {
    try {
        return state_->answer(asked, window);
    } catch (const store::Failure& failure) {
        base::log::error("store not reachable", {{"error", failure.what()}});
        return tl::unexpected(store_is_down());
    }
}

void Ledger::note_hit(const ObjectName& object) {
    const std::lock_guard lock(state_->hits_mutex);
    if (state_->hits.size() < most_hits || state_->hits.contains(object)) ++state_->hits[object];
}

void Ledger::flush_hits() {
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

}  // namespace history
