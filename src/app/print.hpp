// app/print.hpp -- trees and changes as lines for a terminal. Pure.
// Control characters never reach the terminal: text of objects is printed on one line with
// line breaks shown as \n.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compare/change.hpp"
#include "tree/object.hpp"

namespace app {

// Text of strangers as one line for a terminal: line breaks as \n, and control characters (C0,
// DEL, C1) and those that turn the direction of writing as '?'.
[[nodiscard]] std::string on_one_line(std::string_view text);

// A line a node, indented by depth; stamps behind as "2008-02-01 sylvia".
[[nodiscard]] std::string tree_text(const std::vector<tree::Node>& nodes);

// Like diff(1): a line a node that came ("+") or went ("-"), with its whole path.
[[nodiscard]] std::string changes_text(const std::vector<compare::Change>& changes);

}  // namespace app
