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

// Returns what people call an object of this class: the first value at the first path found; its
// own name where there is none. Without marks that turn the direction of text.
[[nodiscard]] std::string label_of(const std::vector<tree::Node>& nodes, const ObjectName& object,
                                   const NamePaths& names);

// Returns other names of an object of this class, one a line: the values at the paths, each once,
// without its name and its label.
//   search   [search] of the configuration
//   returns  at most 100 names of at most 100 bytes each, and 4,000 bytes: the first ones in the
//            order of the paths and of the object
[[nodiscard]] std::string other_names_of(const std::vector<tree::Node>& nodes,
                                         const ObjectName& object, std::string_view label,
                                         const NamePaths& search);

// What is known of an object before this release.
struct Before {
    std::optional<tables::ObjectRow> row;   // nullopt: first sight, or created
    std::optional<tables::KnownTree> tree;  // nullopt: first sight, or forgotten
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

// What the decision depends on apart from these two.
struct DecisionInput {
    Release current;
    tables::Releases releases;  // known ones, current included
    const NamePaths& names;
    const NamePaths& search;
    const compare::Ignored& ignored;
    const tree::Models& models;
    compare::Evidence evidence;  // `after` for new objects; releases up to current
    base::Seconds now{};
};

// What has to be written: the new state of the row, history rows, and whether the tree is new.
struct Outcome {
    tables::ObjectRow row;          // oid 0: a new object
    std::vector<tables::Row> rows;  // oid still 0 for a new object
    bool store_tree = false;

    // True when there is nothing to write but that the object was compared.
    [[nodiscard]] bool is_nothing() const { return rows.empty() && !store_tree; }
};

// Decides by the rules C2 to C6 (docs/compare.md). What is ignored is in no row; trees, signatures
// and labels are of all there is (C10).
//   needs  the release of before.row->compared_in, if any, is earlier than the current one;
//          before.row or after.is_there()
[[nodiscard]] Outcome decide(const Before& before, const After& after,
                             const DecisionInput& input);

}  // namespace history
