// tree/outline.hpp -- the content of one object in its canonical order, and its signature.
// The one place where that order and that byte form are decided; tree::signature_of and the
// reader that signs whole dumps both feed it. One outline belongs to one thread at a time; it
// keeps its memory from object to object.
//
// Byte form (docs/compare.md): a node is its notation (b bare, q quoted, c comment, m member),
// its key (tree::key_of), then 0x00 when it has no children, else 0x01, its children, 0x02.
// Legal text (base/utf8) holds none of these bytes, so the form can be read in one way only.
// Siblings stand in the order of (notation, key) by bytes; those of equal content are one node.
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
    using Place = std::uint32_t;
    static constexpr Place root = 0;

    Outline();

    void clear();

    // A child of `parent`. `key` as tree::key_of gives it; it must outlive signature().
    // A child equal to the last one added there is the same place again; equal ones further
    // apart are merged by signature().
    Place add(Place parent, Notation notation, std::string_view key);

    // Copies `key` into the outline first, for keys that were made on the spot.
    Place add_copy(Place parent, Notation notation, std::string_view key);

    // MD5, 32 lower-case hex digits, of the canonical byte form; sorts and merges in place.
    //   cost  O(n log(most siblings)) time
    [[nodiscard]] std::string signature();

    // The canonical bytes themselves, for tests and documentation.
    [[nodiscard]] std::string canonical_bytes();

   private:
    struct Item {
        std::uint64_t rank = 0;  // notation and the first seven bytes: decides most orders
        std::string_view key;
        Place first = 0, last = 0, next = 0;  // 0: none (the root is nobody's child)
        Notation notation = Notation::bare;
    };
    [[nodiscard]] bool before(Place a, Place b) const;
    [[nodiscard]] bool in_order(Place first) const;
    void sort_children(Place parent);
    void adopt_children(Place from, Place to);
    // The canonical bytes; valid until the outline changes.
    std::string_view write();
    // Writes at `out`, which has room for it; the end of what was written.
    char* write_children(Place parent, char* out);

    std::vector<Item> items_;
    std::vector<Place> order_;        // of the siblings being sorted, kept for its memory
    std::deque<std::string> copies_;  // a deque, so that views into it stay
    std::size_t copies_used_ = 0;
    std::size_t most_bytes_ = 0;  // that the items take in the canonical form
    std::string bytes_;           // room for them
    base::Digest md5_;
};

// MD5 (hex) of the object's content, stamps, name, classes and order left out.
//   returns  32 digits; that of an empty tree is the MD5 of no bytes
[[nodiscard]] std::string signature_of(const std::vector<Node>& nodes);

}  // namespace tree
