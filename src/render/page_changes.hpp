// render/page_changes.hpp -- the changes of a row as pages show them: lines under the headings of their
// first tags, minor changes and echoes folded, in parts. No change is left out: a part holds as many
// lines as it has room for, and the page links to the next part.
// Pure. Safe from any thread. Everything is escaped.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "render/change_lines.hpp"
#include "render/page.hpp"

namespace render {

struct ChangesView {
    const FieldDocument& document;
    LineStyle style;         // of a page
    int heading = 3;         // level of the groups' headings
    std::size_t number = 0;  // of a change: the part that has its place is wanted; 0: none
    bool folded = false;     // all of it, as what an object held that is gone
};

// Returns the part of this number (from 1), or the last one if there are fewer; where view.number is
// set, the one in which that change is, or else the first.
//   room  bytes of a part. A line (some 40 nodes, or one value of up to 100) is never divided: a larger
//         one is a part of its own
//   cost  O(changes up to the end of that part)
[[nodiscard]] PartOfPage part_of_changes(const ChangesView& view, std::size_t room,
                                         std::size_t part);

}  // namespace render
