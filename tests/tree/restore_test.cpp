// SPDX-License-Identifier: MIT
#include "tree/restore.hpp"

#include "support/catch.hpp"
#include "support/trees.hpp"
#include "tree/outline.hpp"

using support::Nodes;
using support::reference;
using support::tag;
using support::text;
using tree::CellKind;
using tree::Models;

namespace {

const Models& models_with_paths() {
    static const auto models =
        Models::parse("?Gene Evidence #Evidence\n"
                      "      Identity Name CGC_name UNIQUE ?Gene_name #Evidence\n"
                      "                    Other_name ?Gene_name\n"
                      "               Status UNIQUE Live #Evidence\n"
                      "      Phenotype ?Phenotype #Info\n"
                      "      Deep Deeper Deepest Float\n"
                      "#Info Penetrance Range UNIQUE Int UNIQUE Int\n"
                      "      Recessive #Evidence\n"
                      "#Evidence Paper_evidence ?Paper\n"
                      "          Source Curated Text\n");
    return models;
}

Nodes restored(Nodes nodes, const Models& models = models_with_paths(), const char* of = "Gene") {
    tree::restore_paths(nodes, models, models.of_class(of));
    return nodes;
}

Nodes random_tags(int depth) {
    static const std::vector<std::string> words = {
        "Identity", "Name", "CGC_name", "Live",   "live",    "Evidence", "Paper_evidence",
        "Range",    "Deep", "Deepest",  "Nobody", "Curated", "Phenotype"};
    Nodes nodes = support::random_nodes(depth);
    const auto rename = [&](auto& self, Nodes& siblings) -> void {
        for (auto& node : siblings) {
            if (node.cell.kind == CellKind::tag) node.cell.text = *rc::gen::elementOf(words);
            self(self, node.children);
        }
    };
    rename(rename, nodes);
    tree::merge_duplicates(nodes);
    return nodes;
}

}  // namespace

TEST_CASE(
    "A shortened path is put below the tags that lead there, and its cells get their kinds") {
    CHECK(restored({tag("CGC_name", {text("unc-26", {tag("Paper_evidence", {text("P1")})})})}) ==
          Nodes{tag(
              "Identity",
              {tag("Name", {tag("CGC_name", {reference("Gene_name", "unc-26",
                                                       {tag("Paper_evidence",
                                                            {reference("Paper", "P1")})})})})})});
}

TEST_CASE("Tags shared by the paths of several lines are merged") {
    CHECK(restored({tag("Evidence"), tag("CGC_name", {text("a")}), tag("Live"),
                    tag("Other_name", {text("b")})}) ==
          Nodes{tag("Evidence"),
                tag("Identity", {tag("Name", {tag("CGC_name", {reference("Gene_name", "a")}),
                                              tag("Other_name", {reference("Gene_name", "b")})}),
                                 tag("Status", {tag("Live")})})});
}

TEST_CASE("A path joins an existing tag before or after it") {
    const Nodes whole{
        tag("Identity", {tag("Status", {tag("Live")}),
                         tag("Name", {tag("Other_name", {reference("Gene_name", "b")})})})};
    CHECK(restored({tag("Identity", {tag("Status", {tag("Live")})}),
                    tag("Other_name", {text("b")})}) == whole);
    CHECK(restored({tag("Live"), tag("Identity", {tag("Other_name", {text("b")})})}) == whole);
}

TEST_CASE("Paths are restored below the value that carries a hash") {
    CHECK(restored({tag("Phenotype",
                        {text("x", {tag("Range", {support::node(CellKind::integer, "80")}),
                                    tag("Recessive", {tag("Curated", {text("by hand")})})})})}) ==
          Nodes{tag(
              "Phenotype",
              {reference(
                  "Phenotype", "x",
                  {tag("Penetrance", {tag("Range", {support::node(CellKind::integer, "80")})}),
                   tag("Recessive", {tag("Source", {tag("Curated", {text("by hand")})})})})})});
}

TEST_CASE("The tags of a deeper hash do not belong to the object itself") {
    const Nodes nodes{tag("Paper_evidence", {text("P1")})};
    CHECK(restored(nodes) == nodes);
}

TEST_CASE("Nodes unknown to the models stay where they are") {
    const Nodes nodes{tag("Nobody", {tag("CGC_name", {text("a")})}), text("CGC_name"),
                      support::node(CellKind::integer, "7"),
                      support::node(CellKind::comment, "Live")};
    CHECK(restored(nodes) == nodes);
    CHECK(restored(nodes, Models()) == nodes);
    CHECK(restored({tag("Live")}, models_with_paths(), "Protein") == Nodes{tag("Live")});
}

TEST_CASE("A number gets the kind that its place needs") {
    const auto nodes = restored({tag("Deepest", {support::node(CellKind::integer, "7")})});
    CHECK(nodes ==
          Nodes{tag("Deep",
                    {tag("Deeper", {tag("Deepest", {support::node(CellKind::real, "7")})})})});
}

TEST_CASE("Restoring twice equals restoring once, and loses no value") {
    CHECK(rc::check([] {
        auto nodes = random_tags(4);
        const auto once = restored(nodes);
        RC_ASSERT(restored(once) == once);
        const auto count = [](auto& self, const Nodes& siblings) -> std::size_t {
            std::size_t values = 0;
            for (const auto& node : siblings)
                values += (tree::is_value(node.cell.kind) ? 1u : 0u) + self(self, node.children);
            return values;
        };
        RC_ASSERT(count(count, once) == count(count, nodes));
    }));
}

TEST_CASE("No restored node is deeper than the limit") {
    const auto models = Models::parse("?X A B C T #X\n");
    Nodes nodes;
    for (std::size_t i = 0; i < tree::deepest_node - 3; ++i) {
        Nodes outer{tag("T")};
        outer[0].children = std::move(nodes);
        nodes = std::move(outer);
    }
    const auto done = restored(std::move(nodes), models, "X");
    std::size_t depth = 0;
    for (const auto* at = &done; !at->empty(); at = &at->front().children) ++depth;
    CHECK(depth == tree::deepest_node);
}

TEST_CASE("Circular hashes and equal names come to an end") {
    const auto models = Models::parse("?X Tag #A\n#A #B\n   One Two\n#B #A\n   Three Four\n"
                                      "?Y Long Way Two\n   Two\n");
    CHECK(restored({tag("Tag", {tag("Four"), tag("Two")})}, models, "X") ==
          Nodes{tag("Tag", {tag("Three", {tag("Four")}), tag("One", {tag("Two")})})});
    CHECK(restored({tag("Two")}, models, "Y") == Nodes{tag("Two")});
}

TEST_CASE("Tens of thousands of shortened lines are restored in linear time") {
    Nodes nodes;
    for (int i = 0; i < 30'000; ++i) {
        nodes.push_back(tag("Other_name", {text(std::to_string(i))}));
        nodes.push_back(tag("N" + std::to_string(i)));
    }
    const auto done = restored(std::move(nodes));
    CHECK(done.size() == 30'001);
    CHECK(tree::count_nodes(done) == 30'000 * 3 + 2);
}
