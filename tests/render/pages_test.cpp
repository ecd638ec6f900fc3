// SPDX-License-Identifier: MIT
#include "render/pages.hpp"
#include "render/release_text.hpp"
#include "render/sample_pages.hpp"
#include "support/catch.hpp"
#include "support/html_rules.hpp"

using sample::holds;
using sample::none;
using support::findings_in_page;

TEST_CASE("The home page shows search results and the newest releases") {
    const auto page = render::home_page(sample::home_view(), sample::site(), sample::templates());
    CHECK(findings_in_page(page) == none);
    CHECK(holds(page, "<h2 id=\"found\">2 objects found</h2>"));
    CHECK(holds(page, "<span>1,200 objects changed, 3 created</span>"));
    CHECK(
        holds(page, "<button name=\"object\" formaction=\"https://changes.example.org/watch\""));
}

TEST_CASE("Objects with the same label are shown with their classes") {
    auto view = sample::home_view();
    view.found = {{{"Gene", "WBGene00006763"}, "unc-26"}, {{"Locus", "unc-26"}, "unc-26"}};
    const auto page = render::home_page(view, sample::site(), sample::templates());
    CHECK(findings_in_page(page) == none);
    CHECK(holds(page, "<span><span class=\"class\">Gene</span> <a href=\"https://"
                      "changes.example.org/history?class=Gene&amp;name=WBGene00006763\">unc-26"
                      "</a> <span class=\"id\">WBGene00006763</span></span>"));
    CHECK(holds(page, "<span><span class=\"class\">Locus</span> <a href=\"https://"
                      "changes.example.org/history?class=Locus&amp;name=unc-26\">unc-26</a>"
                      "</span>"));
}

TEST_CASE("The page of a class links its feeds in every format") {
    auto view = sample::home_view();
    view.text.clear();
    view.found.clear();
    const auto page = render::home_page(view, sample::site(), sample::templates());
    CHECK(findings_in_page(page) == none);
    CHECK(holds(page, "<title>All Gene changes - WormBase changes</title>"));
    const std::string feed = "href=\"https://changes.example.org/rss?class=Gene";
    for (const std::string format : {"\"", "&amp;format=atom\"", "&amp;format=json\""}) {
        CHECK(sample::count(page, feed + format) == 2);
        CHECK(page.find(feed + format) < page.find("</head>"));
    }
    view.class_name = "Nothing";
    const auto other = render::home_page(view, sample::site(), sample::templates());
    CHECK(findings_in_page(other) == none);
    CHECK_FALSE(holds(other, ">Subscribe</a>"));
}

TEST_CASE("The page of a watch list has the newest changes before the objects") {
    const auto page = render::watch_page(sample::watch_view({sample::unc_26_in_ws187()}),
                                         sample::site(), sample::templates());
    CHECK(findings_in_page(page) == none);
    CHECK(holds(page, "<h1>Watch list: 2 objects</h1>"));
    CHECK(page.find("<h2 id=\"newest\">") < page.find("<h2 id=\"watching\">"));
    CHECK(holds(page, "/history?class=Gene&amp;name=WBGene00006763&amp;at=WS187\">"));
    CHECK(holds(page, "href=\"https://changes.example.org/rss?object=Gene:WBGene00006763&amp;"
                      "object=Paper:WBPaper00000001&amp;format=atom\""));
    CHECK(holds(page, "<button name=\"keep\" value=\"1\">"));
}

TEST_CASE("A list with a short address has it in all of its links") {
    auto view = sample::watch_view({sample::unc_26_in_ws187()});
    view.id = "abcdefghijklmnop";
    const auto page = render::watch_page(view, sample::site(), sample::templates());
    CHECK(findings_in_page(page) == none);
    CHECK(holds(page, ">https://changes.example.org/watch/abcdefghijklmnop</a>"));
    CHECK(holds(page, "/rss?watch=abcdefghijklmnop&amp;format=atom\""));
    CHECK(holds(page, "/opml?watch=abcdefghijklmnop\""));
    CHECK_FALSE(holds(page, "rss?object="));
    CHECK_FALSE(holds(page, "name=\"keep\""));
}

