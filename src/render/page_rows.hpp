// render/page_rows.hpp -- the rows of one object as the history page lists them.
// Pure. Safe from any thread. Everything is escaped.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "query/history_page.hpp"
#include "render/page_changes.hpp"
#include "render/site.hpp"
#include "tables/rows.hpp"

namespace render {

// Rows [from, end) of a history.
struct PartOfRows {
    std::string html;
    std::size_t from = 0, end = 0;
    std::size_t part = 1;
};
// The Nth part of the rows, newest first: those with room for it with their changes, the others
// in a line each that links to them. Past the last part: the last.
//   room  bytes
//   cost  O(rows) and what is shown
[[nodiscard]] PartOfRows rows_of(const query::History& history, std::size_t room,
                                 std::size_t part, const Site& site);

// One row with the Nth part of its changes.
[[nodiscard]] PartOfChanges whole_row(const tables::Row& row, const query::History& history,
                                      std::size_t room, std::size_t part, const Site& site);

}  // namespace render
