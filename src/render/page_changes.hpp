// render/page_changes.hpp -- the changes of a row as pages show them: lines under the headings of their
// first tags, minor changes and echoes folded. What a page has no place for is on the next one.
// Pure. Safe from any thread. Everything is escaped.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "render/change_lines.hpp"

namespace render {

inline constexpr std::size_t values_on_page = 200;  // of the changes of one row

struct ChangesView {
    const FieldDocument& document;
    LineStyle style;      // of a page
    int heading = 3;      // level of the groups' headings
    bool folded = false;  // all of it, as what an object held that is gone
};
// Returns the HTML of a number of values of the document, with up to 100 nodes of each.
//   from  of the values, which are left out before these
//   cost  O(values of the document + what is written)
[[nodiscard]] std::string changes_html(const ChangesView& view, std::size_t from,
                                       std::size_t most = values_on_page);

[[nodiscard]] std::size_t count_values(const FieldDocument& document);
// Returns the page, from 1, that has the place of this change; 1 if there is none.
[[nodiscard]] std::size_t page_of_change(const FieldDocument& document, std::size_t number);

}  // namespace render
