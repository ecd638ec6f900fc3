// SPDX-License-Identifier: MIT
#include "compare/added_in.hpp"

#include <algorithm>
#include <rapidcheck.h>
#include <set>

#include "compare/compare.hpp"
#include "support/catch.hpp"
#include "support/trees.hpp"

using compare::AddedIn;
using support::Nodes;
using support::reference;
using support::tag;
using support::text;
using tree::Models;

namespace {

std::vector<compare::Change> between(const Nodes& before, const Nodes& after) {
    return compare::compare(before, after, Models{}, Models::unknown);
}

// Marks the last of several trees with the number of the one that brought each node.
std::vector<AddedIn::Mark> marks_after(const std::vector<Nodes>& trees) {
    AddedIn added(trees.back());
    for (auto i = trees.size() - 1; i > 0; --i)
        added.mark(between(trees[i - 1], trees[i]), static_cast<AddedIn::Mark>(i));
    added.mark_rest(0);
    return added.marks();
}

Nodes level_of(int levels, Nodes below) {
    for (int i = 0; i < levels; ++i) below = {tag("Level", std::move(below))};
    return below;
}

}  // namespace

TEST_CASE("Each node is marked with the change since which it was always there") {
    CHECK(rc::check([] {
        std::vector<Nodes> trees(static_cast<std::size_t>(*rc::gen::inRange(1, 7)));
        for (auto& nodes : trees) nodes = support::random_nodes(4);
        const auto marks = marks_after(trees);
        const auto paths = support::content_paths(trees.back());
        std::vector<std::set<support::ContentPath>> known;
        for (const auto& nodes : trees) {
            const auto all = support::content_paths(nodes);
            known.emplace_back(all.begin(), all.end());
        }
        RC_ASSERT(marks.size() == paths.size());
        for (std::size_t at = 0; at < paths.size(); ++at) {
            auto since = trees.size() - 1;
            while (since > 0 && known[since - 1].contains(paths[at])) --since;
            RC_ASSERT(marks[at] == since);
        }
    }));
}

TEST_CASE("Two trees mark what their difference marks") {
    CHECK(rc::check([] {
        const auto before = support::random_nodes(4), after = support::random_nodes(4);
        AddedIn by_trees(after), by_changes(after);
        by_trees.mark_new(before, after, 1);
        by_changes.mark(between(before, after), 1);
        RC_ASSERT(by_trees.marks() == by_changes.marks());
    }));
}

TEST_CASE("A deep node that was replaced as a whole brought only what is new in it") {
    const auto old_one = level_of(1'000, {text("old"), text("stays")});
    auto new_one = level_of(1'000, {text("stays"), text("new")});
    const compare::Change whole{compare::Op::replaced, {}, old_one, new_one};
    AddedIn added(new_one);
    added.mark(std::span(&whole, 1), 1);
    CHECK(std::ranges::count(added.marks(), AddedIn::Mark{1}) == 1);
    CHECK(added.marks().back() == 1);
}

TEST_CASE("Changes of what is not in the tree, and paths that lead nowhere, mark nothing") {
    const Nodes nodes = {tag("Name", {text("a")})};
    const std::vector<compare::Change> changes = {
        {compare::Op::added, {}, {}, {tag("Gone", {text("a")})}},
        {compare::Op::added, {nodes[0].cell, text("b").cell}, {}, {text("a")}},
        {compare::Op::removed, {nodes[0].cell}, {text("a")}, {}},
        {compare::Op::added, {tag("Nowhere").cell}, {}, {text("a")}}};
    AddedIn added(nodes);
    added.mark(changes, 1);
    CHECK(added.marks() == std::vector(2, AddedIn::none));
    CHECK_FALSE(added.is_complete());
}

TEST_CASE("Long lists are marked by content") {
    Nodes before, after;
    for (int i = 0; i < 50'000; ++i) {
        before.push_back(reference("Gene", "g" + std::to_string(i)));
        after.push_back(reference("Gene", "g" + std::to_string(i * 2)));
    }
    const auto marks = marks_after({before, after});
    CHECK(std::ranges::count(marks, AddedIn::Mark{1}) == 25'000);
    AddedIn added(after);
    added.mark_new(before, after, 1);
    CHECK(std::ranges::count(added.marks(), AddedIn::Mark{1}) == 25'000);
}
