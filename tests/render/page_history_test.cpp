// SPDX-License-Identifier: MIT
#include "render/pages.hpp"
#include "render/pictures.hpp"
#include "render/sample_pages.hpp"
#include "support/catch.hpp"

namespace {

using namespace support;
using sample::holds;
using sample::page_of;
using sample::Row;

std::string page_of(std::vector<Row> rows) {
    return sample::page_of(sample::history_view(std::move(rows)));
}

Row replaced_text(const std::string& before, const std::string& after) {
    return sample::row("WS187", sample::day(2008, 2, 15),
                       {sample::replaced(sample::tags({"Remark"}), text(before), text(after))});
}

}  // namespace

TEST_CASE("Of two short texts the old one is followed by the new one") {
    const auto page = page_of({replaced_text("the quick brown fox", "the slow brown fox")});
    CHECK(holds(page, "<li class=\"change replaced\" id=\"WS187-c1\"><div class=\"field\">"
                      "<a href=\"#WS187-c1\">Remark</a><span class=\"word\">: </span></div>"
                      "<div class=\"value\"><del>“the quick brown fox”</del> → "
                      "<ins>“the slow brown fox”</ins><span class=\"word\">.</span></div></li>"));
}

TEST_CASE("Texts of several lines are compared line by line") {
    const auto page = page_of({replaced_text("one\ntwo\nthree", "one\nzwei\nthree")});
    CHECK(holds(page, ">Remark</a><span class=\"word\"> reworded:</span></div><div "
                      "class=\"value\"><ul><li>Line 2. Before: <del>two</del></li><li>Now: "
                      "<ins>zwei</ins></li></ul></div>"));
    CHECK(holds(page_of({replaced_text("a\nb c", "a\nb  c")}), "only white space differs"));
}

TEST_CASE("For two sequences the page shows the stretch that differs and where it begins") {
    const std::string head(300, 'a'), tail(300, 't');
    const auto page = page_of({replaced_text(head + "cc" + tail, head + "g" + tail)});
    CHECK(holds(page, "<li>From character 301 of 601. Before: …aaaaaaaaaaaa<del>cc</del>"
                      "tttttttttttt…</li><li>Now: …aaaaaaaaaaaa<ins>g</ins>tttttttttttt…</li>"));
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
    CHECK(holds(page, "<h4 class=\"group\">Gene info</h4>"));
    CHECK(holds(page, "<a href=\"#WS187-c1\">2 GO terms</a><span class=\"word\"> added</span>"));
    CHECK(holds(page, ">nucleus</a> <small>GO:1</small>, <span id=\"WS187-c2\">"));
    CHECK(holds(page, "</div><div class=\"who\"><span class=\"word\"> Entered by </span>sylvia, "
                      "2008-02-01<span class=\"word\">.</span></div></li>"));
    CHECK(sample::count(page, "<li class=\"change") == 1);
    row.since_on = sample::day(2008, 2, 10);
    CHECK_FALSE(holds(page_of({row}), "class=\"who\""));
}

TEST_CASE("A page says who entered what is below a value, where it was somebody else") {
    const auto child = [](const char* name, const std::string& stamp) {
        return stamped(tag("Evidence", {stamped(text(name), stamp)}), stamp);
    };
    const auto value = stamped(
        text("v", {child("own", sample::sylvia), child("other", "2008-02-02_00:00:00_bob")}),
        sample::sylvia);
    const auto page = page_of({sample::row("WS187", sample::day(2008, 2, 15),
                                           {sample::added(sample::tags({"Remark"}), value)})});
    CHECK(holds(page, "v<ul><li>Evidence: own</li><li>Evidence: other<small> (bob, "
                      "2008-02-02)</small></li></ul></div><div class=\"who\">"));
    CHECK(sample::count(page, "sylvia") == 1);
}

TEST_CASE("A page shows what was below a value that was replaced") {
    const auto page = page_of(
        {sample::row("WS187", sample::day(2008, 2, 15),
                     {sample::replaced(sample::tags({"Remark"}), text("old", {tag("Inferred")}),
                                       text("new", {tag("Curated")}))})});
    CHECK(holds(page, "<del>old, Inferred</del> → <ins>new, Curated</ins>"));
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
    row.headline.title = "Status a → b, 1 minor change";
    const auto page = page_of(sample::history_view({row}), site);
    CHECK(holds(page, "<span class=\"kind changed\">Status a → b, 1 minor change</span></p>"));
    CHECK(holds(page, "<details class=\"group\"><summary>1 minor change: version</summary>\n"
                      "<ul class=\"changes\">\n<li class=\"change replaced\" id=\"WS187-c1\">"));
    CHECK(holds(page, "<summary>1 reference changed because another object did</summary>\n"
                      "<ul class=\"changes\">\n<li class=\"change added\" id=\"WS187-c2\">"));
    CHECK(page.find("WS187-c3") < page.find("<details class=\"group\""));
}

