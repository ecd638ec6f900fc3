// Successors of vanished and renamed objects.
// SPDX-License-Identifier: MIT
#include "render/successor.hpp"
#include "sample.hpp"
#include "support/catch.hpp"
#include "support/html_rules.hpp"

using namespace sample;
using Catch::Matchers::Contains;
using render::Successor;
using support::reference;
using support::tag;

namespace {

render::Site merging() {
    auto look = site();
    look.successor_of_class = {
        {"Gene", {{"Identity", "Merged_into"}, {"Identity", "History", "Split_into"}}}};
    return look;
}
std::optional<Successor> successor_of(std::vector<Row> rows) {
    return render::successor_of(history_of(std::move(rows)), merging());
}
Row gone(std::vector<Change> changes) {
    auto r = row("WS188", day(2008, 3, 22), std::move(changes));
    r.kind = RowKind::vanished;
    return r;
}
Row changed(std::vector<Change> changes) {
    return row("WS187", day(2008, 2, 15), std::move(changes));
}
Node merged_into(const char* name) { return tag("Merged_into", {reference("Gene", name)}); }
const Successor merged{"Merged into", {"Gene", "WBGene2"}};

}  // namespace

TEST_CASE("A successor is found in content added at one of the paths, complete or partial") {
    CHECK(successor_of({changed({added(tags({"Identity"}), merged_into("WBGene2"))})}) == merged);
    CHECK(successor_of({changed({added({}, tag("Identity", {merged_into("WBGene2")}))})}) ==
          merged);
    CHECK(successor_of({changed({added(tags({"IDENTITY", "merged_INTO"}),
                                       reference("Gene", "WBGene2"))})}) == merged);
    auto below = tags({"Identity", "Merged_into"});
    below.push_back({tree::CellKind::reference, "WBGene2", "Gene"});
    CHECK(successor_of({changed({added(below, tag("Curator"))})}) == merged);
    CHECK(successor_of(
              {changed({replaced(tags({"Identity", "Merged_into"}), reference("Gene", "WBGene9"),
                                 reference("Gene", "WBGene2"))})}) == merged);
    CHECK(successor_of({changed({added(tags({"Identity", "History", "Split_into"}),
                                       reference("Gene", "WBGene3"))})}) ==
          Successor{"Split into", {"Gene", "WBGene3"}});
}

TEST_CASE("Other paths, texts and the object itself are not successors") {
    CHECK(!successor_of({changed({added(tags({"Other"}), merged_into("WBGene2"))})}));
    CHECK(!successor_of({changed({added({}, merged_into("WBGene2"))})}));
    CHECK(!successor_of(
        {changed({added(tags({"Identity", "Merged_into"}), support::text("WBGene2"))})}));
    CHECK(!successor_of({changed({added(tags({"Identity"}), merged_into("WBGene00006763"))})}));
    auto paper = changed({added(tags({"Identity"}), merged_into("WBGene2"))});
    paper.object.class_name = "Paper";
    auto history = history_of({paper});
    history.object.class_name = "Paper";
    CHECK(!render::successor_of(history, merging()));
}

TEST_CASE("The successor of a vanished object is the one it last had") {
    const auto r = gone({removed({}, tag("Identity", {merged_into("WBGene2")}))});
    CHECK(successor_of({r}) == merged);
    const auto html = sample::content_of(r, merging());
    CHECK_THAT(html, Contains("<p><b>No longer in WS188.</b> Merged into <a href=\"https://"
                              "changes.example.org/history?class=Gene&amp;name=WBGene2\">Gene "
                              "WBGene2</a>.</p>"));
    CHECK(support::findings_in_html(html) == none);
    CHECK_THAT(sample::content_of(changed({added(tags({"Identity"}), merged_into("WBGene2"))}),
                                  merging()),
               !Contains("Merged into <a"));
}

TEST_CASE("A rename comes before the recorded successor") {
    auto r = gone({removed({}, tag("Identity", {merged_into("WBGene2")}))});
    r.renamed_to = {{"Gene", "WBGene5"}};
    CHECK(successor_of({r}) == Successor{"Probably renamed to", {"Gene", "WBGene5"}});
    CHECK_THAT(sample::content_of(r, merging()), !Contains("Merged into <a"));
}

TEST_CASE("The newest row with a successor decides, and a removed successor does not count") {
    const auto merge = changed({added(tags({"Identity"}), merged_into("WBGene9"))});
    const auto again = changed({added(tags({"Identity"}), merged_into("WBGene2"))});
    const auto other = changed({added(tags({"Remark"}), support::text("x"))});
    CHECK(successor_of({other, again, merge}) == merged);
    CHECK(!successor_of({changed({removed(tags({"Identity"}), merged_into("WBGene2"))}), again}));
    auto below = tags({"Identity", "Merged_into"});
    below.push_back({tree::CellKind::reference, "WBGene2", "Gene"});
    CHECK(successor_of({changed({removed(below, tag("Curator"))}), again}) == merged);
    auto back = changed({added({}, tag("Identity"))});
    back.kind = RowKind::reappeared;
    auto renamed = gone({});
    renamed.renamed_to = {{"Gene", "WBGene5"}};
    CHECK(!successor_of({back, renamed}));
}

TEST_CASE("The description of an object's feed needs only the newest row") {
    const auto vanished = gone({removed({}, tag("Identity", {merged_into("WBGene2")}))});
    const auto older = changed({added(tags({"Identity"}), merged_into("WBGene3"))});
    const auto description = [](std::vector<Row> rows, bool is_gone, std::string tag = {}) {
        auto history = history_of(std::move(rows));
        history.vanished = is_gone;
        history.filter.tag = std::move(tag);
        return render::subject_of(history, merging()).description;
    };
    CHECK(description({vanished, older}, true) ==
          "Changes to Gene WBGene00006763 in each release. This object has vanished. "
          "Merged into Gene WBGene2.");
    const std::string unknown =
        "Changes to Gene WBGene00006763 in each release. This object has vanished.";
    CHECK(description({older}, true) == unknown);
    CHECK(description({}, true) == unknown);
    CHECK(description({vanished}, true, "Identity") == unknown);
    CHECK(description({older}, false) == description({}, false));
}
