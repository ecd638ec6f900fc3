// history/decision.hpp -- decides what the state of an object in a build means for its history. Pure:
// no store, no build.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/first_sight.hpp"
#include "compare/ignored.hpp"
#include "tables/objects.hpp"
#include "tables/rows.hpp"
#include "tables/trees.hpp"
#include "tree/model.hpp"

namespace history {

using base::Release;
using tree::ObjectName;

// class -> tag paths; the first found names the object ([names] of the configuration).
using NamePaths = std::vector<std::pair<std::string, std::vector<std::vector<std::string>>>>;

// Returns what people call an object of this class: the first value at the first path found; its own name where there
// is none. A class without paths has those that databases mostly use: name, title, label, name > common, Public_name.
// Without marks that turn the direction of text.
[[nodiscard]] std::string label_of(const std::vector<tree::Node>& nodes, const ObjectName& object,
                                   const NamePaths& names);

// Returns whether objects of this class may have a label, as far as paths and models say.
[[nodiscard]] bool may_have_label(std::string_view class_name, const NamePaths& names,
                                  const tree::Models& models);

// Returns other names of an object of this class, one a line: the values at the paths, each once,
// without its name and its label.
//   search   [search] of the configuration
//   returns  at most 100 names of at most 100 bytes each, and 4,000 bytes: the first ones in the
//            order of the paths and of the object
[[nodiscard]] std::string other_names_of(const std::vector<tree::Node>& nodes,
                                         const ObjectName& object, std::string_view label,
                                         const NamePaths& search);

// What is known of an object.
struct Before {
    std::optional<tables::ObjectRow> row;   // nullopt: it has none
    std::optional<tables::KnownTree> tree;  // the newest of an earlier release
    bool was_absent = false;                // the release before is known not to have had it
    std::string held;                       // ObjectRow::held as it will be
    // What the kept index of the release before says; nullopt: there is none.
    std::optional<bool> is_in_previous;
    std::vector<tables::RowKey> recorded;  // its rows
    std::optional<tables::Row> own;        // the row of this release, by an earlier publication
    base::Date last_modified{};            // with `own`: by an earlier release

    // Returns whether the content before this release is known, if only that there was none.
    [[nodiscard]] bool is_known() const { return tree || was_absent; }
};

// The object in the current build; nodes and signature are empty when it is not there.
struct After {
    ObjectName spelling;
    std::vector<tree::Node> nodes;
    std::string signature;
    [[nodiscard]] bool is_there() const { return !signature.empty(); }
};

// What the decision depends on apart from these two.
struct DecisionInput {
    Release current;
    std::string previous;  // version of the newest known release before it; empty: none is known
    const NamePaths& names;
    const NamePaths& search;
    const compare::Ignored& ignored;
    const tree::Models& models;
    compare::Evidence evidence;  // releases up to current, for what is not known before
    base::Seconds now{};
};

// What has to be written: the new state of the row, history rows, and the tree.
struct Outcome {
    tables::ObjectRow row;          // oid 0: a new object; without build and bytes
    std::vector<tables::Row> rows;  // oid still 0 for a new object
    bool replaces_own = false;      // one of the rows takes the place of Before::own
    bool stores_tree = false;       // false: the release has the tree of an earlier one
};

// Decides by the rules C2 to C6 (docs/compare.md). What is ignored is in no row; trees, signatures
// and labels are of all there is (C10).
//   needs  before.row or after.is_there()
[[nodiscard]] Outcome decide(const Before& before, const After& after,
                             const DecisionInput& input);

}  // namespace history
