// release/releases.hpp -- the known releases, and what is recorded of each.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "base/release.hpp"
#include "history/context.hpp"
#include "store/pool.hpp"
#include "tables/release_rows.hpp"

namespace release {

struct ListedRelease {
    base::Release release;
    tables::ReleaseCounts counts;
    bool is_current = false;  // source.path holds its build
    bool is_newest = false;   // the last of the list
    bool operator==(const ListedRelease&) const = default;
};

// Lists the releases that are recorded or configured, and that of the current build; oldest first.
//   current  of the build at source.path; nullopt: there is none
//   throws   store::Failure
//   cost     reads an index of `history` and the table `objects` from end to end
[[nodiscard]] std::vector<ListedRelease> list_releases(
    store::Pool& pool, const history::Settings& settings,
    const std::optional<base::Release>& current);

}  // namespace release
