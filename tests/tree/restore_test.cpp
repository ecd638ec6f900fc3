// SPDX-License-Identifier: MIT
#include "tree/restore.hpp"

#include "support/catch.hpp"
#include "support/trees.hpp"
#include "tree/outline.hpp"

using support::Nodes;
using support::reference;
using support::tag;
using support::text;
using tree::Kind;
using tree::Models;

namespace {

const Models& small_models() {
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

Nodes restored(Nodes nodes, const Models& models = small_models(), const char* of = "Gene") {
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
            if (node.cell.kind == Kind::tag) node.cell.text = *rc::gen::elementOf(words);
            self(self, node.children);
        }
    };
    rename(rename, nodes);
    tree::merge_duplicates(nodes);
    return nodes;
}

}  // namespace

TEST_CASE("a shortened path is put behind the tags that lead there, and cells get their kinds") {
    CHECK(restored({tag("CGC_name", {text("unc-26", {tag("Paper_evidence", {text("P1")})})})}) ==
          Nodes{tag(
              "Identity",
              {tag("Name", {tag("CGC_name", {reference("Gene_name", "unc-26",
                                                       {tag("Paper_evidence",
                                                            {reference("Paper", "P1")})})})})})});
}

TEST_CASE("tags that the ways of several lines share become one") {
    CHECK(restored({tag("Evidence"), tag("CGC_name", {text("a")}), tag("Live"),
                    tag("Other_name", {text("b")})}) ==
          Nodes{tag("Evidence"),
                tag("Identity", {tag("Name", {tag("CGC_name", {reference("Gene_name", "a")}),
                                              tag("Other_name", {reference("Gene_name", "b")})}),
                                 tag("Status", {tag("Live")})})});
}

TEST_CASE("a way joins the tag that stands there already, before it or behind it") {
    const Nodes whole{
        tag("Identity", {tag("Status", {tag("Live")}),
                         tag("Name", {tag("Other_name", {reference("Gene_name", "b")})})})};
    CHECK(restored({tag("Identity", {tag("Status", {tag("Live")})}),
                    tag("Other_name", {text("b")})}) == whole);
    CHECK(restored({tag("Live"), tag("Identity", {tag("Other_name", {text("b")})})}) == whole);
}

TEST_CASE("paths are restored below the value that carries a hash") {
    CHECK(restored({tag("Phenotype",
                        {text("x", {tag("Range", {support::node(Kind::integer, "80")}),
                                    tag("Recessive", {tag("Curated", {text("by hand")})})})})}) ==
          Nodes{tag(
              "Phenotype",
              {reference(
                  "Phenotype", "x",
                  {tag("Penetrance", {tag("Range", {support::node(Kind::integer, "80")})}),
                   tag("Recessive", {tag("Source", {tag("Curated", {text("by hand")})})})})})});
}

TEST_CASE("the tags of a hash further down are nobody's own") {
    const Nodes nodes{tag("Paper_evidence", {text("P1")})};
    CHECK(restored(nodes) == nodes);
}

TEST_CASE("what the models don't know stays where it is") {
    const Nodes nodes{tag("Nobody", {tag("CGC_name", {text("a")})}), text("CGC_name"),
                      support::node(Kind::integer, "7"), support::node(Kind::comment, "Live")};
    CHECK(restored(nodes) == nodes);
    CHECK(restored(nodes, Models()) == nodes);
    CHECK(restored({tag("Live")}, small_models(), "Protein") == Nodes{tag("Live")});
}

TEST_CASE("a number gets the kind that its place asks for") {
    const auto nodes = restored({tag("Deepest", {support::node(Kind::integer, "7")})});
    CHECK(nodes == Nodes{tag("Deep", {tag("Deeper",
                                          {tag("Deepest", {support::node(Kind::real, "7")})})})});
}

TEST_CASE("restoring twice is restoring once, and loses no value") {
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

TEST_CASE("nothing comes to stand deeper than nodes may nest") {
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

TEST_CASE("hashes in a circle, and namesakes, come to an end") {
    const auto models = Models::parse("?X Tag #A\n#A #B\n   One Two\n#B #A\n   Three Four\n"
                                      "?Y Long Way Two\n   Two\n");
    CHECK(restored({tag("Tag", {tag("Four"), tag("Two")})}, models, "X") ==
          Nodes{tag("Tag", {tag("Three", {tag("Four")}), tag("One", {tag("Two")})})});
    CHECK(restored({tag("Two")}, models, "Y") == Nodes{tag("Two")});
}

TEST_CASE("a hundred thousand shortened lines are restored at once") {
    Nodes nodes;
    for (int i = 0; i < 100'000; ++i) {
        nodes.push_back(tag("Other_name", {text(std::to_string(i))}));
        nodes.push_back(tag("N" + std::to_string(i)));
    }
    const auto done = restored(std::move(nodes));
    CHECK(done.size() == 100'001);
    CHECK(tree::count_nodes(done) == 100'000 * 3 + 2);
}
