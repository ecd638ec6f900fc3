// source/ace_object.hpp -- the bytes of one object of a dump made into a tree, or straight into
// its signature.
// Pure. Both readers share one scanner (source/tree_scanner.hpp): for any bytes they agree on
// whether they are well-formed, and signature_of(parse_object(x).nodes) == sign(x).
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "source/ace_text.hpp"
#include "source/tree_scanner.hpp"
#include "tree/model.hpp"
#include "tree/object.hpp"
#include "tree/outline.hpp"

namespace source {

// The object whose header and body are `bytes` (from the header to the LF of its last line,
// without the blank line after it), duplicates merged, kinds told by the models.
//   error  malformed; too_large when nodes nest deeper than tree::deepest_node
[[nodiscard]] Parsed<tree::Object> parse_object(std::string_view bytes,
                                                const tree::Models& models);

// The distinct stamps of the object's nodes (not of its header), as written. Views into bytes.
[[nodiscard]] Parsed<std::vector<std::string_view>> stamps_of(std::string_view bytes);

// Lays cells into an outline without making nodes.
class OutlineSink {
   public:
    using Place = tree::Outline::NodeId;
    explicit OutlineSink(tree::Outline& outline) : outline_(outline) {}
    [[nodiscard]] static Place root() { return tree::Outline::root; }
    Place add(Place parent, const RawCell& cell);

   private:
    tree::Outline& outline_;
};

// Signs one object after the other; keeps its memory. One thread at a time.
class Signer {
   public:
    // MD5 of the object's content: tree::signature_of without the tree.
    //   error  as parse_object
    [[nodiscard]] Parsed<std::string> sign(std::string_view bytes);

   private:
    [[nodiscard]] std::optional<Fault> outline(Form form, std::string_view body);

    tree::Outline outline_;
    OutlineSink sink_{outline_};
    TreeScanner<OutlineSink> scanner_;
};

}  // namespace source
