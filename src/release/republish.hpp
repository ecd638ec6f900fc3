// release/replace.hpp -- a release that was published again with other content: its rows computed
// anew against the trees of the release before, in one step for those who read.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "release/warm.hpp"

namespace release {

struct Replacing {
    history::Context desk;
    source::Build build;     // as it is published again, whole and judged
    source::Build previous;  // the kept index of the release before; may be nullptr
    // The kept index of the build that is recorded of this version; nullptr: there is none, and
    // every object is looked at. Asked once.
    std::function<source::Build(const std::string& version, const std::string& digest)> kept = {};
    std::size_t threads = 1;
    MassChangeSettings mass_change = {};

    // For tests.
    std::int64_t part_rows = 20'000;  // oids in one part
    std::chrono::seconds lease{30};
    std::function<bool(const std::string& worker)> is_gone = {};  // empty: release::is_gone
};

struct Replaced {
    // Of the objects compared in this release. Added: had no row in `objects`, and has one in a
    // class that was warmed; changed: the row of the release is new or another.
    Tally tally;
    std::vector<MassChange> mass_changes;
    bool finished = false;  // false: stopped before the end
};

// Replaces the rows of the build's release. Until all of them are computed, readers see the old
// ones; from then on the new ones, which are then moved into place. Stopped, killed or failed at
// any point, it goes on where it was when it is run again with this build; run with another one
// before readers see the new rows, it begins anew.
//   error   refused: the release is not recorded, or not the newest, or of another day, or with
//           this very content; unavailable: build or store can't be read or written
//   threads one job a process; others may work on the same one
//   memory  some megabytes a thread, and a bit for each object
[[nodiscard]] base::Result<Replaced> replace(const Replacing& replacing, Progress& progress,
                                             const std::stop_token& stop);

}  // namespace release
