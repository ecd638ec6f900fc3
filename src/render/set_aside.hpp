// render/set_aside.hpp -- the changes of a row that a mass change accounts for: one line each
// place, instead of the changes themselves.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "history/history.hpp"

namespace render {

struct SetAside {
    struct Line {
        const history::MassChange* mass_change;
        std::size_t number;  // from 1, of the first change of the row at its place
    };
    std::vector<Line> lines;  // in the order of the row's changes
    std::size_t changes = 0;  // that are set aside
    std::vector<bool> which;  // of the row's changes; empty: none

    [[nodiscard]] bool holds(std::size_t change) const { return !which.empty() && which[change]; }
};

// Only rows of kind changed have any: what came or went is told whole.
//   mass_changes  of any releases; outlive the result
//   cost          O(mass changes) where none is of the row's release, else + O(changes)
[[nodiscard]] SetAside set_aside(const history::Row& row,
                                 const std::vector<history::MassChange>& mass_changes);

}  // namespace render
