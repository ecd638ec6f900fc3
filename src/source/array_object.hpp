// source/array_object.hpp -- the bodies of array classes: LongText, DNA, Peptide, KeySet, ...
// Pure. Source: acedb dumps; rule C5: one text, or one reference a member.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

#include "source/ace_text.hpp"

namespace source {

// The nodes of the body (the lines below the header). No line, no node.
//   long_text  lines up to the terminator, joined by LF: one text
//   sequence   lines without their blanks, joined: one text
//   lines      lines joined by LF: one text (BaseQuality and other rare ones)
//   key_set    `Class : "name"` a line: a member each
//   error      malformed; a LongText without its terminator is
[[nodiscard]] Parsed<std::vector<tree::Node>> parse_array(Form form, std::string_view body);

}  // namespace source