TEST_CASE(
    "Objects of a list that are gone or unknown are marked, with a button for another one") {
    using State = render::WatchedObject::State;
    auto view = sample::watch_view({});
    view.objects[0] = {.named = {{"Gene", "old"}, "old"},
                       .state = State::vanished,
                       .vanished_in = "WS188",
                       .words = "Merged into",
                       .instead = {{{"Gene", "new"}, "unc-26"}}};
    view.objects[1].state = State::unknown;
    const auto page = render::watch_page(view, sample::site(), sample::templates());
    CHECK(findings_in_page(page) == none);
    CHECK(holds(page,
                "<span class=\"gone\">vanished</span> in <a "
                "href=\"https://changes.example.org/release/WS188\">WS188</a>. Merged into "));
    CHECK(holds(page, "<button name=\"instead\" value=\"Gene%3Aold Gene%3Anew\">Watch"));
    CHECK(holds(page, "<span class=\"gone\">unknown</span>"));
}

TEST_CASE("Pasted names that mean several objects or none are asked about, and none is dropped") {
    auto view = sample::watch_view({});
    view.unclear = {
        {"Hodgkin", {{{"Person", "1"}, "Hodgkin"}, {{"Person_name", "Hodgkin"}, "Hodgkin"}}},
        {"<b>nobody", {}}};
    view.left_out = 3;
    const auto page = render::watch_page(view, sample::site(), sample::templates());
    CHECK(findings_in_page(page) == none);
    CHECK(holds(page, "<b>Hodgkin</b> 2 objects:"));
    CHECK(holds(page, "<input type=\"checkbox\" name=\"object\" value=\"Person_name:Hodgkin\">"));
    CHECK(holds(page, "<b>&lt;b&gt;nobody</b> no object has that name"));
    CHECK(holds(page, ">&lt;b&gt;nobody\n</textarea>"));
    CHECK(holds(page, ">3 names did not fit:"));
}

namespace {

// The page without a search.
render::HomeView plain_home() {
    auto view = sample::home_view();
    view.class_name = view.text = "";
    view.found.clear();
    return view;
}

std::string home_of(const render::HomeView& view) {
    const auto page = render::home_page(view, sample::site(), sample::templates());
    CHECK(findings_in_page(page) == none);
    return page;
}

}  // namespace

TEST_CASE("The home page says what the newest release did, in a sentence, lines and pictures") {
    const auto page = home_of(plain_home());
    CHECK(holds(page, "<p>1,200 objects changed, 3 created. The most important:</p>"));
    CHECK(holds(page,
                "<li><span class=\"class\">Gene</span> <span><a href=\"https://changes.example."
                "org/history?class=Gene&amp;name=WBGene00006763&amp;at=WS188\">unc-26</a> "
                "<span class=\"id\">WBGene00006763</span></span> "
                "<span>Remark added</span></li>"));
    CHECK(holds(page, ">All 1,203 objects in WS188</a>"));
    CHECK(sample::count(page, "<svg class=\"stacks\"") == 1);
    CHECK(sample::count(page, "<svg class=\"heat-map\"") == 1);
    CHECK(sample::count(page, "<summary>Show as a table</summary>") == 2);
    CHECK(page.find("<input type=\"search\"") < page.find("Newest release"));
    // What was searched for is not pushed down by pictures.
    CHECK_FALSE(holds(home_of(sample::home_view()), "<figure>"));
}

