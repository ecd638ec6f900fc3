// SPDX-License-Identifier: MIT
#include "render/pages.hpp"
#include "render/sample_pages.hpp"
#include "render/timeline.hpp"
#include "support/catch.hpp"
#include "support/html_rules.hpp"

namespace {

using namespace support;
using sample::holds;
using sample::none;
using sample::Row;

std::string page_of(const render::HistoryView& view, const render::Site& site = sample::site()) {
    const auto page = render::history_page(view, site, sample::templates());
    CHECK(findings_in_page(page) == none);
    return page;
}

std::string page_of(std::vector<Row> rows) {
    return page_of(sample::history_view(std::move(rows)));
}

Row replaced_text(const std::string& before, const std::string& after) {
    return sample::row("WS187", sample::day(2008, 2, 15),
                       {sample::replaced(sample::tags({"Remark"}), text(before), text(after))});
}

}  // namespace

TEST_CASE("A change names its curator as the person whom the timestamp names") {
    auto view = sample::history_view({sample::unc_26_in_ws187()});
    CHECK(holds(page_of(view), "<small> (sylvia, 2008-02-01)</small>"));
    view.history.people = {{"sylvia", {{"Person", "WBPerson1983"}, "Sylvia M"}}};
    CHECK(holds(page_of(view), "class=Person\">Sylvia M</a>, 2008-02-01)</small>"));
}

TEST_CASE("A site that hides curators shows no user of a timestamp") {
    auto site = sample::site();
    site.hide_curators = true;
    const auto page = page_of(sample::history_view({sample::unc_26_in_ws187()}), site);
    CHECK_FALSE(holds(page, "sylvia"));
    CHECK(holds(page, "<small> (2008-02-01)</small>"));
}

TEST_CASE("Of two short texts the old one is followed by the new one") {
    const auto page = page_of({replaced_text("the quick brown fox", "the slow brown fox")});
    CHECK(holds(page, "<li class=\"change replaced\" id=\"WS187-c1\"><a class=\"op\" "
                      "href=\"#WS187-c1\"><span aria-hidden=\"true\">±</span><span "
                      "class=\"unseen\">replaced: </span></a><div class=\"field\">Remark</div>"
                      "<div class=\"value\"><del>“the quick brown fox”</del> → "
                      "<ins>“the slow brown fox”</ins></div>"));
}

TEST_CASE("Texts of several lines are compared line by line") {
    const auto page = page_of({replaced_text("one\ntwo\nthree", "one\nzwei\nthree")});
    CHECK(holds(page, "<p><span class=\"place\">line 2</span>: <del>two</del> "
                      "<ins>zwei</ins></p>"));
}

TEST_CASE("For two sequences the page shows the stretch that differs and where it begins") {
    const std::string head(300, 'a'), tail(300, 't');
    const auto page = page_of({replaced_text(head + "cc" + tail, head + "g" + tail)});
    CHECK(holds(page, "<span class=\"place\">from character 301</span>"));
    CHECK(holds(page, ": …aaaaaaaaaaaa<del>cc</del><ins>g</ins>tttttttttttt…</p>"));
}

TEST_CASE("The values of a field are on one line, each with a place of its own") {
    const auto term = [](const char* name) {
        return stamped(reference("GO_term", name), sample::sylvia);
    };
    auto row = sample::row("WS187", sample::day(2008, 2, 15),
                           {sample::added(sample::tags({"Gene_info", "GO_term"}), term("GO:1")),
                            sample::added(sample::tags({"Gene_info", "GO_term"}), term("GO:2"))});
    row.notes.references = {{{"GO_term", "GO:1"}, "nucleus"}};
    const auto page = page_of({row});
    CHECK(holds(page, "<h4>Gene info</h4>"));
    CHECK(holds(page, "<div class=\"field\">GO term</div>"));
    CHECK(holds(page, ">nucleus</a> <small>GO:1</small>, <span id=\"WS187-c2\">"));
    CHECK(holds(page,
                "</span></div><div class=\"who\"><small> (sylvia, 2008-02-01)</small></div>"));
    CHECK(sample::count(page, "<li class=\"change") == 1);
    row.since_on = sample::day(2008, 2, 10);
    CHECK_FALSE(holds(page_of({row}), "class=\"who\""));
}

TEST_CASE("Minor changes and echoes are folded behind a line that names them") {
    auto site = sample::site();
    site.ranking.minor = {{"*", {{"Version"}}}};
    auto row = sample::row(
        "WS187", sample::day(2008, 2, 15),
        {sample::replaced(sample::tags({"Identity", "Version"}), text("1"), text("2")),
         sample::added(sample::tags({"Reference"}), reference("Paper", "P1")),
         sample::replaced(sample::tags({"Status"}), text("a"), text("b"))});
    row.notes.references = {{{"Paper", "P1"}, "", compare::Reference::Fate::created}};
    row.notes.headline = "Status a → b, 1 minor change";
    const auto page = page_of(sample::history_view({row}), site);
    CHECK(holds(page, "<span class=\"kind changed\">Status a → b, 1 minor change</span></p>"));
    CHECK(holds(page, "<details class=\"group\"><summary>1 minor change: version</summary>\n"
                      "<ul class=\"changes\">\n<li class=\"change replaced\" id=\"WS187-c1\">"));
    CHECK(holds(page, "<summary>1 reference follows from another object</summary>\n"
                      "<ul class=\"changes\">\n<li class=\"change added\" id=\"WS187-c2\">"));
    CHECK(page.find("WS187-c3") < page.find("<details"));
}

