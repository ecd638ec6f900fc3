// SPDX-License-Identifier: MIT
#include "tree/json.hpp"

#include "support/catch.hpp"
#include "support/trees.hpp"
#include "tree/outline.hpp"

using support::node;
using support::Nodes;
using tree::CellKind;

namespace {

std::string json_of(const Nodes& nodes) {
    std::string text;
    base::JsonWriter json(text);
    tree::write_json(json, nodes);
    return text;
}

}  // namespace

TEST_CASE("Each kind of cell has its own form in JSON") {
    const Nodes nodes = {
        support::tag("Identity"),         support::reference("Person", "WBPerson1"),
        support::text("a \"b\"\n\x01"),   node(CellKind::integer, "2"),
        node(CellKind::real, "7.923100"), node(CellKind::date, "1992-03"),
        node(CellKind::comment, "c"),     {{CellKind::member, "WBPaper1", "Paper"}, {}, {}}};
    CHECK(json_of(nodes) == R"([{"tag":"Identity"},{"class":"Person","name":"WBPerson1"},)"
                            R"({"text":"a \"b\"\n\u0001"},{"int":2},{"float":"7.923100"},)"
                            R"({"date":"1992-03"},{"comment":"c"},)"
                            R"({"class":"Paper","name":"WBPaper1","member":true}])");
}

TEST_CASE("A timestamp in JSON is a time and a curator, or opaque") {
    const Nodes nodes = {support::stamped(support::tag("A"), "2008-02-01_09:15:20_sylvia"),
                         support::stamped(support::tag("B"), "original")};
    CHECK(json_of(nodes) == R"([{"tag":"A","at":"2008-02-01T09:15:20","by":"sylvia"},)"
                            R"({"tag":"B","stamp":"original"}])");
}

TEST_CASE("Nodes are the same after writing and reading JSON") {
    CHECK(rc::check([] {
        const auto nodes = support::random_nodes(3);
        const auto read = tree::parse_nodes(json_of(nodes));
        RC_ASSERT(read.has_value());
        RC_ASSERT(json_of(*read) == json_of(nodes));
        RC_ASSERT(tree::signature_of(*read) == tree::signature_of(nodes));
    }));
}

TEST_CASE("JSON that does not describe nodes is refused") {
    for (const auto* text :
         {"", "{}", "[1]", "[{}]", "[{\"tag\":1}]", "[{\"int\":1.5}]", "[{\"class\":\"Gene\"}]",
          "[{\"tag\":\"A\",\"children\":1}]", "[{\"tag\":\"A\",\"at\":\"x\",\"by\":\"y\"}]"}) {
        INFO(text);
        const auto read = tree::parse_nodes(text);
        REQUIRE_FALSE(read);
        CHECK(read.error().kind == base::ErrorKind::malformed);
    }
}

TEST_CASE("Endlessly nested nodes are refused") {
    std::string text = "[";
    for (int i = 0; i < 5000; ++i) text += R"({"tag":"A","children":[)";
    text += "]";
    for (int i = 0; i < 5000; ++i) text += "}]";
    const auto read = tree::parse_nodes(text);
    REQUIRE_FALSE(read);
    CHECK(read.error().kind == base::ErrorKind::too_large);
}
