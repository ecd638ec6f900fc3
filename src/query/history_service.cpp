// SPDX-License-Identifier: MIT
#include "query/history_service.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <type_traits>

#include "base/log.hpp"
#include "base/single_flight.hpp"
#include "base/text.hpp"
#include "history/recorder.hpp"
#include "history/rename_candidates.hpp"
#include "query/histories.hpp"

namespace query {
namespace {

using base::Result;
using store::Access;
using store::Transaction;

// Requests for more objects than this are not counted until the next write: memory is bounded.
constexpr std::size_t most_hits = 50'000;
// Objects whose requests are counted in one transaction.
constexpr std::size_t hits_at_once = 500;

constexpr std::chrono::minutes failure_counts_for{1};

base::Error store_is_down() {
    return {base::ErrorKind::unavailable, "the store cannot be reached"};
}

// Returns what `read` returns, or why it cannot be read now.
template <class Read>
auto read_or_unavailable(Read&& read) -> decltype(read()) {
    try {
        return read();
    } catch (const store::Failure& failure) {
        base::log::error("store not reachable", {{"error", failure.what()}});
        return tl::unexpected(store_is_down());
    } catch (const Busy& busy) {
        return base::fail(base::ErrorKind::unavailable, busy.what());
    }
}

// Returns whether a recorded object has to be compared with the build. Where another publication of the release is in
// force, what is recorded is all there is.
//   needs  a build
Result<bool> is_outdated(const ReadView& now, const history::Identity& identity) {
    const auto& build = *now.build();
    if (now.known->is_superseded) return false;
    const auto number = now.number();
    if (number == 0) return !build.skips(identity.row->object.class_name);
    const auto is_done = history::is_up_to_date(identity, build, number);
    if (!is_done) return is_done;
    return !*is_done;
}

// Returns the objects that are not up to date. An object that is neither recorded nor in the build is not
// among them.
//   error  what a look-up in the build met
Result<std::vector<ObjectName>> outdated_among(const ReadView& now,
                                               const std::vector<ObjectName>& asked,
                                               const std::vector<history::Identity>& identities) {
    std::vector<ObjectName> outdated;
    if (now.build() == nullptr) return outdated;
    for (std::size_t at = 0; at < identities.size(); ++at) {
        const auto& identity = identities[at];
        const auto is_due = identity.row ? is_outdated(now, identity)
                                         : Result<bool>(identity.spelling.has_value());
        if (!is_due) return tl::unexpected(is_due.error());
        if (*is_due) outdated.push_back(asked[at]);
    }
    return outdated;
}

std::vector<history::Identity> recorded_once(std::vector<history::Identity> identities) {
    std::set<std::int64_t> seen;
    std::erase_if(identities, [&](const history::Identity& identity) {
        return !identity.row || !seen.insert(identity.row->oid).second;
    });
    return identities;
}

}  // namespace

struct HistoryService::State {
    State(store::Pool& pool_, history::CurrentBuild& current_, history::Settings settings_,
          base::Clock clock_, base::Gate::Limits long_pages)
        : pool(pool_), current(current_), settings(std::move(settings_)),
          clock(std::move(clock_)), shared(clock, long_pages) {}

    store::Pool& pool;
    history::CurrentBuild& current;
    history::Settings settings;
    base::Clock clock;
    SharedReads shared;
    history::RenameCandidates rename_candidates;
    history::LabelCache labels;
    Curators curators;
    std::atomic<std::uint64_t> computations = 0;
    std::atomic<base::Seconds> record_failed_at = base::Seconds{};

    // Computations of one object with one build.
    base::SingleFlight<std::pair<ObjectName, std::string>, Result<void>> recording;
    std::mutex hits_mutex;
    std::map<ObjectName, std::int64_t> hits;
    std::set<std::string> used_lists;

    [[nodiscard]] ReadContext context() {
        auto builds = current.builds();
        auto people = curators.of(settings, builds.build);
        return {pool, settings, shared, std::move(builds), std::move(people)};
    }

    // Brings an object up to date, or returns why that cannot be done now.
    Result<void> bring_up_to_date(const ReadContext& context, const ObjectName& asked) {
        return recording.run({asked, context.builds.build->digest()},
                             [&] { return record(context.builds, asked); });
    }

