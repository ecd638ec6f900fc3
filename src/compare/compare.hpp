// compare/compare.hpp -- what changed between two trees of one object.
// Pure: no clock, no I/O, no globals. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "base/result.hpp"
#include "compare/change.hpp"
#include "tree/model.hpp"
#include "tree/object.hpp"

namespace compare {

// Returns the changes that turn `before` into `after`: the topmost nodes that differ. Under each
// parent they follow the order of `after`, and removed nodes come last.
//   before, after  n and m nodes, duplicates merged (tree::merge_duplicates)
//   models, position  tell what is UNIQUE (rule C3); with Models::unknown nothing is
//   returns        0 … n + m changes; empty means equal content (rule C1)
//   deep trees     where the paths of all changes would be too long (PathLimit), a node below 16
//                  others that differs anywhere in it is one change: replaced, with both sides
//   cost           O(n + m) expected time, O(n + m) space
//   source         docs/compare.md, rules C1, C3, C7
[[nodiscard]] std::vector<Change> compare(const std::vector<tree::Node>& before,
                                          const std::vector<tree::Node>& after,
                                          const tree::Models& models,
                                          tree::Models::Position position);

// Applies changes to a tree. Rule C7: applying compare(before, after) to `before` gives the content
// of `after`.
//   error  conflict: a change does not fit the tree (its path or node does not exist)
[[nodiscard]] base::Result<std::vector<tree::Node>> apply(std::vector<tree::Node> before,
                                                          const std::vector<Change>& changes);

// Returns the opposite changes: apply(after, reversed(compare(before, after))) = before.
[[nodiscard]] std::vector<Change> reversed(std::vector<Change> changes);

}  // namespace compare