TEST_CASE("The first release is described in the same words on every page") {
    auto view = plain_home();
    query::ReleaseList releases(1, view.releases->back());
    releases[0].summary = {{"WS186", sample::day(2008, 2, 1)}, {}, 15, true};
    view.releases = std::make_shared<const query::ReleaseList>(releases);
    const std::string words = "irst release seen, 15 histories read from timestamps";
    const auto home = home_of(view);
    CHECK(holds(home, "<p>F" + words + ":</p>"));
    CHECK(holds(home, "<span>f" + words + "</span>"));
    CHECK(holds(render::releases_page({view.releases, 0}, sample::site(), sample::templates()),
                "</time>, f" + words + "."));
    auto release = sample::release_view();
    release.contents.summary = releases[0].summary;
    CHECK(holds(render::release_page(release, sample::site(), sample::templates()),
                "</time>: f" + words + "."));
    CHECK(render::title_of(releases[0]) == "WS186: f" + words);
    releases[0].summary = {{"WS186", sample::day(2008, 2, 1)}, {}, 0, false};
    view.releases = std::make_shared<const query::ReleaseList>(releases);
    CHECK(holds(home_of(view), "<span>no change recorded</span>"));
}

TEST_CASE("A page has one button to subscribe, and the formats behind it") {
    auto view = sample::history_view({sample::unc_26_in_ws187()});
    const auto page = render::history_page(view, sample::site(), sample::templates());
    const std::string feed = "https://changes.example.org/rss?class=Gene&amp;name=WBGene00006763";
    CHECK(sample::count(page, ">Subscribe</a>") == 1);
    CHECK(holds(page, "<a class=\"button main\" rel=\"nofollow\" href=\"" + feed +
                          "\" type=\"application/rss+xml\">Subscribe</a>"));
    CHECK(holds(page, "<input id=\"address\" readonly value=\"" + feed + "\">"));
    CHECK(holds(page, "<li>Also as <a href=\"" + feed + "&amp;format=atom\""));
}

TEST_CASE("Titles and names of curators are unchanged on pages and without tags in feeds") {
    auto site = sample::site();
    site.title = "All <i>changes</i>";
    auto view = sample::history_view({sample::unc_26_in_ws187()});
    view.history.label = "a <b>c</b>";
    view.history.people = {{"sylvia", {{"Person", "P1"}, "<b>Sylvia</b>"}}};
    const auto page = render::history_page(view, site, sample::templates());
    CHECK(findings_in_page(page) == none);
    CHECK(holds(page, "<title>Gene a &lt;b&gt;c&lt;/b&gt; (WBGene00006763) - All &lt;i&gt;changes"
                      "&lt;/i&gt;</title>"));
    CHECK(holds(page, "class=Person\">&lt;b&gt;Sylvia&lt;/b&gt;</a>"));
    CHECK_FALSE(holds(page, "\u2039"));
    for (const auto& format : render::formats()) {
        const auto feed =
            format.render(view.history, sample::channel_of(view.history, site), site);
        CHECK(holds(feed, "\u2039b\u203aSylvia\u2039/b\u203a"));
        CHECK(holds(feed, "Gene a \u2039b\u203ac\u2039/b\u203a (WBGene00006763) - All "
                          "\u2039i\u203achanges\u2039/i\u203a"));
    }
}

TEST_CASE("Plain texts of feeds have no marks of direction") {
    auto view = sample::history_view({sample::unc_26_in_ws187()});
    view.history.people = {{"sylvia", {{"Person", "P1"}, "Syl\u202Evia\u2066"}}};
    for (const auto& format : render::formats()) {
        const auto feed = format.render(
            view.history, sample::channel_of(view.history, sample::site()), sample::site());
        CHECK(holds(feed, "Sylvia"));
    }
}

TEST_CASE("The history page shows each change once, at the place that feeds link to") {
    const auto page = render::history_page(sample::history_view({sample::unc_26_in_ws187()}),
                                           sample::site(), sample::templates());
    CHECK(findings_in_page(page) == none);
    CHECK(holds(page, "<article class=\"release\" id=\"WS187\">"));
    for (const auto* id : {"WS187-c1", "WS187-c2", "WS187-c3", "WS187-c4", "WS187-c5"})
        CHECK(sample::count(page, std::string(" id=\"") + id + "\">") == 1);
}

