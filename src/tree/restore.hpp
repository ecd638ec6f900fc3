// tree/restore.hpp -- completes shortened paths of tags: `dump` without -T writes
// `CGC_name "unc-26"` for Identity > Name > CGC_name > unc-26.
// Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tree/model.hpp"
#include "tree/object.hpp"

namespace tree {

// Inserts the missing tags above each tag that the models do not allow below its parent (in #hashes
// too), and determines the kinds of all cells again. Equal inserted tags become one. Complete trees
// and tags that the models do not know stay as they are, and so does a tag that would come to lie
// deeper than deepest_node.
//   position  of the object's class (Models::of_class); unknown: nothing changes
//   cost      O(nodes * tags on a path) expected
void restore_paths(std::vector<Node>& nodes, const Models& models, Models::Position position);

}  // namespace tree
