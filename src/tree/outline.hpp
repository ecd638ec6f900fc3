// tree/outline.hpp -- the content of an object in canonical order, and its signature.
// tree::signature_of and the reader that signs whole dumps both use it. An outline belongs to one
// thread at a time, and keeps its memory from object to object.
//
// Byte form (docs/compare.md): a node is its notation (b bare, q quoted, c comment, m member),
// its key (tree::key_of), then 0x00 when it has no children, else 0x01, its children, 0x02.
// Legal text (base/utf8) holds none of these bytes, so the form can be read in one way only.
// Siblings are ordered by (notation, key) as bytes; those of equal content become one node.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.hpp"
#include "tree/object.hpp"

namespace tree {

class Outline {
   public:
    using NodeId = std::uint32_t;
    static constexpr NodeId root = 0;

    Outline();

    void clear();

    // Adds a child of `parent` and returns it; returns the last child when that is equal. Other
    // equal children are merged by signature().
    //   key  as tree::key_of gives it; must outlive signature()
    NodeId add(NodeId parent, Notation notation, std::string_view key);

    // Does the same with a copy of `key`.
    NodeId add_copy(NodeId parent, Notation notation, std::string_view key);

    // Returns the MD5 (32 hexadecimal digits) of the canonical bytes; sorts and merges in place.
    //   cost  O(n log(most siblings)) time
    [[nodiscard]] std::string signature();

    // Returns the canonical bytes, for tests and documentation.
    [[nodiscard]] std::string canonical_bytes();

   private:
    struct Entry {
        std::uint64_t rank = 0;  // notation and the first seven bytes: decides most comparisons
        std::string_view key;
        NodeId first = 0, last = 0, next = 0;  // 0: none (the root is never a child)
        Notation notation = Notation::bare;
    };
    [[nodiscard]] bool before(NodeId a, NodeId b) const;
    [[nodiscard]] bool in_order(NodeId first) const;
    void sort_children(NodeId parent);
    void adopt_children(NodeId from, NodeId to);
    // Returns the canonical bytes; valid until the outline changes.
    std::string_view write();
    // Writes at `out`, which has room for it, and returns the end.
    char* write_children(NodeId parent, char* out);

    std::vector<Entry> entries_;
    std::vector<NodeId> order_;       // the siblings being sorted; a member to keep its memory
    std::deque<std::string> copies_;  // a deque, so that views into it stay valid
    std::size_t copies_used_ = 0;
    std::size_t most_bytes_ = 0;  // of the entries in canonical form
    std::string bytes_;           // buffer for them
    base::Digest md5_;
};

// Returns the MD5 (32 hexadecimal digits) of an object's content, without timestamps, name, classes
// and order. An empty tree gives the MD5 of no bytes.
[[nodiscard]] std::string signature_of(const std::vector<Node>& nodes);

}  // namespace tree