TEST_CASE("The page of two compared releases shows the changes") {
    const auto view = sample::diff_view(sample::unc_26_in_ws187().notes.changes);
    const auto page = render::diff_page(view, sample::site(), sample::templates());
    CHECK(findings_in_page(page) == none);
    CHECK(holds(page, "Changes from WS186 to WS188"));
}

TEST_CASE("The page of a release shows classes, objects and mass changes") {
    const auto page =
        render::release_page(sample::release_view(), sample::site(), sample::templates());
    CHECK(holds(page, "<h1>Release WS187</h1>"));
}

TEST_CASE("The page of a release says what changed in words and folds what only follows") {
    auto view = sample::release_view();
    view.contents.entries[0].headline = "Status Live → Dead";
    view.contents.entries[1] = {{"Paper", "P1"}, "P1", sample::RowKind::changed, {0, 0, 1}};
    view.contents.entries[1].headline = "Lost its reference to unc-26, which vanished";
    view.contents.entries[1].only_follows = true;
    const auto page = render::release_page(view, sample::site(), sample::templates());
    CHECK(findings_in_page(page) == none);
    CHECK(holds(page, "<td>Status Live → Dead</td>"));
    CHECK(holds(page, "<summary>1 object changed only because others did</summary>"));
    CHECK(page.find("Lost its reference") > page.find("<summary>"));
}

TEST_CASE("The page of a release says once what several objects only follow from") {
    auto view = sample::release_view();
    query::ReleaseContents::Entry lost{
        {"Paper", "P1"}, "P1", sample::RowKind::changed, {0, 0, 1}};
    lost.headline = "lost its reference to unc-26, which vanished";
    lost.only_follows = true;
    auto other = lost;
    other.headline = "has a reference to unc-27, which was created in the same release";
    view.contents.entries = {lost, other, lost, lost};
    const auto summary = [&] {
        const auto page = render::release_page(view, sample::site(), sample::templates());
        CHECK(findings_in_page(page) == none);
        const auto begin = page.find("<summary>", page.find("class=\"following\"")) + 9;
        return page.substr(begin, page.find("</summary>", begin) - begin);
    };
    CHECK(summary() == "3 objects lost their reference to unc-26, which vanished; "
                       "1 object changed only because others did");
    view.contents.entries.push_back(other);
    CHECK(summary() ==
          "3 objects lost their reference to unc-26, which vanished; "
          "2 objects have a reference to unc-27, which was created in the same release");
}

TEST_CASE("An error page says what is wrong and offers links to continue") {
    const auto page = render::error_page(404, "Not Found", "There is no <Gene> x.",
                                         sample::site(), sample::templates());
    CHECK(findings_in_page(page) == none);
    CHECK(holds(page, "There is no &lt;Gene&gt; x."));
    CHECK(holds(page, "<title>404 Not Found - WormBase changes</title>"));
    CHECK(holds(page, "<input type=\"search\""));
    CHECK(render::error_text(404, "Not Found", "No\n.") == "404 Not Found\n\nNo\n.\n");
}

