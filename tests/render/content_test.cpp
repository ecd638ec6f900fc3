// SPDX-License-Identifier: MIT
#include <algorithm>

#include "sample.hpp"
#include "support/catch.hpp"

using namespace sample;
using Catch::Matchers::Contains;
using support::tag;
using support::text;

namespace {

std::string content(std::vector<Change> changes) {
    return sample::content_of(row("WS187", day(2008, 2, 15), std::move(changes)), site());
}
constexpr auto page_url = "https://changes.example.org/history?class=";

}  // namespace

TEST_CASE("Content groups the changes of one first tag and numbers them as they are recorded") {
    const auto html = content({added(tags({"A", "B"}), text("1")), added(tags({"C"}), text("2")),
                               added(tags({"A", "D"}), text("3"))});
    CHECK(count(html, "<b>A</b>") == 1);
    CHECK(html.find("-c3\">D</a>") < html.find("-c2\">C</a>"));
    check_html(html);
}

TEST_CASE("Content says in one line what a change did") {
    auto path = tags({"Phenotype"});
    path.push_back({tree::CellKind::reference, "WBPhenotype1", "Phenotype"});
    path.push_back({tree::CellKind::tag, "Recessive", {}});
    struct Line {
        std::vector<Change> changes;
        std::vector<std::string> parts;
    };
    for (const auto& [changes, parts] : std::vector<Line>{
             {{added(path, support::reference("Paper", "WBPaper1"))},
              {"-c1\">Recessive</a> of phenotype <a href=\"",
               "class=Phenotype&amp;name=WBPhenotype1\">WBPhenotype1</a> added: <a href=\"",
               "class=Paper&amp;name=WBPaper1\">WBPaper1</a>."}},
             {{added(tags({"A"}), text("v", {tag("one", {text("x")}), tag("two")}))},
              {": v<ul><li>one: x</li><li>two</li></ul></li>"}},
             {{added(tags({"A"}), support::stamped(text("v"), "<original>"))},
              {"v. (&lt;original&gt;)"}},
             {{added({}, Node{{tree::CellKind::member, "WBGene1", "Gene"}, {}, {}}),
               removed({}, text("gone"))},
              {"-c1\">Member</a> added: <a href=\"", "-c2\">Text</a> removed: gone."}},
             {{added({}, tag("Hidden")), added({}, tag("Confirmed"))},
              {"-c1\">Hidden</a> added.", "-c2\">Confirmed</a> added."}},
             {{replaced({}, text("one two\nthree"), text("one\ntwo three"))},
              {"only white space differs"}},
             {{replaced(tags({"Remark"}), text("x y"), text("x  y"))},
              {"Remark</a>: only white space differs."}},
             {{replaced(tags({"A"}), text("\u00E9", {text("below")}),
                        text("e\u0301", {text("below")}))},
              {"A</a>: only the Unicode form differs (NFC \u2192 NFD), below."}},
             {{replaced(tags({"A"}), support::reference("Gene", "\u00E9"),
                        support::reference("Gene", "e\u0301"))},
              {"A</a>: only the Unicode form differs (NFC \u2192 NFD): <a href=",
               ">e\u0301</a>."}}}) {
        const auto html = content(changes);
        for (const auto& part : parts) CHECK_THAT(html, Contains(part));
        check_html(html);
    }
}

TEST_CASE("Content says once who entered a value, not who entered what is below it") {
    auto child = support::stamped(text("child"), sylvia);
    auto other = support::stamped(text("other"), "2008-02-02_00:00:00_bob");
    auto value = support::stamped(text("v", {child, other}), sylvia);
    const auto html = content({added(tags({"A"}), value)});
    CHECK(count(html, "sylvia") == 1);
    CHECK_THAT(html, Contains("other</li></ul> Entered by sylvia") && !Contains("bob"));
}

TEST_CASE("Content keeps a few words around a change in a long line") {
    std::string before, after;
    for (int i = 0; i < 60; ++i) {
        before += "word" + std::to_string(i) + " ";
        after += (i == 30 ? "new" : "word" + std::to_string(i)) + " ";
    }
    const auto html = content({replaced(tags({"Remark"}), text(before), text(after))});
    CHECK_THAT(html, Contains("\xE2\x80\xA6 word24"));
    CHECK_THAT(html, Contains("<del>word30</del> word31") && Contains("<ins>new</ins> word31"));
    CHECK_THAT(html, !Contains("word10"));
    CHECK_THAT(html, !Contains("word50"));
    check_html(html);
}

