// source/live_index.hpp -- the index of a running AceDB: found, or made of what it lists.
// SPDX-License-Identifier: MIT
#pragma once

#include "base/release.hpp"
#include "base/result.hpp"
#include "source/acedb/build.hpp"
#include "source/index.hpp"
#include "tree/model.hpp"

namespace source::acedb {

struct LiveIndex {
    Index index;
    tree::Models models;
};

// The index of this database as it is now, and its models, which lie beside it as
// VERSION.models. Made where there is none of this release and identity; a lock keeps two
// processes from making it at once.
//   status   what the database says of itself now
//   error    as open_build (source/live_build.hpp)
[[nodiscard]] base::Result<LiveIndex> open_live_index(const BuildSettings& settings,
                                                      const Status& status,
                                                      const base::Release& release);

}  // namespace source::acedb
