// SPDX-License-Identifier: MIT
#include "compare/tag_paths.hpp"

#include "support/catch.hpp"
#include "support/trees.hpp"

using compare::Change;
using compare::Op;
using compare::Rank;
using support::tag;
using support::text;
using tree::CellKind;

namespace {

const compare::Ranking rules_of_ranks = {
    .important = {{"Gene", {{"Identity", "Status"}, {"Phenotype"}}}},
    .minor = {{"*", {{"Version"}}}, {"gene", {{"Identity"}}}},
    .helper_classes = {"Gene_name"}};

Rank rank_of(const std::vector<std::string>& path, tree::Node added,
             std::string_view class_name = "Gene") {
    Change change{Op::added, {}, {}, {std::move(added)}};
    for (const auto& name : path) change.path.push_back({CellKind::tag, name, {}});
    return compare::ClassRules(rules_of_ranks, class_name).rank_of(change);
}

}  // namespace

TEST_CASE("A change at, below or around an important place is important") {
    CHECK(rank_of({"Identity", "Status"}, tag("Dead")) == Rank::important);
    CHECK(rank_of({"identity", "STATUS", "Dead"}, text("x")) == Rank::important);
    CHECK(rank_of({}, tag("Identity", {tag("Status", {tag("Dead")})})) == Rank::important);
    CHECK(rank_of({"A", "B"}, tag("Phenotype")) == Rank::important);
    CHECK(rank_of({"A", "B", "Status"}, tag("Dead")) == Rank::ordinary);
    CHECK(rank_of({"Identity", "Status"}, tag("Dead"), "Paper") == Rank::ordinary);
}

TEST_CASE(
    "A change at or below a minor place is minor, and one that contains such a place is not") {
    CHECK(rank_of({"A", "Version"}, text("2"), "Paper") == Rank::minor);
    CHECK(rank_of({"A"}, tag("Version", {text("2")}), "Paper") == Rank::minor);
    CHECK(rank_of({}, tag("A", {tag("Version", {text("2")})}), "Paper") == Rank::ordinary);
    CHECK(rank_of({"Identity", "Version"}, text("2")) == Rank::minor);
}

TEST_CASE("The evidence for a value is minor without being named") {
    CHECK(rank_of({"A", "Person_evidence"}, text("x"), "Paper") == Rank::minor);
    CHECK(rank_of({"A"}, tag("Paper_Evidence"), "Paper") == Rank::minor);
    CHECK(rank_of({"A"}, tag("_evidence"), "Paper") == Rank::ordinary);
    CHECK(rank_of({"Phenotype", "Person_evidence"}, text("x")) == Rank::important);
}

TEST_CASE("Helper classes are named in any case") {
    CHECK(rules_of_ranks.is_helper("gene_NAME"));
    CHECK(!rules_of_ranks.is_helper("Gene"));
}