TEST_CASE("A path that changed in most objects is one line") {
    auto view = sample::history_view({sample::unc_26_in_ws187()});
    view.history.mass_changes = {{"WS187", "Gene", "Identity > Version", 30'123, 45'000}};
    const auto page = page_of(view);
    CHECK(holds(page, "<li class=\"mass\" id=\"WS187-c4\"><a href=\"#WS187-c4\">Identity &gt; "
                      "Version</a>: changed in 30,123 of 45,000 objects of class Gene in this "
                      "release.</li>"));
    CHECK(sample::count(page, " id=\"WS187-c4\"") == 1);
}

TEST_CASE("The page links what a vanished object was renamed to, by its label") {
    auto view = sample::history_view({sample::unc_26_in_ws187()});
    view.history.vanished = true;
    auto& row = view.history.rows[0];
    row.kind = sample::RowKind::vanished;
    row.renamed_to = tree::ObjectName{"Gene", "WBGene00000001"};
    row.notes.references = {{{"Gene", "WBGene00000001"}, "unc-1"}};
    const auto page = page_of(view);
    CHECK(holds(page, "name=WBGene00000001\">unc-1</a> <span class=\"id\">Gene "
                      "WBGene00000001</span>.</b></p>"));
    CHECK(holds(page, "<details class=\"held\"><summary>Content when it was last seen: "));
    view.at = "WS187";
    CHECK_FALSE(holds(page_of(view), "class=\"held\""));
}

TEST_CASE("The page of an object without history says so") {
    const auto page = page_of(sample::history_view({}));
    CHECK(holds(page, "No change to this object has been recorded yet."));
    CHECK_FALSE(holds(page, "<svg"));
    CHECK_FALSE(holds(page, "Compare two releases"));
}

namespace {

// WS100 to WS(99 + number), newest first.
std::vector<base::Release> releases_of(int number) {
    std::vector<base::Release> releases;
    for (int i = number; i-- > 0;)
        releases.push_back({"WS" + std::to_string(100 + i),
                            sample::day(2004, 1, 1) + std::chrono::days(21 * i)});
    return releases;
}

// A row of the release WS(100 + at) of those, compared with the one before.
Row row_at(int at, sample::RowKind kind = sample::RowKind::changed) {
    auto row = replaced_text("a", "b");
    row.release = releases_of(at + 1).front();
    row.kind = kind;
    row.since = row.notes.previous =
        kind == sample::RowKind::reconstructed ? "" : "WS" + std::to_string(99 + at);
    return row;
}

std::string strip_of(const std::vector<Row>& rows, const query::FollowedReleases& followed) {
    return render::history_strip(rows, followed, 0, rows.size());
}

render::HistoryView followed_view(std::vector<Row> rows, query::FollowedReleases followed) {
    auto view = sample::history_view(std::move(rows));
    view.history.current = followed.releases.front();
    view.followed = std::move(followed);
    return view;
}

}  // namespace

TEST_CASE(
    "Of each release it is known whether the object changed, stayed, was away or not seen") {
    using enum sample::RowKind;
    using State = render::Stretch::State;
    auto late = row_at(9);
    late.since = "WS106";  // WS107 and WS108 were not compared
    const std::vector<Row> rows = {late, row_at(5, reappeared), row_at(3, vanished),
                                   row_at(1, reconstructed)};
    const std::vector<render::Stretch> expected = {
        {State::unchanged, 0, 0, 2},  {State::recorded, 0, 2, 3},   {State::skipped, 0, 3, 5},
        {State::unchanged, 0, 5, 6},  {State::recorded, 1, 6, 7},   {State::absent, 0, 7, 8},
        {State::recorded, 2, 8, 9},   {State::unchanged, 0, 9, 10}, {State::recorded, 3, 10, 11},
        {State::unchanged, 0, 11, 12}};
    CHECK(render::stretches_of(rows, releases_of(12)) == expected);
    CHECK(render::stretches_of({}, releases_of(1)) ==
          std::vector<render::Stretch>{{State::unchanged, 0, 0, 1}});
}

TEST_CASE("The strip has a stack for each release that changed the object, and ticks between") {
    auto large = sample::unc_26_in_ws187();
    large.release = releases_of(5).front();
    large.since = "WS103";
    const auto strip = strip_of({large, row_at(1)}, {releases_of(6), "WS103"});
    CHECK(holds(strip,
                "<a href=\"#WS104\" tabindex=\"-1\"><title>WS104: 25 March 2004, 3 added, 1 "
                "replaced, 1 removed</title><rect class=\"hit\" x=\"66.6%\" "
                "width=\"16.6%\" height=\"106\"/>"));
    CHECK(holds(strip, "<path class=\"a\" d=\"M0 106V61\"/><path class=\"p\" d=\"M0 60V45\"/>"
                       "<path class=\"r\" d=\"M0 44V29\"/>"));
    CHECK(sample::count(strip, "class=\"t\"") == 4);
    CHECK(holds(strip, "<line class=\"seen\" x1=\"50.0%\" x2=\"50.0%\""));
    CHECK(holds(strip, "<th scope=\"row\">WS104</th><td>3</td><td>1</td><td>1</td>"));
    CHECK_FALSE(holds(strip, "hatch"));
    // Bars of rows on another part of the page lead nowhere.
    CHECK(holds(render::history_strip({large, row_at(1)}, {releases_of(6), ""}, 0, 1),
                "<g><title>WS101"));
}

