// render/page_changes.hpp -- changes as pages show them: grouped by first tag, old and new side
// by side, in parts of limited size. Nothing is left out for its place in a tree: what is too
// large for one piece is shown child by child.
// Pure. Safe from any thread. Everything is escaped.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "query/history_page.hpp"
#include "render/set_aside.hpp"
#include "render/site.hpp"

namespace render {

struct ShownChanges {
    const std::vector<compare::Change>& changes;
    const SetAside& aside;  // of these changes
    const query::People& people;
    const Site& site;
    std::string_view id = {};          // "WS187": changes have ids WS187-c1, …; empty: none
    std::string_view class_name = {};  // for mass changes
    int heading = 3;                   // level of the groups' headings
};

struct PartOfChanges {
    std::string html;  // whole elements; empty where there are no changes
    std::size_t part = 1;
    bool more = false;  // a part follows
};

// The Nth part (from 1; past the last: the last) when each takes at most `room` bytes.
//   room  a piece that is larger (8 KB, and longest_name for its path) takes a part of its own
//         all the same
//   cost  O(changes up to the end of that part)
[[nodiscard]] PartOfChanges part_of_changes(const ShownChanges& shown, std::size_t room,
                                            std::size_t part);

}  // namespace render
