// history/past.hpp -- the tree an object had in an earlier release, where it is known.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "history/refresh.hpp"
#include "history/tables.hpp"

namespace history {

struct PastTree {
    Release release;
    bool there = true;  // false: the object was not in that release
    std::vector<tree::Node> nodes;
};

// The tree as of a release. Known are the releases a tree was stored in, those a change was
// compared with, and all between them.
//   error   malformed: no release of that version is known; absent: nothing is known of the
//           object then, the text names the nearest release of which something is
//   throws  store::Failure
[[nodiscard]] base::Result<PastTree> tree_in(store::Pool& pool, const Settings& settings,
                                             const ObjectRow& object, std::string_view version);

}  // namespace history
