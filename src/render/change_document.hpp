// render/change_document.hpp -- the changes of a row as one value: filtered, summarised, grouped,
// ordered, cut. Feed items and pages are writers that walk it; they decide on markup alone.
// Pure. Safe from any thread. A document is views into the row, which outlives it.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "compare/field_change.hpp"
#include "query/history_page.hpp"
#include "render/site.hpp"
#include "tables/rows.hpp"

namespace render {

// One change.
struct DocumentChange {
    std::size_t number = 0;  // in its row, from 1: the places of changes on pages are named by it
    compare::Op op = compare::Op::added;
    std::span<const tree::Cell> parents;  // the cells above what changed
    const tree::Node* before = nullptr;   // nullptr: added
    const tree::Node* after = nullptr;    // nullptr: removed
    std::size_t left_out = 0;             // bytes that the row lacks of it

    // What there is now, or what there was.
    [[nodiscard]] const tree::Node& node() const { return after ? *after : *before; }
    // True for a tag that was added or removed: it is shown as the end of the path. Anything else
    // is shown below the path.
    [[nodiscard]] bool ends_path() const;
    [[nodiscard]] std::size_t path_size() const { return parents.size() + (ends_path() ? 1 : 0); }
    [[nodiscard]] const tree::Cell& path_cell(std::size_t i) const {
        return i < parents.size() ? parents[i] : node().cell;
    }
    // True if one whole text replaced another: see difference_of() (render/text_difference.hpp).
    [[nodiscard]] bool replaces_text() const;
};

// The changes below one first tag, in the order of the row.
struct ChangeGroup {
    std::string_view tag;  // empty: in no tag (texts, members of a KeySet)
    std::vector<DocumentChange> changes;
};

// Stands for all changes of the row at a place that changed in most objects of the class.
struct MassChangeLine {
    const tables::MassChange* mass_change = nullptr;
    std::size_t number = 0;  // of the first change of the row at that place
};

struct ChangeDocument {
    std::vector<ChangeGroup> groups;           // in the order of their first changes
    std::vector<MassChangeLine> mass_changes;  // in the order of the row; after the groups
    std::size_t filtered = 0;                  // changes that the filter of the page hides
    bool shortened = false;                    // there are more than `most` changes and lines
};

// Returns the changes of a row of `page`. Only rows of kind changed have mass-change lines:
// everything that came or went is listed.
//   most  changes and mass-change lines in all
//   cost  O(changes + mass changes); with a filter by tag, O(nodes of the changes)
[[nodiscard]] ChangeDocument change_document(
    const tables::Row& row, const query::HistoryPage& page,
    std::size_t most = std::numeric_limits<std::size_t>::max());

// Returns all of `changes`.
[[nodiscard]] ChangeDocument change_document(std::span<const compare::Change> changes);

// The same changes by field, as feeds show them.
struct FieldDocument {
    struct Group {
        std::string_view tag;  // the first tag; empty: none
        std::vector<compare::FieldChange> fields;
    };
    std::vector<Group> groups;                 // important ones first
    std::vector<compare::FieldChange> minor;   // versions, evidence, …
    std::vector<compare::FieldChange> echoes;  // of what became of other objects
    std::vector<MassChangeLine> mass_changes;
    std::size_t filtered = 0;

    // True if nothing but what most objects of the class share has changed.
    [[nodiscard]] bool is_mass_change() const {
        return groups.empty() && minor.empty() && echoes.empty() && filtered == 0 &&
               !mass_changes.empty();
    }
};
//   without  numbers of changes that are left out
//   cost     O(nodes of the changes + mass changes)
[[nodiscard]] FieldDocument field_document(const tables::Row& row, const query::HistoryPage& page,
                                           const Site& site,
                                           const std::set<std::size_t>& without = {});

// True for texts, and for objects of class Text: their names are texts.
[[nodiscard]] bool is_plain_text(const tree::Cell& cell);

}  // namespace render