TEST_CASE("Content shows where two sequences differ, and shortens a new one") {
    const std::string head(1000, 'a'), tail(1000, 'c');
    const auto html = content({replaced({}, text(head + "gg" + tail), text(head + "tttt" + tail)),
                               added({}, text(head + tail))});
    CHECK_THAT(html, Contains("From character 1,001 of 2,004. Before: \xE2\x80\xA6"
                              "aaaaaaaaaaaa<del>gg</del>cccccccccccc\xE2\x80\xA6</li><li>Now: "
                              "\xE2\x80\xA6"
                              "aaaaaaaaaaaa<ins>tttt</ins>"));
    CHECK_THAT(html, Contains("(2000 characters)"));
    CHECK(html.size() < 1200);
    check_html(html);
}

TEST_CASE("Content of a long list says how many values it has and shows the first few") {
    std::vector<Change> changes;
    for (int i = 0; i < 21; ++i)
        changes.push_back(added(tags({"Allele"}), text("e" + std::to_string(i))));
    const auto few = content(changes);
    CHECK_THAT(few, Contains("-c1\">21 alleles</a> added: e0, e1, e2, e3, e4, and <a href=\"") &&
                        Contains("-c6\">16 more</a>.</li>"));
    check_html(few);
    changes.pop_back();
    CHECK_THAT(content(changes), Contains("e18, e19.</li>") && !Contains("more</a>"));
}

TEST_CASE("Content of one huge change shows the first of its values and 100 nodes of each") {
    support::Nodes many;
    for (int i = 0; i < 6000; ++i)
        many.push_back(
            support::reference("Gene", "WBGene" + std::to_string(i), {tag("x"), tag("y")}));
    const auto html = content({added({}, tag("Homol", many))});
    CHECK(count(html, "<li>x</li>") == 5);
    CHECK_THAT(html, Contains("-c1\">5,995 more</a></li></ul></li></ul>"));
    check_html(html);
    const auto one = content({added(tags({"Homol"}), text("v", many))});
    CHECK(count(one, "<li>x</li>") == 33);
    CHECK_THAT(one, Contains("\xE2\x80\xA6</li></ul>") && Contains("<p>This item is shortened") &&
                        Contains("See the whole change</a>.</p>"));
    check_html(one);
}

TEST_CASE("Content leaves out the changes that do not fit into 32 KB") {
    std::vector<Change> changes;
    for (int i = 0; i < 100; ++i)
        changes.push_back(added(tags({"A", "B" + std::to_string(i)}),
                                text(std::to_string(i) + std::string(70, '<'))));
    const auto html = content(changes);
    CHECK(html.size() > 31 * 1024);
    CHECK(count(html, "added: ") < 100);
    CHECK_THAT(html, Contains("-c50\">") && Contains("See all 100 changes</a>.</p>"));
    check_html(html);
}

TEST_CASE("Content of a long text shows 20 of the places that differ") {
    std::string before, after;
    for (int i = 0; i < 30; ++i) {
        before += "same\nold " + std::to_string(i) + "\n";
        after += "same\nnew " + std::to_string(i) + "\n";
    }
    const auto html = content({replaced({}, text(before), text(after))});
    CHECK(count(html, "<ins>new</ins>") == 20);
    CHECK_THAT(html, Contains("This item is shortened"));
    check_html(html);
}

TEST_CASE("Content of a tree that forks at each of 2000 levels is cut without a stack overflow") {
    Node deep = text("end");
    for (std::size_t i = 0; i < tree::deepest_node; ++i) deep = tag("t", {deep, tag("u")});
    const auto html = content({added({}, deep)});
    CHECK_THAT(html, Contains("This item is shortened"));
    check_html(html);
}