TEST_CASE(
    "An object that is gone has no tick after its last bar, one with a single row no strip") {
    using enum sample::RowKind;
    const auto gone = strip_of({row_at(3, vanished), row_at(1)}, {releases_of(8), "WS100"});
    CHECK(sample::count(gone, "class=\"t\"") == 2);
    CHECK(holds(gone, ">vanished</text>"));
    CHECK(strip_of({row_at(3)}, {releases_of(8), "WS100"}).empty());
    CHECK(strip_of({}, {releases_of(8), "WS100"}).empty());
    const auto view = followed_view({row_at(3)}, {releases_of(8), "WS100"});
    CHECK_FALSE(holds(page_of(view), "<figure>"));
}

TEST_CASE("What was read from timestamps is hatched and said to be so") {
    using enum sample::RowKind;
    auto view = followed_view({row_at(3, reconstructed), row_at(1, reconstructed)},
                              {releases_of(6), "WS104"});
    const auto page = page_of(view);
    CHECK(sample::count(page, "stroke=\"url(#hatch)\"") == 2);
    CHECK(sample::count(page, "<pattern id=\"hatch\"") == 1);
    CHECK(holds(page, "<span class=\"key stamps\">read from timestamps</span>"));
    CHECK(holds(page, "<th scope=\"row\">WS103, read from timestamps</th>"));
    CHECK(sample::count(page, "First release seen. The following was read from timestamps") == 1);
    CHECK_FALSE(holds(page, "Last changed in"));
}

TEST_CASE("Of 300 releases the strip has the newest 60, and the list below has all") {
    std::vector<Row> rows;
    for (const int at : {299, 250, 200, 5}) rows.push_back(row_at(at));
    const auto page = page_of(followed_view(rows, {releases_of(300), "WS100"}));
    CHECK(holds(page, "<b>Changed in 4 of 300 releases; the newest 60 here, <a "
                      "href=\"#history\">all below</a></b>"));
    CHECK(holds(page, "class=\"stacks dense\""));
    CHECK(sample::count(page, "class=\"t\"") == 58);
    CHECK(holds(page, "<p class=\"run\"><span>WS351 to WS398</span> <span>unchanged</span></p>"));
    CHECK(holds(page, "<p class=\"run\"><span>WS101 to WS104</span> <span>unchanged</span></p>"));
    CHECK(sample::count(page, "class=\"run\"") == 5);
}

TEST_CASE("Between the rows the page says in which releases nothing was recorded, and why") {
    using enum sample::RowKind;
    auto late = row_at(9);
    late.since = "WS107";
    const auto page = page_of(followed_view({late, row_at(5, reappeared), row_at(3, vanished)},
                                            {releases_of(12), "WS100"}));
    CHECK(holds(page, "<span>WS110 and WS111</span> <span>unchanged</span>"));
    CHECK(holds(page, "<span>WS108</span> <span>not compared</span>"));
    CHECK(holds(page, "<span>WS106 and WS107</span> <span>unchanged</span>"));
    CHECK(holds(page, "<span>WS104</span> <span>vanished</span>"));
    CHECK(holds(page, "<span>WS101 and WS102</span> <span>unchanged</span>"));
    CHECK(holds(page, "<span>WS100</span> <span>first seen</span>"));
    CHECK(holds(page, "Last changed in <a href=\"#WS109\">WS109</a>"));
}

TEST_CASE("Versions with markup are text in pictures") {
    auto rows = std::vector{row_at(3), row_at(2)};
    auto releases = releases_of(5);
    for (std::size_t i = 0; i < 2; ++i) {
        rows[i].release.version = "\"><b>&" + std::to_string(i);
        releases[i + 1].version = rows[i].release.version;
    }
    const auto page = page_of(followed_view(rows, {releases, "WS100"}));
    CHECK_FALSE(holds(page, "<b>&"));
    CHECK(holds(page, "<title>&quot;&gt;&lt;b&gt;&amp;0: "));
}

TEST_CASE("The page of a shortened row says what it lacks and where that is") {
    auto row = replaced_text(std::string(200, 'a'), std::string(200, 'b'));
    row.since = "WS186";
    row.notes.changes[0].left_out = 6'199'001;
    row.notes.left_out = {1'000, 2, 0};
    const auto page = page_of({row});
    CHECK(holds(page, "too much to be shown here: 1,002 changes are left out"));
    CHECK(holds(page, "The comparison has all of them."));
    CHECK(holds(page, "6,200 KB are left out here"));
    CHECK(holds(page, ", 1,002 more changes"));
    row.notes.left_out = {};
    CHECK(holds(page_of({row}), "shown here: some changes are without what is below"));
}
