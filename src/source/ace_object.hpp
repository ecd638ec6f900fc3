// source/ace_object.hpp -- one object of a dump as a tree.
// Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <tl/expected.hpp>

#include "source/ace_text.hpp"
#include "tree/model.hpp"
#include "tree/object.hpp"

namespace source {

// How the body of an object is written; the class decides.
enum class Form { tree, long_text, sequence, key_set, lines };

[[nodiscard]] Form form_of(std::string_view class_name);

// False for the classes of AceDB's kernel that its own dump leaves out, and for UserSession, which
// says who loaded what: their objects have no history.
[[nodiscard]] bool is_tracked_class(std::string_view class_name);

// Returns the object whose header and body are `bytes`: from the header to the LF of its last
// line, without the blank line after it. Duplicates are merged; the models decide the kinds of
// cells. An object of an array class (rule C5) has one text, or a node for each member of a key
// set:
//   LongText           the lines up to its terminator, joined by LF
//   DNA, Peptide       the lines without their blanks, joined
//   BaseQuality, ...   the lines joined by LF
//   error  malformed; too_large when nodes nest deeper than tree::deepest_node
[[nodiscard]] tl::expected<tree::Object, ParseError> parse_object(std::string_view bytes,
                                                                  const tree::Models& models);

}  // namespace source
