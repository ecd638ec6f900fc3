// decide() gets an object's state before and after, without a store or a build.
// SPDX-License-Identifier: MIT
#include "history/decision.hpp"

#include "support/catch.hpp"
#include "support/trees.hpp"
#include "tree/outline.hpp"

using namespace tables;
using namespace history;
using support::Nodes;
using support::stamped;
using support::tag;
using support::text;

namespace {

const NamePaths name_paths = {{"Gene", {{"Identity", "Name", "Public_name"}, {"CGC_name"}}}};
const NamePaths search_paths = {{"gene", {{"Identity", "Name", "Other_name"}, {"Synonym"}}}};
const compare::Ignored ignored;
const tree::Models models;
const ObjectName gene{"Gene", "WBGene00006763"};

base::Date day(const char* text) { return *base::parse_date(text); }

DecisionInput setting() {
    const std::vector<Release> releases = {
        {"WS186", day("2008-02-01")}, {"WS187", day("2008-02-15")}, {"WS188", day("2008-03-22")}};
    return {releases.back(),
            "WS187",
            name_paths,
            search_paths,
            ignored,
            models,
            {day("2007-01-01"), releases, [](std::string_view) { return false; }},
            base::Seconds{day("2008-03-23")}};
}

After in_build(Nodes nodes) {
    auto signature = tree::signature_of(nodes);
    return {gene, std::move(nodes), std::move(signature)};
}
After gone() { return {gene, {}, {}}; }

// Its row and its tree are of the release before.
Before known(const Nodes& nodes) {
    Before before;
    before.row =
        ObjectRow{7, gene, {}, tree::signature_of(nodes), day("2008-02-15"), 2, 0, "WS187"};
    before.tree = KnownTree{"WS187", nodes};
    before.held = "WS187";
    before.recorded = {{0, 0, "WS187"}};
    return before;
}

const Nodes one = support::remark("one"), two = support::remark("two");

}  // namespace

TEST_CASE("At first sight timestamps give the history, one row a release") {
    const Nodes nodes{tag("Remark", {stamped(text("feb"), "2008-02-10_14:30:00_sylvia"),
                                     stamped(text("mar"), "2008-03-15_08:05:09_x"),
                                     stamped(text("old"), "2005-03-09_16:30:50_lstein")})};
    const auto outcome = decide({}, in_build(nodes), setting());
    REQUIRE(outcome.rows.size() == 2);
    CHECK(outcome.rows[0].release.version == "WS187");
    CHECK(outcome.rows[1].release.version == "WS188");
    for (const auto& row : outcome.rows) {
        CHECK(row.kind == RowKind::reconstructed);
        CHECK(row.since.empty());
    }
    CHECK(outcome.stores_tree);
}

TEST_CASE("At first sight the tree is kept even when no timestamp gives any history") {
    const auto outcome = decide({}, in_build(one), setting());
    CHECK(outcome.rows.empty());
    CHECK(outcome.stores_tree);
    CHECK(outcome.row.last_modified == day("2007-01-01"));
}

TEST_CASE("An object that is known to have been absent is created, or comes back") {
    auto before = known({});
    before.tree->is_there = false;
    CHECK(decide(before, in_build(one), setting()).rows.at(0).kind == RowKind::reappeared);
    before.tree.reset();
    before.was_absent = true;
    const auto outcome = decide(before, in_build(one), setting());
    CHECK(outcome.rows.at(0).kind == RowKind::created);
    CHECK(outcome.rows.at(0).since == "WS187");
    CHECK(outcome.stores_tree);
    CHECK_FALSE(decide(before, gone(), setting()).stores_tree);
}

TEST_CASE("The row of an earlier publication stands, is revised or withdrawn") {
    auto before = known(one);
    before.own = decide(before, in_build(two), setting()).rows.at(0);
    before.own->since = "WS186";
    auto outcome = decide(before, in_build(two), setting());
    CHECK(outcome.rows.empty());
    CHECK_FALSE(outcome.replaces_own);
    outcome = decide(before, gone(), setting());
    CHECK(outcome.rows.at(0).kind == RowKind::vanished);
    CHECK(outcome.rows.at(0).revision == before.own->revision + 1);
    CHECK(outcome.rows.at(0).since == "WS187");
    CHECK(outcome.replaces_own);
    outcome = decide(before, in_build(one), setting());
    CHECK(outcome.rows.at(0).kind == RowKind::withdrawn);
    CHECK(outcome.rows.at(0).since == "WS186");
    CHECK_FALSE(outcome.stores_tree);
    before.own = outcome.rows.at(0);
    CHECK(decide(before, in_build(one), setting()).rows.empty());
    CHECK(decide(before, in_build(two), setting()).rows.at(0).revision ==
          before.own->revision + 1);
}

TEST_CASE("A class without configured paths has its label where databases mostly have one") {
    const auto label = [](const Nodes& nodes) {
        return label_of(nodes, {"Term", "T:1"}, name_paths);
    };
    const auto nucleus_in = [](const char* field) { return tag(field, {text("nucleus")}); };
    for (const auto* field : {"name", "Title", "LABEL", "Public_name"})
        CHECK(label({tag("a", {text("b")}), nucleus_in(field)}) == "nucleus");
    CHECK(label({tag("name", {tag("official", {text("a")}), nucleus_in("common")})}) ==
          "nucleus");
    CHECK(label({tag("Identity", {tag("Name", {nucleus_in("Public_name")})})}) == "nucleus");
    CHECK(label({tag("other", {nucleus_in("name")})}) == "T:1");
    const auto parsed = tree::Models::parse("?Term Definition Text\n?Paper Title Text\n");
    CHECK_FALSE(history::may_have_label("Term", name_paths, parsed));
    CHECK(history::may_have_label("Paper", name_paths, parsed));
    CHECK(history::may_have_label("Gene", name_paths, parsed));
    CHECK(history::may_have_label("Unknown", name_paths, parsed));
}

TEST_CASE("The label comes from the first path that is found, else it is the name") {
    const Nodes both{tag("CGC_name", {text("cgc")}),
                     tag("Identity", {tag("Name", {tag("Public_name", {text("unc-26")})})})};
    CHECK(label_of(both, gene, name_paths) == "unc-26");
    CHECK(label_of({tag("cgc_NAME", {text("cgc")})}, gene, name_paths) == "cgc");
    CHECK(label_of({}, gene, name_paths) == "WBGene00006763");
    const Nodes lines{tag("CGC_name", {text("first line\nsecond")})};
    CHECK(label_of(lines, gene, name_paths) == "first line");
    const Nodes longer{tag("CGC_name", {text(std::string(99, 'a') + "\xC3\xA9\xC3\xA9")})};
    CHECK(label_of(longer, gene, name_paths) == std::string(99, 'a') + "\xE2\x80\xA6");
    // No marks that turn the direction of what follows.
    const std::string mark = "\xE2\x80\xAE";
    CHECK(label_of({tag("CGC_name", {text(mark + "unc-26")})}, gene, name_paths) == "unc-26");
    CHECK(label_of({}, {"Gene", "a" + mark + "b"}, name_paths) == "ab");
}

TEST_CASE("A vanished object keeps its last label") {
    const Nodes named{tag("CGC_name", {text("unc-26")})};
    CHECK(decide(known(named), gone(), setting()).rows[0].label == "unc-26");
}
