// compare/ignored.hpp -- what is left out of comparing: housekeeping tags, huge computed tables
// ([ignore] of the configuration). Trees are stored whole, signed whole and compared whole; what
// is ignored is taken out of what a comparison found, so that a new list invents no change.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/change.hpp"
#include "tree/object.hpp"

namespace compare {

// Class -> paths of tags, ASCII case aside in both. A path of one tag leaves that tag out
// wherever it stands, with all below it; a longer one where it leads to from the object down, tag
// by tag. Class "*": every class. A class that stands here twice has the paths of both.
using Ignored = std::vector<std::pair<std::string, std::vector<std::vector<std::string>>>>;

// The changes without what is ignored in this class: one at an ignored place goes, from subtrees
// what is ignored is taken out, and a tag that has nothing left because of that goes too. A
// replacement of which one side goes is an addition or a removal.
//   returns  in their order; two trees that differ in ignored places alone have none
//   cost     O(nodes of the changes), nothing where nothing is ignored in the class; no copies
[[nodiscard]] std::vector<Change> without_ignored(std::vector<Change> changes,
                                                  const Ignored& ignored,
                                                  std::string_view class_name);

// The same of a tree, for what is read from its timestamps.
//   returns  a copy of what is left; nullopt: nothing is ignored in this class
[[nodiscard]] std::optional<std::vector<tree::Node>> without_ignored(
    const std::vector<tree::Node>& nodes, const Ignored& ignored, std::string_view class_name);

}  // namespace compare
