// SPDX-License-Identifier: MIT
#include "compare/compare.hpp"

#include <algorithm>
#include <rapidcheck.h>

#include "support/catch.hpp"
#include "support/trees.hpp"
#include "tree/outline.hpp"

using compare::Change;
using compare::Op;
using support::node;
using support::Nodes;
using support::reference;
using support::tag;
using support::text;
using tree::CellKind;
using tree::Models;

namespace {

std::vector<Change> changes(const Nodes& before, const Nodes& after) {
    return compare::compare(before, after, Models{}, Models::unknown);
}

std::vector<Change> changes_of_gene(const Nodes& before, const Nodes& after) {
    const auto models = Models::parse("?Gene Identity Version UNIQUE Int\n"
                                      "               Status UNIQUE Live #Evidence\n"
                                      "                             Dead #Evidence\n"
                                      "     Remark ?Text #Evidence\n"
                                      "\n"
                                      "?Evidence Person_evidence ?Person\n");
    return compare::compare(before, after, models, models.of_class("Gene"));
}

}  // namespace

TEST_CASE(
    "Changes applied to the tree before give the tree after, and reversed the other way round") {
    CHECK(rc::check([] {
        const auto before = support::random_nodes(4), after = support::random_nodes(4);
        const auto applied = compare::apply(before, changes(before, after));
        RC_ASSERT(applied.has_value());
        RC_ASSERT(tree::signature_of(*applied) == tree::signature_of(after));
        const auto back = compare::apply(after, compare::reversed(changes(before, after)));
        RC_ASSERT(back.has_value());
        RC_ASSERT(tree::signature_of(*back) == tree::signature_of(before));
    }));
}

TEST_CASE("Paths take space in proportion to the trees, however deep they are") {
    Nodes before, after;
    for (int level = 0; level < 1'900; ++level) {
        before = {tag("Level", std::move(before))};
        after = {tag("Level", std::move(after))};
        before.front().children.push_back(text("old"));
        after.front().children.push_back(text("new"));
    }
    const auto found = changes(before, after);
    std::size_t cells = 0, deepest = 0;
    for (const auto& change : found) {
        cells += change.path.size();
        deepest = std::max(deepest, change.path.size());
    }
    CHECK(cells <= 50'000 + 16 * found.size());
    CHECK(found.size() > 10);
    CHECK(deepest == 16);  // a node below that many is one change
    const auto applied = compare::apply(before, found);
    REQUIRE(applied);
    CHECK(tree::signature_of(*applied) == tree::signature_of(after));
    CHECK(changes(before, before).empty());
}

TEST_CASE("There are no changes exactly when the signatures are equal") {
    CHECK(rc::check([] {
        const auto before = support::random_nodes(3), after = support::random_nodes(3);
        RC_ASSERT(changes(before, after).empty() ==
                  (tree::signature_of(before) == tree::signature_of(after)));
    }));
}

TEST_CASE("The order of siblings and their timestamps are not content") {
    auto before = Nodes{tag("A", {text("x"), text("y")}), tag("B")};
    auto after = Nodes{tag("B"), tag("A", {text("y"), text("x")})};
    after[1].stamp = "2008-02-01_09:15:20_sylvia";
    CHECK(changes(before, after).empty());
}

TEST_CASE("Bare numbers are compared as numbers, and quoted ones as texts") {
    CHECK(changes({node(CellKind::integer, "2")}, {node(CellKind::real, "2.000000")}).empty());
    CHECK(changes({text("2")}, {text("2.0")}).size() == 1);
    CHECK(changes({text("2")}, {node(CellKind::integer, "2")}).size() == 1);
}

TEST_CASE(
    "Classes known only from a models file are not content, but those of KeySet members are") {
    CHECK(changes({reference("Gene", "unc-26")}, {text("unc-26")}).empty());
    const Nodes gene{{{CellKind::member, "unc-26", "Gene"}, {}, {}}};
    const Nodes locus{{{CellKind::member, "unc-26", "Locus"}, {}, {}}};
    CHECK(changes(gene, locus).size() == 1);
}

TEST_CASE("A change is the topmost node that differs, with its subtree") {
    const Nodes before{tag("Identity", {tag("Name")})};
    const Nodes after{
        tag("Identity",
            {tag("Name", {tag("Other_name", {text("synj-1", {tag("Person_evidence")})})})})};
    const auto found = changes(before, after);
    REQUIRE(found.size() == 1);
    CHECK(found[0].op == Op::added);
    CHECK(found[0].path.size() == 2);
    CHECK(found[0].after[0].cell.text == "Other_name");
    CHECK(found[0].after[0].children[0].children[0].cell.text == "Person_evidence");
}

TEST_CASE("A single value that makes way for another is replaced") {
    const auto found = changes({tag("Position", {node(CellKind::real, "0.0")})},
                               {tag("Position", {node(CellKind::real, "0.5")})});
    REQUIRE(found.size() == 1);
    CHECK(found[0].op == Op::replaced);
    CHECK(found[0].before[0].cell.text == "0.0");
    CHECK(found[0].after[0].cell.text == "0.5");
}

TEST_CASE("None of several values is replaced") {
    const auto found =
        changes({tag("Author", {text("A"), text("B")})}, {tag("Author", {text("A"), text("C")})});
    REQUIRE(found.size() == 2);
    CHECK(found[0].op == Op::added);
    CHECK(found[1].op == Op::removed);
}

TEST_CASE("Tags replace each other only where the model says UNIQUE") {
    const auto found = changes_of_gene(
        {tag("Identity", {tag("Status", {tag("Live")})})},
        {tag("Identity", {tag("Status", {tag("Dead", {tag("Person_evidence")})})})});
    REQUIRE(found.size() == 1);
    CHECK(found[0].op == Op::replaced);
    CHECK(found[0].before[0].cell.text == "Live");
    CHECK(found[0].after[0].cell.text == "Dead");
    CHECK(changes_of_gene({tag("Identity", {tag("Version")})}, {tag("Identity", {tag("Status")})})
              .size() == 2);
}

TEST_CASE("A value beside a comment can be replaced") {
    const auto found = changes({tag("T", {text("a"), node(CellKind::comment, "why")})},
                               {tag("T", {text("b"), node(CellKind::comment, "why")})});
    REQUIRE(found.size() == 1);
    CHECK(found[0].op == Op::replaced);
}

TEST_CASE("A long column is matched without regard to its order") {
    Nodes before, after;
    for (int i = 0; i < 500; ++i) before.push_back(text("v" + std::to_string(i)));
    for (int i = 500; i > 0; --i) after.push_back(text("v" + std::to_string(i)));
    const auto found = changes({tag("T", before)}, {tag("T", after)});
    REQUIRE(found.size() == 2);
    CHECK(found[0].after[0].cell.text == "v500");
    CHECK(found[1].before[0].cell.text == "v0");
}

TEST_CASE("Changes that do not fit a tree are refused") {
    const Nodes before{tag("A", {text("x")})}, after{tag("A", {text("y")})};
    const auto found = changes(before, after);
    CHECK(compare::apply({tag("B")}, found).error().kind == base::ErrorKind::conflict);
    CHECK(compare::apply(after, found).error().kind == base::ErrorKind::conflict);
}

TEST_CASE("Changes are counted by kind") {
    const auto counts = compare::count(
        changes({tag("A"), tag("V", {text("1")})}, {tag("B"), tag("C"), tag("V", {text("2")})}));
    CHECK(counts == compare::Counts{2, 1, 1});
    CHECK(counts.all() == 4);
}