TEST_CASE(
    "Content isolates what runs from right to left: a value, a sentence of which words changed") {
    const std::string old_name = "\u05D0\u05D1", new_name = "\u05D2", long_text(200, 'x');
    const auto html = content(
        {replaced(tags({"A"}), text(old_name), text(new_name)),
         replaced(tags({"B"}), text(old_name + " c\n" + long_text), text(old_name + " d\n"))});
    CHECK_THAT(html, Contains("<del><bdi>" + old_name + "</bdi></del> \u2192 <ins><bdi>" +
                              new_name + "</bdi></ins>"));
    CHECK_THAT(html, Contains("Before: <bdi>" + old_name + " <del>c"));
    CHECK_THAT(html, Contains("Now: <bdi>" + old_name + " <ins>d</ins></bdi>"));
    check_html(html);
}

TEST_CASE("Content is in the direction of its sentences behind a value that turns it around") {
    const auto html = sample::content_of(
        row("WS188", day(2008, 2, 15), {added(tags({"Remark"}), text("a\u202Egpj.exe"))}),
        site());
    CHECK_THAT(html, Contains("<bdi>a\u202Egpj.exe\u202C</bdi>"));
    check_html(html);
}

TEST_CASE("Content is never empty") {
    const auto bare = row("WS188", day(2008, 3, 22), {});
    CHECK(sample::content_of(bare, site()) == "<p>No details were recorded.</p>");
}

TEST_CASE(
    "Content names nobody whose timestamp is older than the release that was compared with") {
    auto r = row("WS187", day(2008, 2, 15),
                 {added(tags({"A"}), support::stamped(text("v"), "2008-01-31_23:59:59_early")),
                  added(tags({"B"}), support::stamped(text("v"), "2008-02-01_00:00:00_late"))});
    r.since_on = day(2008, 2, 1);
    const auto html = sample::content_of(r, site());
    CHECK_THAT(html, !Contains("early") && Contains("Entered by late, 2008-02-01."));
    CHECK(render::curators_of(r, excerpt_of(r), site()) ==
          std::vector<render::Author>{{"late", ""}});
    r.since_on.reset();
    CHECK_THAT(sample::content_of(r, site()), Contains("Entered by early, 2008-01-31."));
}

TEST_CASE("Content puts what is important first, and what is minor last on one line") {
    auto look = site();
    look.ranking = {.important = {{"Gene", {{"Status"}}}},
                    .minor = {{"*", {{"Version"}}}},
                    .helper_classes = {}};
    const auto html = sample::content_of(
        row("WS187", day(2008, 2, 15),
            {replaced(tags({"Version"}), text("1"), text("2")),
             added(tags({"Remark"}), text("r")),
             replaced(tags({"Identity", "Status"}), tag("Live"), tag("Dead"))}),
        look);
    CHECK(html.find("Status</a>") < html.find("Remark</a>"));
    CHECK_THAT(html, Contains("<p>Minor: <a href=\"") && Contains("Version</a>: <del>1</del>"));
    CHECK(html.find("Minor:") > html.find("Remark</a>"));
    check_html(html);
}

TEST_CASE("Minor changes that need a list of their own are a list, not a paragraph") {
    auto look = site();
    look.ranking = {.important = {}, .minor = {{"*", {{"Note"}}}}, .helper_classes = {}};
    const auto html =
        sample::content_of(row("WS187", day(2008, 2, 15),
                               {replaced(tags({"Note"}), text("first line\nthe quick fox\nlast"),
                                         text("first line\nthe slow fox\nlast"))}),
                           look);
    CHECK_THAT(html, Contains("<p>Minor: </p><ul><li><a href=\"") && Contains("reworded:<ul>"));
    check_html(html);
}

TEST_CASE("Content calls objects by their labels, and what follows from others an echo") {
    auto r = row("WS187", day(2008, 2, 15),
                 {removed(tags({"Gene"}), support::reference("Gene", "WBGene9"))});
    r.notes.references = {{{"Gene", "WBGene9"}, "<i>abc-1", compare::Reference::Fate::vanished}};
    const auto html = sample::content_of(r, site());
    CHECK_THAT(html, Contains("<p>Follows from changes to other objects: ") &&
                         Contains("name=WBGene9\">&lt;i&gt;abc-1</a> (WBGene9).</p>"));
    check_html(html);
    CHECK(sample::title_of(r) ==
          "unc-26 in WS187: lost its reference to <i>abc-1, which vanished");
}

