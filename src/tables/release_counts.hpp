// tables/release_counts.hpp -- what the store has of each release, counted for operators.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "store/pool.hpp"
#include "tables/rows.hpp"

namespace tables {

struct ReleaseCounts {
    bool has_build = false;        // one was accepted
    bool is_recorded = false;      // a job has compared all objects with the newest
    std::uint64_t unreadable = 0;  // objects that this job could not read
    std::uint64_t compared = 0;    // objects that were compared with a build of it last
    std::map<RowKind, std::uint64_t> rows = {};  // of history; kinds without a row are left out
    bool operator==(const ReleaseCounts&) const = default;
};
// Returns them by version.
//   throws  store::Failure
//   cost    that of count_rows() for all releases, and reads the table `objects` from end to end
[[nodiscard]] std::map<std::string, ReleaseCounts> count_by_release(
    store::Transaction& transaction);

}  // namespace tables
