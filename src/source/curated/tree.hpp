// source/written_tree.hpp -- the trees that curators' files build up line by line: nodes that are
// found, added, replaced and removed in constant time, however many siblings they have.
// Nodes know each other by number; 0 is none. One thread at a time.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "source/curated/keys.hpp"
#include "tree/model.hpp"

namespace source::curated {

// What a node holds. `text` is a number of Texts; of a reference or a member it is one of
// Names.
struct Content {
    tree::Kind kind = tree::Kind::tag;
    Number text = 0;
    tree::Models::Position place = tree::Models::unknown;
};

enum class Siblings { many, one };  // may it have other siblings than comments

class Forest {
   public:
    Forest();

    // An empty tree for an object whose class has its model at `place`: the number of its root.
    Number begin(tree::Models::Position place);

    // The child of that content, added behind its siblings where there is none. Siblings::one:
    // it takes the place of all others but comments.
    Number add(Number parent, const Content& cell, Siblings siblings);
    // Another content for the node; its children stay, its stamp goes.
    void replace(Number node, const Content& cell);
    void set_stamp(Number node, Number stamp) { items_[node].stamp = stamp; }
    // Removes the node, what is below it, and what is above it and holds nothing else.
    void prune(Number node);
    // Removes all nodes below.
    void clear(Number parent);

    // One tree of the nodes of both, the others gone: the number of its root. Where only one
    // sibling may stand, that of `preferred` does.
    //   cost  O(nodes of the smaller one) expected, however often trees are fused
    Number fuse(Number other, Number preferred, const tree::Models& models);

    [[nodiscard]] bool is_empty(Number root) const { return items_[root].first == 0; }

    // The nodes below, tags in the order of the models; duplicates may be there.
    using CellOf = std::function<tree::Cell(const Content&)>;
    [[nodiscard]] std::vector<tree::Node> nodes_below(Number parent, const Texts& texts,
                                                      const CellOf& cell_of) const;

    [[nodiscard]] std::size_t bytes_held() const;

   private:
    struct Item {
        Content cell;
        Number parent = 0, first = 0, last = 0, previous = 0, next = 0;
        Number stamp = 0;
        Number count = 0;         // of its children
        bool is_indexed = false;  // they stand in children_: there are, or were, many
    };
    struct ChildKey {
        Number parent, text;
        tree::Kind kind;
        bool operator==(const ChildKey&) const = default;
    };
    struct HashChild {
        std::size_t operator()(const ChildKey& key) const;
    };
    [[nodiscard]] ChildKey key_of(Number node) const;
    // The child of that content, or 0.
    [[nodiscard]] Number find(Number parent, const Content& cell) const;
    void index_children(Number parent);
    Number make(Number parent, const Content& cell);
    void unlink(Number node);
    void forget(Number node);  // its place in children_, where it has one
    void remove(Number node);  // with all below it
    void remove_other_children(Number parent);
    [[nodiscard]] bool is_smaller(Number root, Number than) const;
    enum class Stays { into, from };
    void move_nodes(Number from, Number into, Stays stays, const tree::Models& models);
    struct Pair {
        Number from, into;
    };
    void move_children(Pair parents, Stays stays, const tree::Models& models,
                       std::vector<Pair>& open);

    std::vector<Item> items_;
    std::vector<Number> free_;
    std::unordered_map<ChildKey, Number, HashChild> children_;
};

}  // namespace source::curated