    Result<void> record(const history::Builds& builds, const ObjectName& asked) {
        try {
            const history::Context context{pool, settings, clock, labels};
            const auto others = rename_candidates.bring_up_to_date(context, *builds.build,
                                                                   builds.previous.get(), asked);
            if (!others) return tl::unexpected(others.error());
            auto results = history::bring_up_to_date(context, *builds.build,
                                                     builds.previous.get(), std::span(&asked, 1));
            if (!results) return tl::unexpected(results.error());
            auto& done = results->front();
            if (done.computed) ++computations;
            if (done.wrote_history) record_failed_at = base::Seconds{};
            // The build may have got its number, or another process may have recorded a later one.
            shared.releases.expire();
            if (done.error) return tl::unexpected(*done.error);
            return {};
        } catch (const store::Failure& failure) {
            if (failure.kind().needs_operator) record_failed_at = clock();
            // A store that cannot be written may still be readable.
            base::log::error("history not recorded", {{"error", failure.what()}});
            return tl::unexpected(store_is_down());
        }
    }

    // What to do about objects that are not up to date: return them and no page, or read what is recorded.
    enum class Outdated { returned, accepted };

    template <class Page>
    struct Attempt {
        std::vector<ObjectName> outdated;
        std::optional<Result<Page>> page;
    };
    //   load  Result<Page>(const ReadView&, std::vector<history::Identity>)
    template <class Page, class Load>
    static Attempt<Page> try_to_read(const ReadContext& context,
                                     const std::vector<ObjectName>& asked, const Load& load,
                                     Outdated what) {
        return read(context, [&](const ReadView& now) -> Attempt<Page> {
            auto identities = history::identify(now.transaction, now.build(), asked);
            if (!identities) return {{}, tl::unexpected(identities.error())};
            auto outdated = outdated_among(now, asked, *identities);
            if (!outdated) return {{}, tl::unexpected(outdated.error())};
            if (what == Outdated::returned && !outdated->empty())
                return {std::move(*outdated), std::nullopt};
            return {std::move(*outdated), load(now, std::move(*identities))};
        });
    }

    template <class Page>
    struct Refreshed {
        Page page;
        bool up_to_date = true;
        std::vector<ObjectName> not_read = {};  // that could not be brought up to date
    };
    // Reads a page of objects, after having brought them up to date. Most are, and then they are only read.
    template <class Page, class Load>
    Result<Refreshed<Page>> refreshed(const std::vector<ObjectName>& asked, const Load& load) {
        const auto context = this->context();
        std::optional<base::Error> trouble;  // why some are not up to date
        if (!context.builds.build)
            trouble = base::Error{base::ErrorKind::unavailable, "no build: " + current.why()};
        auto attempt = try_to_read<Page>(context, asked, load,
                                         trouble ? Outdated::accepted : Outdated::returned);
        std::vector<ObjectName> not_read;
        if (!attempt.page) {
            std::set<ObjectName> done;
            for (const auto& object : attempt.outdated) {
                const auto fresh = bring_up_to_date(context, object);
                if (fresh) done.insert(object);
                if (fresh || fresh.error().kind == base::ErrorKind::absent) continue;
                trouble = fresh.error();
                base::log::warning("object not refreshed", {{"class", object.class_name},
                                                            {"name", object.name},
                                                            {"reason", trouble->text}});
                not_read.push_back(object);
            }
            attempt = try_to_read<Page>(context, asked, load, Outdated::accepted);
            // A node that its cluster has dropped does not know that at once, and may answer from before
            // it: then what another node has committed is not there.
            for (const auto& object : attempt.outdated)
                if (done.contains(object)) {
                    base::log::error("the store is behind what was just written to it",
                                     {{"class", object.class_name}, {"name", object.name}});
                    trouble = store_is_down();
                    not_read.push_back(object);
                }
        }
        auto& page = *attempt.page;
        if (!page && trouble && page.error().kind == base::ErrorKind::absent)
            return tl::unexpected(*trouble);
        if (!page) return tl::unexpected(page.error());
        return Refreshed<Page>{std::move(*page), !trouble, std::move(not_read)};
    }

    Result<Answer> answer(const ObjectName& asked, const PageRequest& request) {
        const auto load = [&](const ReadView& now,
                              std::vector<history::Identity> identities) -> Result<History> {
            const auto& identity = identities.front();
            if (identity.row) return load_history(now, identity, request);
            return base::fail(base::ErrorKind::absent, asked.class_name + " " + asked.name +
                                                           " is not in any known release");
        };
        auto done = refreshed<History>({asked}, load);
        if (!done) return tl::unexpected(done.error());
        return Answer{std::move(done->page), done->up_to_date};
    }

