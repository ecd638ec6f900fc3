// release/releases.hpp -- the releases that are known, and what is recorded of each.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/release.hpp"
#include "history/refresh.hpp"
#include "store/pool.hpp"

namespace release {

struct Listed {
    base::Release release;
    bool is_current = false;     // source.path holds its build
    bool is_newest = false;      // the last of the list
    bool has_digest = false;     // its build was served once
    bool is_all_warmed = false;  // a job has finished all classes of the build
    std::uint64_t warmed = 0;    // classes that jobs have finished
    std::uint64_t failed = 0;    // objects that a job could not read
    std::uint64_t compared = 0;  // objects whose row says that it was compared in it last
    std::map<tables::RowKind, std::uint64_t> rows =
        {};  // of history; kinds without a row are left out
    bool operator==(const Listed&) const = default;
};

// Recorded, configured, and the current build's; oldest first.
//   current  of the build at source.path; nullopt: there is none
//   throws   store::Failure
//   cost     reads an index of `history` and the table `objects` from end to end
[[nodiscard]] std::vector<Listed> list_releases(store::Pool& pool,
                                                const history::Settings& settings,
                                                const std::optional<base::Release>& current);

}  // namespace release
