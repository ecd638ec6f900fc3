// SPDX-License-Identifier: MIT
#include <algorithm>
#include <random>
#include <set>

#include "support/catch.hpp"
#include "support/trees.hpp"
#include "tree/outline.hpp"

using support::node;
using support::Nodes;
using tree::CellKind;
using tree::signature_of;

namespace {

void shuffle(Nodes& nodes, std::mt19937& chance) {
    std::shuffle(nodes.begin(), nodes.end(), chance);
    for (auto& each : nodes) shuffle(each.children, chance);
}

// Removes what a models file adds, or the timestamps.
void strip(Nodes& nodes) {
    for (auto& each : nodes) {
        if (each.cell.kind == CellKind::reference)
            each.cell = {CellKind::text, each.cell.text, {}};
        each.stamp.clear();
        strip(each.children);
    }
}

Nodes doubled(const Nodes& nodes) {
    Nodes twice;
    for (const auto& each : nodes) {
        auto copy = each;
        copy.children = doubled(each.children);
        twice.push_back(copy);
        twice.insert(twice.begin(), std::move(copy));
    }
    return twice;
}

std::set<support::ContentPath> paths_in(const Nodes& nodes) {
    const auto paths = support::content_paths(nodes);
    return {paths.begin(), paths.end()};
}

std::string bytes_of(const Nodes& nodes) {
    tree::Outline outline;
    for (const auto& each : nodes) {
        const auto place = outline.add_copy(
            tree::Outline::root, tree::notation_of(each.cell.kind), tree::key_of(each.cell));
        for (const auto& child : each.children)
            outline.add_copy(place, tree::notation_of(child.cell.kind), tree::key_of(child.cell));
    }
    return outline.canonical_bytes();
}

}  // namespace

TEST_CASE("Order, duplicates, timestamps and models do not affect the signature") {
    CHECK(rc::check([](std::uint32_t seed) {
        std::mt19937 chance(seed);
        const auto nodes = support::random_nodes(3);
        const auto signature = signature_of(nodes);
        auto other = doubled(nodes);
        shuffle(other, chance);
        strip(other);
        RC_ASSERT(signature_of(other) == signature);
    }));
}

TEST_CASE("Trees of different content have different signatures") {
    CHECK(rc::check([] {
        auto a = support::random_nodes(2), b = support::random_nodes(2);
        strip(a);
        strip(b);
        const bool are_same = paths_in(a) == paths_in(b);
        RC_ASSERT((signature_of(a) == signature_of(b)) == are_same);
        RC_ASSERT((bytes_of(a) == bytes_of(b)) == are_same);
    }));
}

TEST_CASE("A number equals its other spellings, a text does not") {
    CHECK(signature_of({node(CellKind::integer, "2")}) ==
          signature_of({node(CellKind::real, "2.000000")}));
    CHECK(signature_of({node(CellKind::text, "2")}) !=
          signature_of({node(CellKind::text, "2.000000")}));
    CHECK(signature_of({node(CellKind::text, "2")}) !=
          signature_of({node(CellKind::integer, "2")}));
    CHECK(signature_of({node(CellKind::comment, "x")}) !=
          signature_of({node(CellKind::text, "x")}));
}

TEST_CASE("Children differ from siblings, and an object without content has a signature") {
    CHECK(signature_of({support::tag("A", {support::tag("B")})}) !=
          signature_of({support::tag("A"), support::tag("B")}));
    CHECK(signature_of({}) == "d41d8cd98f00b204e9800998ecf8427e");
}

TEST_CASE("The canonical bytes are those that the outline's header describes") {
    using namespace std::string_literals;
    CHECK(bytes_of({support::tag("B", {support::text("t"), node(CellKind::real, "1.50")}),
                    support::tag("A")}) == "bA\0bB\1b1.5\0qt\0\2"s);
}

TEST_CASE("An outline can be used again") {
    tree::Outline outline;
    outline.add_copy(tree::Outline::root, tree::Notation::bare, "First");
    const auto first = outline.signature();
    outline.clear();
    outline.add_copy(tree::Outline::root, tree::Notation::bare, "Other");
    CHECK(outline.signature() != first);
    outline.clear();
    outline.add_copy(tree::Outline::root, tree::Notation::bare, "First");
    CHECK(outline.signature() == first);
}

TEST_CASE("Equal siblings are signed as one node with the children of all of them") {
    const Nodes apart{support::tag("A", {support::text("x")}), support::tag("B"),
                      support::tag("A", {support::text("y")})};
    const Nodes together{support::tag("A", {support::text("x"), support::text("y")}),
                         support::tag("B")};
    CHECK(signature_of(apart) == signature_of(together));
}

TEST_CASE("Members of a KeySet with one name differ if their classes do") {
    auto gene = node(CellKind::member, "a"), paper = gene;
    gene.cell.class_name = "Gene";
    paper.cell.class_name = "Paper";
    CHECK_FALSE(tree::same_content(gene.cell, paper.cell));
    CHECK(signature_of({gene}) != signature_of({paper}));
}
