// render/page_changes.hpp -- the changes of a row as pages show them: a line for each field, in pieces.
// A field with more values than one piece holds has several lines, and a value that is too large for
// one is shown child by child, so a page leaves nothing out: it shows a part of the pieces and links
// to the next part. Minor changes and echoes are folded.
// Pure. Safe from any thread. Everything is escaped.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "query/history_page.hpp"
#include "render/change_document.hpp"
#include "render/page.hpp"
#include "render/site.hpp"

namespace render {

struct ChangesView {
    const FieldDocument& document;
    const query::People& people;
    const Site& site;
    std::span<const compare::Reference> references = {};
    std::optional<base::Date> stamps_since = {};  // NodeStyle
    std::string_view id = {};  // "WS187": changes have the ids WS187-c1, …; empty: none
    int heading = 3;           // level of the groups' headings
    std::size_t number = 0;    // of a change: the part that has its place is wanted; 0: none
    bool folded = false;       // all of it, as what an object held that is gone
};

// Returns the part of this number (from 1), or the last one if there are fewer; where view.number is
// set, the one in which that change is, or else the first.
//   size  a piece (some 40 nodes, some 6 KB) is never divided: a larger one is a part of its own
//   cost  O(changes up to the end of that part)
[[nodiscard]] PartOfPage part_of_changes(const ChangesView& view, const PartSize& size,
                                         std::size_t part);

}  // namespace render
