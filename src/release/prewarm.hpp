// release/warm.hpp -- the release job: objects of a build brought up to date before anybody asks
// for them, by any number of threads, processes and hosts together, beside a site that answers.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <functional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "history/batch.hpp"
#include "release/kept.hpp"
#include "release/mass_change.hpp"
#include "release/tally.hpp"
#include "source/source.hpp"

namespace release {

// What to warm.
struct Everything {};
struct OfClass {
    std::string class_name;  // as the build spells it
};
using Objects = std::vector<ObjectName>;
using Selection = std::variant<Everything, OfClass, Objects>;

// The objects most asked for, at most so many: by hits, then by age of their rows.
//   throws  Failure
[[nodiscard]] Objects most_requested(store::Pool& pool, std::size_t most);

struct Warming {
    history::Context desk;
    source::Build build;
    source::Build previous;  // the kept index of the release before; may be nullptr
    Selection what;
    // The kept index of a release as it was recorded; nullptr: there is none. Asked once for
    // each.
    std::function<source::Build(const std::string& version, const std::string& digest)> kept = {};
    std::size_t threads = 1;
    MassChangeSettings mass_change = {};

    // For tests.
    std::uint64_t part_objects = 20'000;  // of the build in one part
    std::size_t batch_objects = 1024;
    std::chrono::seconds lease{30};
    std::function<bool(const std::string& worker)> is_gone = {};  // empty: release::is_gone
    std::function<std::string(std::size_t)> worker_name = {};     // empty: that of leases.hpp
};

// Read by others while the job runs.
struct Progress {
    std::atomic<std::uint64_t> done = 0, all = 0;  // steps: objects and rows to look at
};

struct Warmed {
    Tally tally;  // of all parts, whoever did them
    std::vector<MassChange> mass_changes;
    bool finished = false;         // false: stopped before the end
    bool finished_before = false;  // nothing was left but to try what had failed again
};

// Brings the selection up to date with the build. Stopped, killed or failed, it goes on where it
// was when it is run again, and the outcome is that of one run.
//   stop    ends it after the transactions that are running
//   error   unavailable: build or store can't be read or written; conflict: the release is
//           recorded with other content
//   threads one job a process
//   memory  some megabytes a thread, whatever the size of the build
[[nodiscard]] base::Result<Warmed> warm(const Warming& warming, Progress& progress,
                                        const std::stop_token& stop);

}  // namespace release
