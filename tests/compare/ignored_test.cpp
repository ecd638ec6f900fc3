// SPDX-License-Identifier: MIT
#include "compare/ignored.hpp"

#include <rapidcheck.h>

#include "compare/compare.hpp"
#include "support/catch.hpp"
#include "support/trees.hpp"
#include "tree/outline.hpp"

using compare::Change;
using compare::Ignored;
using compare::Op;
using compare::without_ignored;
using support::Nodes;
using support::stamped;
using support::tag;
using support::text;
using tree::Models;

namespace {

const Ignored homol = {{"Protein", {{"Homol"}}}};

std::vector<Change> changes(const Nodes& before, const Nodes& after, const Ignored& ignored,
                            std::string_view class_name = "Protein") {
    return without_ignored(compare::compare(before, after, Models{}, Models::unknown), ignored,
                           class_name);
}

Nodes left_of(const Nodes& nodes, const Ignored& ignored) {
    return without_ignored(nodes, ignored, "Protein").value_or(nodes);
}

Ignored random_list() {
    const auto word = rc::gen::element<std::string>("1", "a", "B", "z");
    Ignored list;
    for (int i = *rc::gen::inRange(1, 4); i > 0; --i) {
        std::vector<std::string> path;
        for (int tags = *rc::gen::inRange(1, 4); tags > 0; --tags) path.push_back(*word);
        list.push_back({*rc::gen::element<std::string>("*", "Protein", "PROTEIN", "Gene"),
                        {std::move(path)}});
    }
    return list;
}

// Adds in some places a tag that is ignored anywhere, below a tag of its own or not.
Nodes with_ignored(Nodes nodes, int depth = 0) {
    for (auto& node : nodes) node.children = with_ignored(std::move(node.children), depth + 1);
    if (*rc::gen::inRange(0, 2) == 0) {
        const auto homology = tag("Homol", support::random_nodes(2));
        nodes.push_back(*rc::gen::arbitrary<bool>() ? homology : tag("Other", {homology}));
    }
    // Adds one that is ignored where a path of tags leads to it.
    if (depth == 0 && *rc::gen::arbitrary<bool>())
        nodes.push_back(tag("History", {tag("Last", support::random_nodes(2))}));
    tree::merge_duplicates(nodes);
    return nodes;
}

}  // namespace

TEST_CASE("An ignored tag is left out everywhere, with all nodes below it") {
    const Nodes before{tag("Title", {text("one")}), tag("Homol", {text("a", {tag("Score")})})},
        after{tag("Title", {text("two", {tag("homol", {text("x")})})}), tag("Homol")};
    const auto found = changes(before, after, homol);
    REQUIRE(found.size() == 1);
    CHECK(found[0].op == Op::replaced);
    CHECK(found[0].after[0] == text("two"));
    CHECK(changes(before, after, {}).size() == 2);
}

TEST_CASE("An ignored path is left out only where it leads") {
    const Ignored list = {{"Protein", {{"History", "Last"}}}};
    const Nodes before{tag("History", {tag("Last", {text("1")}), tag("First", {text("1")})}),
                       tag("Other", {tag("History", {tag("Last", {text("1")})})}),
                       tag("Last", {text("1")})},
        after{tag("HISTORY", {tag("LAST", {text("2")}), tag("First", {text("1")})}),
              tag("Other", {tag("History", {tag("Last", {text("2")})})}),
              tag("Last", {text("2")})};
    CHECK(changes(before, before, list).empty());
    const auto found = changes({before[0]}, {tag("History", after[0].children)}, list);
    CHECK(found.empty());
    CHECK(changes({before[1]}, {after[1]}, list).size() == 1);
    CHECK(changes({before[2]}, {after[2]}, list).size() == 1);
    // A value on the path is not one of its tags.
    CHECK(changes({tag("History", {text("x")})},
                  {tag("History", {text("x", {tag("Last", {text("1")})})})}, list)
              .size() == 1);
}

TEST_CASE(
    "An ignore list applies to its class in any case, and to all classes under an asterisk") {
    const Nodes after{tag("Homol", {text("a")})};
    CHECK(changes({}, after, {{"PROTEIN", {{"HOMOL"}}}}).empty());
    CHECK(changes({}, after, {{"*", {{"Homol"}}}}).empty());
    CHECK(changes({}, after, {{"Gene", {{"Homol"}}}}).size() == 1);
    CHECK(changes({}, after, {{"protein", {{"x"}}}, {"Protein", {{"y"}, {"Homol"}}}}).empty());
    CHECK(changes({}, after, {{"Protein", {}}}).size() == 1);
}

