// compare/ignored.hpp -- removes ignored paths from changes: housekeeping tags, huge computed tables
// ([ignore] of the configuration). Trees are stored, signed and compared whole, and only the result
// is filtered, so that a new list invents no change.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "compare/change.hpp"
#include "compare/tag_paths.hpp"
#include "tree/object.hpp"

namespace compare {

// Places whose changes are left out.
using Ignored = TagPaths;

// Returns the changes without what is ignored in this class: drops those at ignored paths, removes
// ignored nodes from subtrees, and drops tags that are empty because of that. A replacement that
// loses one side becomes an addition or a removal.
//   returns  in their order; none when the trees differ only in ignored paths
//   cost     O(nodes of the changes); nothing when the class ignores nothing; no copies
[[nodiscard]] std::vector<Change> without_ignored(std::vector<Change> changes,
                                                  const Ignored& ignored,
                                                  std::string_view class_name);

// Does the same for a tree, before its timestamps are read.
//   returns  a copy of what remains; nullopt when the class ignores nothing
[[nodiscard]] std::optional<std::vector<tree::Node>> without_ignored(
    const std::vector<tree::Node>& nodes, const Ignored& ignored, std::string_view class_name);

}  // namespace compare