namespace {

using namespace support;

// Hostile text for every field of a database.
const std::vector<std::string> hostile_texts = {
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "'onmouseover='alert(1)",
    "javascript:alert(1)",
    "</title></main></svg>-->]]>",
    "{{title}} {{{content}}} {{> search}}",
    "&amp;&#x3C;&quot",
    "\xFF\xFE\x01\x1F \xED\xA0\x80",
    sample::text_of(512, "\""),
    sample::text_of(512, "\xE2\x80\xA8"),
};

sample::Row hostile_row(const std::string& text, std::size_t changes) {
    std::vector<sample::Change> list;
    for (std::size_t i = 0; i < changes; ++i) {
        const auto path = sample::tags({text, text + std::to_string(i)});
        const auto stamp = "2008-02-01_09:15:20_" + text;
        list.push_back(i % 3 == 0 ? sample::added(path, stamped(reference(text, text), stamp))
                       : i % 3 == 1
                           ? sample::removed({}, tag(text, {stamped(support::text(text), text)}))
                           : sample::replaced(path, support::text("a " + text),
                                              stamped(support::text("b " + text), stamp)));
    }
    auto row = sample::row("WS187", sample::day(2008, 2, 15), std::move(list));
    row.object = {text.substr(0, 64), text};
    row.label = text;
    return row;
}

render::Site hostile_site(const std::string& text) {
    auto site = sample::site();
    site.title = site.contact = text;
    site.object_url = text + "{name}";
    site.object_url_of_class = {};
    return site;
}

query::People hostile_people(const std::string& text) {
    return {{text, {{"Person", text}, text}}};
}

struct Pages {
    std::vector<std::string> all;
};

Pages hostile_pages(const std::string& text) {
    const auto templates = sample::templates();
    const auto site = hostile_site(text);
    auto home = sample::home_view();
    home.text = home.class_name = text;
    home.classes = {text, "Gene"};
    home.found = {{{text, text}, text}};
    auto watch = sample::watch_view({hostile_row(text, 9)});
    watch.text = watch.class_name = text;
    watch.found = home.found;
    watch.unclear = {{text, {}}, {text, {{{text, text}, text}, {{"Gene", text}, ""}}}};
    watch.objects = {{{{text, text}, text}},
                     {{{"Gene", text}, ""},
                      render::WatchedObject::State::vanished,
                      text,
                      text,
                      {{{text, text}, text}}}};
    auto history = sample::history_view({hostile_row(text, 9)});
    history.history.object = history.history.spelling = {text, text};
    history.history.label = text;
    history.history.people = hostile_people(text);
    history.history.mass_changes = {{"WS187", text, text, 3, 4}};
    auto gone = history;
    gone.history.vanished = true;
    gone.history.rows[0].notes.renamed_to = tree::ObjectName{text, text};
    gone.at = "WS187";
    auto diff = sample::diff_view(hostile_row(text, 9).notes.changes);
    diff.difference.object = {text, text};
    diff.difference.label = text;
    diff.difference.people = hostile_people(text);
    auto release = sample::release_view();
    release.query = {text, text, 100, 100};
    release.contents.classes = {{text, 3, {{sample::RowKind::changed, 3}}}};
    release.contents.entries = {{{text, text}, text, sample::RowKind::changed, {1, 2, 3}}};
    release.contents.mass_changes = {{"WS187", text, text, 3, 4}};
    return {{render::home_page(home, site, templates), render::watch_page(watch, site, templates),
             render::history_page(history, site, templates),
             render::history_page(gone, site, templates),
             render::diff_page(diff, site, templates),
             render::release_page(release, site, templates),
             render::error_page(404, text, text, site, templates)}};
}

}  // namespace

TEST_CASE("All data is shown as text on every page") {
    for (const auto& text : hostile_texts) {
        CAPTURE(text);
        for (const auto& page : hostile_pages(text).all) {
            CHECK(findings_in_page(page) == none);
            CHECK_FALSE(holds(page, "alert(1)</script>"));
            CHECK_FALSE(holds(page, "href=\"javascript:"));
        }
    }
}

TEST_CASE("Pages of a private site say beside the feeds that readers need a token") {
    constexpr std::string_view words = "Feed readers need your token. Add &amp;token=";
    auto look = sample::site();
    const auto watched = sample::watch_view({});
    CHECK_FALSE(holds(render::watch_page(watched, look, sample::templates()), words));
    look.is_private = true;
    const auto list = render::watch_page(watched, look, sample::templates());
    const auto release = render::release_page(sample::release_view(), look, sample::templates());
    for (const auto& page : {list, release}) {
        CHECK(findings_in_page(page) == none);
        CHECK(holds(page, words));
    }
}
