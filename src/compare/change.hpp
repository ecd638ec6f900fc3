// compare/change.hpp -- one place in the tree that a release added, removed or replaced.
// Plain values.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tree/object.hpp"

namespace compare {

enum class Op : unsigned char { added, removed, replaced };

struct Change {
    Op op = Op::added;
    std::vector<tree::Cell>
        path;  // down to the parent of the changed node; empty for a first tag
    std::vector<tree::Node> before;  // removed: 1, replaced: 1, added: none; whole subtrees
    std::vector<tree::Node> after;   // added: 1, replaced: 1, removed: none
    // Bytes of JSON left out because the row would be too long (tables::shorten); then only the topmost
    // nodes are stored. 0: complete.
    std::size_t left_out = 0;
    bool operator==(const Change&) const = default;
};

// Returns whether a change has the sides that its op requires. A damaged store may hold others.
[[nodiscard]] inline bool has_sides(const Change& change) {
    if (change.op == Op::added) return !change.after.empty();
    if (change.op == Op::removed) return !change.before.empty();
    return !change.before.empty() && !change.after.empty();
}

[[nodiscard]] constexpr std::string_view name_of(Op op) {
    return op == Op::added ? "added" : op == Op::removed ? "removed" : "replaced";
}

// Keeps the paths of all changes of an object in proportion to its size: with a change at each of
// 2,000 levels they would take its square.
class PathLimit {
   public:
    // A path of at most this many cells is never too long.
    static constexpr std::size_t short_path = 16;
    static constexpr std::size_t most_cells = 50'000;  // beyond those of short paths

    // Counts a change whose path has this many cells, and returns whether the paths of all changes
    // are short enough together.
    [[nodiscard]] bool admits(std::size_t cells) {
        allowed_ += short_path;
        cells_ += cells;
        return cells_ <= allowed_;
    }

   private:
    std::size_t allowed_ = most_cells, cells_ = 0;
};

// Returns the tags on the path to the changed node, its own included, joined by " > ". It leaves
// values out, so that the same place in many objects has the same text. Requires has_sides().
[[nodiscard]] std::string place_of(const Change& change);

// Returns whether a tag of this name is on the path to the changed node or below it. ASCII letters
// match in either case.
//   cost  O(nodes of the change)
[[nodiscard]] bool touches(const Change& change, std::string_view tag);

// Visits the tags on the path to the changed node and below it, each as often as it is there.
void each_tag(const Change& change, const std::function<void(const std::string&)>& visit);

struct Counts {
    std::size_t added = 0, replaced = 0, removed = 0;
    [[nodiscard]] std::size_t all() const { return added + replaced + removed; }
    bool operator==(const Counts&) const = default;
};
[[nodiscard]] Counts count(const std::vector<Change>& changes);

}  // namespace compare