TEST_CASE("The page says so where only blanks differ") {
    CHECK(
        holds(page_of({replaced_text("a\nb c", "a\nb  c")}), "line 2: only white space differs"));
}

TEST_CASE("A path that changed in most objects is one line") {
    auto view = sample::history_view({sample::unc_26_in_ws187()});
    view.history.mass_changes = {{"WS187", "Gene", "Identity > Version", 30'123, 45'000}};
    const auto page = page_of(view);
    CHECK(holds(page,
                "<p class=\"mass\" id=\"WS187-c4\"><b>Identity &gt; Version</b>: changed in "
                "30,123 of 45,000 objects of class Gene in this release</p>"));
    CHECK(sample::count(page, " id=\"WS187-c4\"") == 1);
}

TEST_CASE("The page says what happened to a vanished object and links it") {
    auto view = sample::history_view({sample::unc_26_in_ws187()});
    view.history.vanished = true;
    view.history.rows[0].kind = sample::RowKind::vanished;
    view.history.rows[0].notes.renamed_to = tree::ObjectName{"Gene", "WBGene00000001"};
    const auto page = page_of(view);
    const std::string lead =
        "<p class=\"notice\"><b>This object vanished in <a href=\"https://"
        "changes.example.org/release/WS187\">WS187</a>, <time datetime=\""
        "2008-02-15\">2008-02-15</time>. Probably renamed to <a href=\"https://"
        "changes.example.org/history?class=Gene&amp;name=WBGene00000001\">";
    CHECK(holds(page, lead + "Gene WBGene00000001</a>.</b></p>"));
    view.history.rows[0].notes.references = {{{"Gene", "WBGene00000001"}, "unc-1"}};
    CHECK(holds(page_of(view),
                lead + "unc-1</a> <span class=\"id\">Gene WBGene00000001</span>.</b></p>"));
    CHECK_FALSE(holds(page, ">View unc-26</a>"));
    CHECK(holds(page, "<details class=\"held\"><summary>What it held when it was last seen: "));
    view.at = "WS187";
    CHECK_FALSE(holds(page_of(view), "class=\"held\""));
}

TEST_CASE("HTML of the first system is shown without forbidden markup") {
    auto row = sample::row("WS187", sample::day(2008, 2, 15), {});
    row.kind = sample::RowKind::adopted;
    row.notes.adopted_html = "a<br><script>b</script><a href=\"https://x.org/\">c</a>";
    const auto page = page_of({row});
    CHECK(holds(page, "<p class=\"adopted\">a<br><a href=\"https://x.org/\">c</a></p>"));
}

TEST_CASE("With at= the page shows the changes of that release alone") {
    auto second = sample::unc_26_in_ws187();
    second.release = {"WS186", sample::day(2008, 1, 15)};
    auto view = sample::history_view({sample::unc_26_in_ws187(), second});
    view.at = "WS186";
    const auto page = page_of(view);
    CHECK(holds(page, " id=\"WS186-c5\""));
    CHECK_FALSE(holds(page, " id=\"WS187\""));
    CHECK(holds(page, ">All releases of unc-26</a>"));
    view.at = "WS100";
    CHECK(holds(page_of(view), "No change to this object was recorded in WS100."));
}

TEST_CASE("The page of an object without history says so") {
    const auto page = page_of(sample::history_view({}));
    CHECK(holds(page, "No change to this object has been recorded yet."));
    CHECK_FALSE(holds(page, "<svg"));
    CHECK_FALSE(holds(page, "Compare two releases"));
}

TEST_CASE("The page links feeds in every format, for browsers and for people") {
    const auto page = page_of({sample::unc_26_in_ws187()});
    const std::string feed =
        "href=\"https://changes.example.org/rss?class=Gene&amp;name=WBGene00006763";
    for (const std::string format : {"\"", "&amp;format=atom\"", "&amp;format=json\""}) {
        CAPTURE(format);
        CHECK(holds(page, "<a class=\"feed\" " + feed + format));
        CHECK(page.find(feed + format) < page.find("</head>"));
    }
}

TEST_CASE("The picture has a bar for each release, higher where more changed") {
    auto small = replaced_text("a", "b");
    small.release = {"WS186", sample::day(2008, 1, 15)};
    const auto svg = render::timeline_of({sample::unc_26_in_ws187(), small}, 0, 1);
    CHECK(holds(svg, "<a href=\"#WS187\" tabindex=\"-1\"><title>WS187: 5 changes</title>"));
    CHECK(holds(svg, "d=\"M708 74v-56\""));
    CHECK(holds(svg, "<g><title>WS186: 1 change</title>"));
    CHECK(holds(svg, "d=\"M12 74v-26\""));
    CHECK(render::timeline_of({}, 0, 0).empty());
}

TEST_CASE("The page of a shortened row says what it lacks and where that is") {
    auto row = replaced_text(std::string(200, 'a'), std::string(200, 'b'));
    row.since = "WS186";
    row.notes.changes[0].left_out = 6'199'001;
    row.notes.left_out = {1'000, 2, 0};
    const auto page = page_of({row});
    CHECK(holds(page, "too much to be recorded in one row: 1,002 changes are not listed here"));
    CHECK(holds(page, "The comparison has all of them."));
    CHECK(holds(page, "6,200 KB are left out here"));
    CHECK(holds(page, "1,000 added"));
    row.notes.left_out = {};
    CHECK(holds(page_of({row}), "in one row: some changes are listed without what is below"));
}
