// tree/restore.hpp -- trees from texts that shorten their tags' paths: `dump` without -T and
// curators write `CGC_name "unc-26"` for what is Identity > Name > CGC_name > unc-26.
// Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tree/model.hpp"
#include "tree/object.hpp"

namespace tree {

// Puts each tag that stands nowhere below its parent's place, by the models, behind the tags that
// lead there (in #hashes too), and tells the kinds of all cells anew. Equal tags on the way
// become one. A tree that is whole stays as it is; what the models don't know stays where it is,
// and so does a tag that would come to stand deeper than deepest_node.
//   place  of the object's class (Models::of_class); unknown: nothing changes
//   cost   O(nodes * tags on a way) expected
void restore_paths(std::vector<Node>& nodes, const Models& models, Models::Place place);

}  // namespace tree