    Result<Listed> list(const std::vector<ObjectName>& asked, const PageRequest& request) {
        const auto load = [&](const ReadView& now, std::vector<history::Identity> identities) {
            return load_list(now, recorded_once(std::move(identities)), request);
        };
        auto done = refreshed<WatchList>(asked, load);
        if (!done) return tl::unexpected(done.error());
        auto& [list, up_to_date, not_read] = *done;
        std::erase_if(not_read, [&, &objects = list.objects](const ObjectName& object) {
            return std::ranges::binary_search(objects, object, {}, &Named::object);
        });
        std::ranges::sort(not_read);
        return Listed{std::move(list), up_to_date, std::move(not_read)};
    }
};

HistoryService::HistoryService(store::Pool& pool, history::CurrentBuild& current,
                               history::Settings settings, base::Clock clock,
                               base::Gate::Limits long_pages)
    : state_(std::make_unique<State>(pool, current, std::move(settings), std::move(clock),
                                     long_pages)) {}
HistoryService::~HistoryService() = default;

ServedBuild HistoryService::served_build() const {
    const auto build = state_->current.build();
    return build ? ServedBuild{build->release().version, build->digest()} : ServedBuild{};
}

Result<HistoryService::Answer> HistoryService::history_of(const ObjectName& asked,
                                                          const PageRequest& request) {
    return read_or_unavailable([&] { return state_->answer(asked, request); });
}

Result<HistoryService::Listed> HistoryService::watch_list(const std::vector<ObjectName>& asked,
                                                          const PageRequest& request) {
    return read_or_unavailable([&] { return state_->list(asked, request); });
}

ReadContext HistoryService::read_context() const { return state_->context(); }

bool HistoryService::failed_to_record() const {
    return state_->clock() < state_->record_failed_at.load() + failure_counts_for;
}

std::uint64_t HistoryService::computations() const { return state_->computations; }

void HistoryService::note_hit(const ObjectName& object) {
    const std::lock_guard lock(state_->hits_mutex);
    if (state_->hits.size() < most_hits || state_->hits.contains(object)) ++state_->hits[object];
}

base::Result<std::vector<ObjectName>> HistoryService::kept_list(const std::string& id) const {
    return read_or_unavailable([&]() -> base::Result<std::vector<ObjectName>> {
        auto objects = store::perform(state_->pool, Access::read, tables::find_watch_list, id);
        if (!objects) return base::fail(base::ErrorKind::absent, "no list is kept under " + id);
        return std::move(*objects);
    });
}

base::Result<std::string> HistoryService::keep_list(std::vector<ObjectName> objects) {
    using tables::KeptList;
    const auto list = tables::watch_list_of(std::move(objects));
    return read_or_unavailable([&]() -> base::Result<std::string> {
        const auto kept = store::perform(state_->pool, Access::write, [&](Transaction& writing) {
            return tables::keep_watch_list(writing, list, state_->clock());
        });
        switch (kept) {
            case KeptList::kept: break;
            case KeptList::too_long:
                return base::fail(base::ErrorKind::too_large, "the list is too long to be kept");
            case KeptList::full:
                return base::fail(base::ErrorKind::refused, "no further list can be kept");
            case KeptList::taken:
                return base::fail(base::ErrorKind::conflict,
                                  "another list has the id " + list.id);
        }
        return list.id;
    });
}

void HistoryService::note_use_of_list(const std::string& id) {
    const std::lock_guard lock(state_->hits_mutex);
    if (state_->used_lists.size() < most_hits) state_->used_lists.insert(id);
}

void HistoryService::flush_hits() {
    std::map<ObjectName, std::int64_t> hits;
    std::set<std::string> used_lists;
    {
        const std::lock_guard lock(state_->hits_mutex);
        hits.swap(state_->hits);
        used_lists.swap(state_->used_lists);
    }
    const auto today = std::chrono::floor<std::chrono::days>(state_->clock());
    // Requests that record something wait for one of these transactions, not for all of them.
    const auto write = [&](auto& all, const auto& write_some) {
        while (!all.empty()) {
            std::remove_reference_t<decltype(all)> some;
            while (!all.empty() && some.size() < hits_at_once)
                some.insert(all.extract(all.begin()));
            try {
                store::perform(state_->pool, Access::write, write_some, some, today);
            } catch (const store::Failure&) {
                all.merge(some);
                const std::lock_guard lock(state_->hits_mutex);
                state_->used_lists.merge(used_lists);
                for (const auto& [object, count] : hits) state_->hits[object] += count;
                throw;
            }
        }
    };
    write(used_lists, tables::note_use_of_lists);
    write(hits, tables::add_requests);
}

}  // namespace query