TEST_CASE("Content of an object seen for the first time shows the newest 20 of its entries") {
    std::vector<Change> changes;
    for (int i = 10; i < 35; ++i)
        changes.push_back(
            added(tags({"A", "B" + std::to_string(i)}),
                  support::stamped(text("v" + std::to_string(i)),
                                   "2008-01-01_00:00:" + std::to_string(i) + "_sylvia")));
    auto r = row("WS187", day(2008, 2, 15), changes);
    r.kind = RowKind::reconstructed;
    r.since.clear();
    const auto html = sample::content_of(r, site());
    CHECK_THAT(html, Contains("25 changes read from timestamps, the newest 20 are shown") &&
                         !Contains(": v14.") && Contains(": v15.") && Contains(": v34.") &&
                         Contains("See all 25 changes"));
    CHECK(count(html, "<li>") == 20);
    CHECK(sample::title_of(r) ==
          "unc-26 in WS187, by timestamps: A: B10 v10 added, A: B11 v11 added, A: B12 v12 added, "
          "22 more changes");
    check_html(html);
}

TEST_CASE("Content that is one line has no sentence before it that says the same") {
    auto r = row("WS187", day(2008, 2, 15), {added(tags({"Remark"}), text("own"))});
    CHECK(sample::content_of(r, site()).starts_with("<ul><li><a href=\""));
    r.since = "WS180";
    CHECK_THAT(sample::content_of(r, site()), Contains("<p>Compared with WS180.</p>"));
}

TEST_CASE("The item of a shortened row says how much is left out, and links to the comparison") {
    auto shortened = row("WS187", day(2008, 2, 15), {added(tags({"Remark"}), text("first"))});
    shortened.since = "WS186";
    shortened.notes.changes[0].left_out = 6'199'001;
    shortened.notes.left_out = {1'000, 2, 0};
    const auto html = sample::content_of(shortened, site());
    CHECK_THAT(html, Contains("first (6,200 KB are left out here).</li>"));
    CHECK_THAT(html, Contains("<p>This item is shortened. This release changed too much for"
                              " one item. <a href=\"" +
                              std::string(page_url) +
                              "Gene&amp;name=WBGene00006763&amp;at=WS187\">See what is "
                              "recorded</a> or <a href=\"https://changes.example."
                              "org/diff?class=Gene&amp;name=WBGene00006763&amp;from=WS186&amp;to="
                              "WS187\">compare WS186 with WS187</a>.</p>"));
    CHECK_THAT(sample::title_of(shortened), Contains(": Remark first added, 1,002 more changes"));
    check_html(html);
    shortened.notes.changes.clear();
    CHECK_THAT(sample::content_of(shortened, site()), Contains("This item is shortened."));
}

TEST_CASE("The newest entries of a first sight are those that the filter shows, dated by their "
          "values") {
    std::vector<Change> changes;
    for (int i = 10; i < 35; ++i)
        changes.push_back(added(
            tags({"A", "B" + std::to_string(i)}),
            support::stamped(text("v"), "2008-01-01_00:00:" + std::to_string(i) + "_sylvia")));
    // The tag was written again when the build was loaded; what it says is old.
    auto loaded =
        support::stamped(tag("Old", {support::stamped(text("w"), "2007-02-01_00:00:00_sylvia")}),
                         "2008-02-01_00:00:00_wormpub");
    changes.push_back(added({}, loaded));
    auto r = row("WS187", day(2008, 2, 15), changes);
    r.kind = RowKind::reconstructed;
    r.since.clear();
    CHECK_THAT(sample::content_of(r), !Contains("Old</a>") && Contains("B34</a>"));
    auto page = excerpt_of(r);
    page.filter.tag = "Old";
    CHECK_THAT(render::content_of(r, page, site()), Contains("Old</a> added: w."));
}

TEST_CASE("An object that no build has is named without a link to its history") {
    auto r = row("WS187", day(2008, 2, 15),
                 {added(tags({"Gene"}), support::reference("Gene", "WBGene1")),
                  added(tags({"Gene"}), support::reference("Gene", "nobody"))});
    using Fate = compare::Reference::Fate;
    r.notes.references = {{{"Gene", "nobody"}, {}, Fate::absent}};
    const auto html = sample::content_of(r);
    CHECK_THAT(html, Contains("name=WBGene1\">WBGene1</a>, nobody.") && !Contains("name=nobody"));
    check_html(html);
}
