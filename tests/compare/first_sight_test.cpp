// SPDX-License-Identifier: MIT
#include "compare/first_sight.hpp"

#include "support/catch.hpp"
#include "support/trees.hpp"

using namespace compare;
using support::Nodes;
using support::stamped;
using support::tag;
using support::text;

namespace {

const std::string in_2005 = "2005-03-09_16:30:50_lstein", in_feb = "2008-02-01_09:15:20_sylvia",
                  in_march = "2008-03-15_08:05:09_caltech_juancarlos",
                  loading = "2008-01-25_10:00:00.1_wormpub";

Evidence evidence() {
    return {*base::parse_date("2007-01-01"),
            {{"WS186", *base::parse_date("2008-02-01")},
             {"WS187", *base::parse_date("2008-02-15")},
             {"WS188", *base::parse_date("2008-03-22")}},
            [](std::string_view stamp) { return stamp == loading; }};
}

}  // namespace

TEST_CASE("A value belongs to the first release dated on or after its timestamp") {
    const Nodes nodes{tag("Remark", {stamped(text("old"), in_2005), stamped(text("feb"), in_feb),
                                     stamped(text("march"), in_march)})};
    const auto seen = read_timestamps(nodes, evidence());
    REQUIRE(seen.size() == 2);
    CHECK(seen[0].release.version == "WS186");  // the very day of the release
    CHECK(seen[0].changes[0].after[0].cell.text == "feb");
    CHECK(seen[1].release.version == "WS188");
    CHECK(seen[1].changes[0].after[0].cell.text == "march");
}

TEST_CASE("A timestamp later than every release belongs to the current one") {
    const auto seen = read_timestamps({stamped(text("x"), "2009-01-01_00:00:00_a")}, evidence());
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].release.version == "WS188");
}

TEST_CASE("Missing, opaque and loading session's timestamps are no evidence") {
    CHECK(read_timestamps({stamped(text("a"), loading), stamped(text("b"), "not a date"),
                           text("c"), stamped(text("d"), "2007-01-01_23:59:59_x")},
                          evidence())
              .empty());
}

TEST_CASE("A tag is dated by the earliest value below it") {
    const Nodes all_new{
        stamped(tag("Identity", {tag("Name", {stamped(text("x"), in_march)})}), in_2005)};
    const auto seen = read_timestamps(all_new, evidence());
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].changes[0].path.empty());
    CHECK(seen[0].changes[0].after[0].cell.text == "Identity");

    const Nodes partly{stamped(tag("Identity", {tag("A", {stamped(text("x"), in_2005)}),
                                                tag("B", {stamped(text("y"), in_march)})}),
                               in_march)};
    const auto deeper = read_timestamps(partly, evidence());
    REQUIRE(deeper.size() == 1);
    CHECK(deeper[0].changes[0].path.size() == 1);
    CHECK(deeper[0].changes[0].after[0].cell.text == "B");
}

TEST_CASE("A tag without values below it is dated by its own timestamp") {
    const auto seen = read_timestamps({stamped(tag("Recessive"), in_feb)}, evidence());
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].release.version == "WS186");
}

TEST_CASE("A value below an older value is a change of its own") {
    const Nodes nodes{
        tag("GO_term",
            {stamped(text("GO:1", {tag("Paper_evidence", {stamped(text("P1"), in_march)})}),
                     in_feb)})};
    const auto seen = read_timestamps(nodes, evidence());
    REQUIRE(seen.size() == 2);
    CHECK(seen[0].changes[0].after[0].cell.text == "GO_term");
    CHECK(seen[0].changes[0].after[0].children[0].children.empty());
    CHECK(seen[1].changes[0].path.size() == 2);
    CHECK(seen[1].changes[0].after[0].cell.text == "Paper_evidence");
}

TEST_CASE("A comment goes with the node above it") {
    const Nodes nodes{
        stamped(text("x", {support::node(tree::CellKind::comment, "why")}), in_feb)};
    const auto seen = read_timestamps(nodes, evidence());
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].changes[0].after[0].children[0].cell.text == "why");
}