TEST_CASE("A tag that is left empty is removed too, but a value or an empty tag stays") {
    const Nodes ignored{tag("Homol", {text("a")})};
    CHECK(changes({}, {tag("Other", {tag("More", ignored)})}, homol).empty());
    CHECK(changes({tag("Other", ignored)}, {}, homol).empty());
    CHECK(changes({}, {tag("Other")}, homol).size() == 1);
    const auto value = changes({}, {tag("Other", {text("v", ignored)})}, homol);
    REQUIRE(value.size() == 1);
    CHECK(value[0].after == Nodes{tag("Other", {text("v")})});
    // It was there before and is there now, so it is not a change.
    CHECK(changes({tag("Other")}, {tag("Other", ignored)}, homol).empty());
    CHECK(changes({tag("Other", ignored)}, {tag("Other")}, homol).empty());
}

TEST_CASE("What replaces something ignored is added, and what it replaces is removed") {
    const auto models = Models::parse("?Protein Status UNIQUE Live\n"
                                      "                       Homol\n");
    const auto changes_of = [&](const Nodes& before, const Nodes& after) {
        return without_ignored(
            compare::compare(before, after, models, models.of_class("Protein")), homol,
            "Protein");
    };
    const Nodes live{tag("Status", {tag("Live")})}, ignored{tag("Status", {tag("Homol")})};
    const auto added = changes_of(ignored, live), removed = changes_of(live, ignored);
    REQUIRE(added.size() == 1);
    CHECK(added[0] == Change{Op::added, {{live[0].cell}}, {}, {tag("Live")}});
    REQUIRE(removed.size() == 1);
    CHECK(removed[0] == Change{Op::removed, {{live[0].cell}}, {tag("Live")}, {}});
}

TEST_CASE("Two trees that differ only in ignored places have no changes") {
    const Ignored list = {{"Protein", {{"Homol"}}}, {"*", {{"History", "Last"}}}};
    CHECK(rc::check([&] {
        const auto nodes = left_of(support::random_nodes(3), list);
        const auto before = with_ignored(nodes), after = with_ignored(nodes);
        RC_ASSERT(changes(before, after, list).empty());
        if (nodes.empty()) RC_ASSERT(changes({}, before, list).empty());
    }));
}

TEST_CASE("Content that is not ignored is compared in full beside ignored content") {
    CHECK(rc::check([] {
        const auto before = support::random_nodes(4), after = support::random_nodes(4);
        const auto list = random_list();
        const auto found = changes(before, after, list);
        const auto applied = compare::apply(before, found);
        RC_ASSERT(applied.has_value());
        RC_ASSERT(changes(*applied, after, list).empty());
        // No change shows ignored content.
        for (const auto& change : found)
            for (const auto& nodes : {change.before, change.after})
                if (change.path.empty()) RC_ASSERT(left_of(nodes, list) == nodes);
    }));
}

TEST_CASE("Nothing changes in a class that ignores nothing") {
    const Nodes before{tag("Homol", {text("a")})}, after{tag("Homol", {text("b")})};
    const auto all = compare::compare(before, after, Models{}, Models::unknown);
    CHECK(without_ignored(all, {}, "Protein") == all);
    CHECK(without_ignored(all, homol, "Gene") == all);
    CHECK_FALSE(without_ignored(before, {}, "Protein"));
    CHECK_FALSE(without_ignored(before, homol, "Gene"));
}

TEST_CASE("The remaining tree keeps its timestamps") {
    const Nodes nodes{stamped(tag("Title", {stamped(text("one"), "2008-02-01_09:15:20_x")}),
                              "2008-02-01_09:15:21_x"),
                      tag("Other", {tag("Homol", {text("a")})}), tag("Empty"),
                      tag("Both", {tag("Homol"), tag("Real")})};
    CHECK(without_ignored(nodes, homol, "Protein") ==
          Nodes{nodes[0], tag("Empty"), tag("Both", {tag("Real")})});
    CHECK(rc::check([] {
        const auto tree = support::random_nodes(4);
        const auto list = random_list();
        const auto left = left_of(tree, list);
        RC_ASSERT(left_of(left, list) == left);
        RC_ASSERT(changes(tree, left, list).empty());
    }));
}

TEST_CASE("Trees of the greatest allowed depth are filtered") {
    support::Node deep = text("end");
    for (std::size_t i = 0; i < tree::deepest_node; ++i) deep = tag("Tag", {std::move(deep)});
    const auto found = changes({}, {deep}, homol);
    REQUIRE(found.size() == 1);
    CHECK(found[0].after[0] == deep);
    CHECK(without_ignored(Nodes{deep}, homol, "Protein") == Nodes{deep});
}
