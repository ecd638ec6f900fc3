// history/first_sight_sample.hpp -- predicts how much the first sight of a build would report (rule
// C4): so much that its timestamps hardly come from curators?
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "history/build_view.hpp"

namespace history {

// Of about 1,000 objects spread over a build, those that are not recorded and not new.
struct FirstSightSample {
    std::size_t objects = 0;
    std::size_t reported = 0;  // objects that would get rows
    // In how many of these each user's timestamps are, most first.
    std::vector<std::pair<std::string, std::size_t>> users;
};

// Writes nothing. Safe from any thread.
//   error   unavailable: an object cannot be loaded, because the build cannot be reached
//   throws  store::Failure
//   cost    a query for 64 objects; loads those that are not recorded
[[nodiscard]] base::Result<FirstSightSample> sample_first_sight(const BuildView& view);

}  // namespace history
