// history/record.hpp -- what a build's state of an object means for its history: the decision,
// without the store. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/first_sight.hpp"
#include "compare/ignored.hpp"
#include "tables/rows.hpp"
#include "tables/tables.hpp"
#include "tree/model.hpp"

namespace history {

using base::Release;
using tree::ObjectName;

// class -> tag paths; the first found names the object ([names] of the configuration).
using NamePaths = std::vector<std::pair<std::string, std::vector<std::vector<std::string>>>>;

// What people call an object of this class: the first value at the first path found; its own
// name where there is none.
[[nodiscard]] std::string label_of(const std::vector<tree::Node>& nodes, const ObjectName& object,
                                   const NamePaths& names);

// What was known of an object before this release.
struct Before {
    std::optional<tables::ObjectRow> row;   // none: first sight, or created
    std::optional<tables::KnownTree> tree;  // none: first sight, or adopted
    // The release of the kept index that lacks it; empty: it was there, or none is kept.
    std::string absent_from;
    std::vector<std::string> recorded;  // versions that have a row
};

// The object in the current build; nodes and signature are empty when it is not there.
struct After {
    ObjectName spelling;
    std::vector<tree::Node> nodes;
    std::string signature;
    [[nodiscard]] bool is_there() const { return !signature.empty(); }
};

// What stands beside both.
struct DecisionInput {
    Release current;
    tables::Releases releases;  // known ones, current included
    const NamePaths& names;
    const compare::Ignored& ignored;
    const tree::Models& models;
    compare::Evidence evidence;  // `after` for new objects; releases up to current
    base::Seconds now{};
};

// What is to be written: the new state of the row, history rows, and whether the tree is new.
struct Outcome {
    tables::ObjectRow row;          // oid 0: a new object
    std::vector<tables::Row> rows;  // oid still 0 for a new object
    bool store_tree = false;
};

// Decides by rules C2 to C6 (docs/design.md). What is ignored is in no row; trees, signatures
// and labels are of all there is (C10).
//   needs  the release of before.row->compared_in, if any, is earlier than the current one;
//          before.row or after.is_there()
[[nodiscard]] Outcome decide(const Before& before, const After& after,
                             const DecisionInput& setting);

}  // namespace history
