// query/history_service.hpp -- the history of objects up to the current build, after having brought
// them up to date. The server and the commands use it.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/date.hpp"
#include "base/result.hpp"
#include "history/context.hpp"
#include "history/current.hpp"
#include "query/context.hpp"
#include "query/history_page.hpp"
#include "store/pool.hpp"
#include "tables/watch_lists.hpp"

namespace query {

using tables::is_watch_list_id;

// The build that requests are answered from.
struct ServedBuild {
    std::string version;  // of its release; empty: no build has been accepted yet
    std::string digest;
    bool operator==(const ServedBuild&) const = default;
};

class HistoryService {
   public:
    // Asks `current` for the build at each request. The caller keeps `pool` and `current` alive.
    //   long_pages  how many of them are read at the same time
    HistoryService(store::Pool& pool, history::CurrentBuild& current, history::Settings settings,
                   base::Clock clock, base::Gate::Limits long_pages = {});
    ~HistoryService();

    [[nodiscard]] ServedBuild served_build() const;

    struct Answer {
        History history;
        bool up_to_date = true;  // false: the build cannot be reached; history as it is recorded
    };
    // Returns the history of an object, which is compared in the current release now unless it was
    // before.
    //   error   absent (never was in a build); unavailable (nothing recorded, and the build or
    //           store cannot be reached; or too many long pages are read); malformed / too_large
    //           (the object cannot be read); refused (the page begins after a release that is not known)
    //   cost    one computation per object and build in a process: others wait for its result
    [[nodiscard]] base::Result<Answer> history_of(const ObjectName& asked,
                                                  const PageRequest& request);

    struct Listed {
        WatchList list;
        bool up_to_date = true;  // false: some of them are as they were recorded last
        // Of those that were asked for: in the build, but not readable, and never recorded. Sorted.
        std::vector<ObjectName> unreadable = {};
    };
    // Returns the same of several objects, merged: newest release first, then class, name.
    //   asked  1 … 200, in any spelling; those that mean the same object count once
    //   error  absent: none of them is known; unavailable: nor can the build or store be reached, or
    //          too many long pages are read; refused as above
    //   cost   objects that are compared already are read together, 64 a query: 200 of them
    //          take some 5 ms from SQLite. Each of the others costs what history_of() does
    [[nodiscard]] base::Result<Listed> watch_list(const std::vector<ObjectName>& asked,
                                                  const PageRequest& request);

    // Returns the context of other reads, as of the build that is current now. It refers to this
    // service.
    [[nodiscard]] ReadContext read_context() const;

    // True for a minute after the store refused to record something for want of room or permission.
    [[nodiscard]] bool failed_to_record() const;

    // Objects that were loaded and compared so far; for /metrics.
    [[nodiscard]] std::uint64_t computations() const;

    // Counts a request for /rss of this object; written to the store every minute by flush_hits.
    void note_hit(const ObjectName& object);

    // Returns the objects of the watch list that is kept under a short address.
    //   error  absent; unavailable (the store cannot be reached)
    //   cost   a look-up by key
    [[nodiscard]] base::Result<std::vector<ObjectName>> kept_list(const std::string& id) const;
    // Keeps a watch list, and returns its id, which is made of the objects alone: keeping it again
    // changes nothing.
    //   objects  sorted, each once
    //   error    too_large: the list is longer than tables::longest_watch_list; refused: there are as
    //            many lists as may be kept; conflict: another list has this id; unavailable
    [[nodiscard]] base::Result<std::string> keep_list(std::vector<ObjectName> objects);
    // Notes that a kept list was used today; written as hits are.
    void note_use_of_list(const std::string& id);
    // Writes the counts in transactions of 500 objects. What could not be written stays for the next
    // call.
    //   throws  store::Failure
    void flush_hits();

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace query
