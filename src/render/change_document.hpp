// render/change_document.hpp -- the changes of a row as one value: by field, filtered, summarised,
// grouped, ordered. What is made of it decides on markup alone (render/change_lines.hpp).
// Pure. Safe from any thread. A document is views into the row, which outlives it.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "compare/field_change.hpp"
#include "query/history_page.hpp"
#include "render/site.hpp"
#include "tables/rows.hpp"

namespace render {

// Stands for all changes of the row at a place that changed in most objects of the class.
struct MassChangeLine {
    const tables::MassChange* mass_change = nullptr;
    std::size_t number = 0;  // of the first change of the row at that place
};

// The changes of a row, by field.
struct FieldDocument {
    struct Section {
        // minor: versions, evidence, …; echo: of what became of other objects; ordinary: all others below
        // one first tag, also important ones.
        compare::Rank rank = compare::Rank::ordinary;
        std::string_view
            tag;  // of an ordinary section; empty: none, or the only line of all sections says it
        std::vector<compare::FieldChange> fields;  // at least one
    };
    std::vector<Section>
        sections;  // those with important changes first, then the minor one, then the echoes
    std::vector<MassChangeLine> mass_changes;
    std::size_t filtered = 0;
};
// Returns the changes of a row of `page`. Only rows of kind changed have mass-change lines: everything that was created
// or vanished is listed, and so is all that an object shares with most of its class if there is nothing else.
//   without  numbers of changes that are left out
//   cost     O(nodes of the changes + mass changes)
[[nodiscard]] FieldDocument field_document(const tables::Row& row, const query::HistoryPage& page,
                                           const Site& site,
                                           const std::set<std::size_t>& without = {});

// Returns all of `changes`, of an object of this class.
//   models  nullptr: none are known
[[nodiscard]] FieldDocument field_document(std::span<const compare::Change> changes,
                                           std::string_view class_name, const Site& site,
                                           const tree::Models* models = nullptr);

// True for texts, and for objects of class Text: their names are texts.
[[nodiscard]] bool is_plain_text(const tree::Cell& cell);

}  // namespace render
