// query/history_service.hpp -- asked for an object, gives its history up to the current build, after
// having brought it up to date. What serve/ and the commands talk to.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/date.hpp"
#include "base/result.hpp"
#include "history/current.hpp"
#include "history/refresh.hpp"
#include "query/history_page.hpp"
#include "query/query.hpp"
#include "source/source.hpp"
#include "store/pool.hpp"

namespace query {

// What every page depends on beside its own address. Equal moments: equal pages.
struct CacheVersion {
    std::string version;  // current release; empty: no build has been accepted yet
    std::string build_digest;
    std::int64_t generation = 0;  // moves on with every write of history
    bool store_reachable = true;  // false: generation is the last one seen
    bool operator==(const CacheVersion&) const = default;
};

class HistoryService {
   public:
    // The current build is asked of `current` at each request. `pool` and `current` outlive it.
    HistoryService(store::Pool& pool, history::CurrentBuild& current, history::Settings settings,
                   base::Clock clock);
    ~HistoryService();

    // Cheap: a read of atomics; the generation is read from the store at most once a second.
    [[nodiscard]] CacheVersion cache_version();

    struct Answer {
        History history;
        bool up_to_date = true;  // false: the build can't be reached; history as it stands
    };
    // The history of an object, compared in the current release already or now.
    //   window  which rows
    //   error   absent (never was in a build); unavailable (nothing recorded, and the build or
    //           store can't be reached); malformed / too_large (the object can't be read);
    //           refused (the window begins after a release that is not known)
    //   cost    one computation per object and release in a process: others wait for it
    [[nodiscard]] base::Result<Answer> history_of(const ObjectName& asked,
                                                  const PageRequest& window);

    struct Listed {
        WatchList list;
        bool up_to_date = true;  // false: some of them are as they were recorded last
    };
    // The same of several objects, merged: newest release first, then class, name.
    //   asked  1 … 200, spelled anyhow; those that mean the same object count once
    //   error  absent: none of them is known; unavailable: and the build or store is away;
    //          refused as above
    //   cost   objects that are compared already are read together, 64 a query: 200 of them
    //          take some 5 ms from SQLite. The others cost what history_of does, each
    [[nodiscard]] base::Result<Listed> watch_list(const std::vector<ObjectName>& asked,
                                                  const PageRequest& window);

    // For what is read beside (query/query.hpp), as of the build that is current now.
    [[nodiscard]] ReadContext read_context() const;

    // Objects that were loaded and compared so far; for /metrics.
    [[nodiscard]] std::uint64_t computations() const;

    // Counts a request for /rss of this object; written to the store every minute by flush_hits.
    void note_hit(const ObjectName& object);
    void flush_hits();

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace query
