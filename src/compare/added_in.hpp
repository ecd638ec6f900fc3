// compare/added_in.hpp -- which of several releases added each node of a tree, by what they changed.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "compare/change.hpp"
#include "tree/object.hpp"

namespace compare {

// Marks the nodes of a tree. The first mark of a node stays: so whoever marks what releases added,
// from the newest release back to the oldest, leaves each node with the release that brought it.
class AddedIn {
   public:
    using Mark = std::uint32_t;
    static constexpr Mark none = std::numeric_limits<Mark>::max();

    // Requires that the tree (duplicates merged) outlives this.
    //   cost  O(nodes)
    explicit AddedIn(const std::vector<tree::Node>& nodes);

    // Marks what the changes added or put in place of something. What is no longer in the tree, or
    // never was, is passed over.
    //   cost  O(nodes and path cells of the changes) expected
    void mark(std::span<const Change> changes, Mark mark);
    // Marks what is in `after` and not in `before`, two earlier states of the tree.
    //   cost  O(nodes of both) expected
    void mark_new(const std::vector<tree::Node>& before, const std::vector<tree::Node>& after,
                  Mark mark);
    // Marks all that have no mark yet.
    void mark_rest(Mark mark);

    [[nodiscard]] bool is_complete() const { return unmarked_ == 0; }
    // The marks of all nodes, each before those below it.
    [[nodiscard]] const std::vector<Mark>& marks() const { return marks_; }

   private:
    using Place = std::uint32_t;  // of a node in marks_; of a list of siblings: of its parent
    using ByContent = std::unordered_map<std::string, Place>;
    static constexpr Place top = none, nowhere = none - 1;

    void add(const std::vector<tree::Node>& siblings);
    [[nodiscard]] Place child(Place parent, const tree::Cell& cell);
    [[nodiscard]] const std::vector<tree::Node>& children_of(Place parent) const;
    void mark_siblings(const std::vector<tree::Node>* before,
                       const std::vector<tree::Node>& after, Place parent, Mark mark);
    void mark_node(const tree::Node* before, const tree::Node& after, Place parent, Mark mark);

    const std::vector<tree::Node>& nodes_;
    std::vector<Mark> marks_;
    std::vector<const tree::Node*> at_;          // the node at each place
    std::vector<Place> end_;                     // the place after the last node below it
    std::unordered_map<Place, ByContent> many_;  // of long lists that were looked into
    std::size_t unmarked_ = 0;
};

}  // namespace compare
