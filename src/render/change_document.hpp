// render/set_aside.hpp -- the changes of a row that are not listed one by one: those that a mass
// change accounts for, a line each place instead, and those that a narrower feed does not show.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "query/history_page.hpp"
#include "tables/rows.hpp"

namespace render {

struct SetAside {
    struct Line {
        const tables::MassChange* mass_change;
        std::size_t number;  // from 1, of the first change of the row at its place
    };
    std::vector<Line> lines;  // in the order of the row's changes
    std::size_t changes = 0;  // that the lines stand for
    std::size_t others = 0;   // that the narrowing does not show
    std::vector<bool> which;  // of the row's changes, both kinds; empty: none

    [[nodiscard]] bool holds(std::size_t change) const { return !which.empty() && which[change]; }
    // Lines and changes that are left to list.
    [[nodiscard]] std::size_t listed(const tables::Row& row) const {
        return row.notes.changes.size() - changes - others + lines.size();
    }
};

// Only rows of kind changed have mass changes: what came or went is told whole.
//   excerpt  that the row is one of: mass changes, narrowing; outlives the result
//   cost     O(mass changes + changes of the row, their nodes where it is narrowed by a tag)
[[nodiscard]] SetAside set_aside(const tables::Row& row, const query::HistoryPage& excerpt);

}  // namespace render
