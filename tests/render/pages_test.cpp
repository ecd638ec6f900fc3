// SPDX-License-Identifier: MIT
#include "render/page.hpp"
#include "render/pages.hpp"
#include "render/pictures.hpp"
#include "render/sample_pages.hpp"
#include "support/catch.hpp"

using sample::holds;

namespace {

// The page without a search.
render::HomeView plain_home() {
    auto view = sample::home_view();
    view.class_name = view.text = "";
    view.found.clear();
    return view;
}

}  // namespace

TEST_CASE("The first release is described in the same words on every page") {
    auto view = plain_home();
    query::ReleaseList releases(1, view.releases->back());
    releases[0].summary = {{"WS186", sample::day(2008, 2, 1)}, {}, 15, true};
    view.releases = std::make_shared<const query::ReleaseList>(releases);
    const std::string words = "irst release seen, 15 histories read from timestamps";
    CHECK(holds(sample::page_of(view), "<p>F" + words + ":</p>"));
    CHECK(holds(sample::page_of(render::ReleasesView{view.releases, 0}), "</time>, f" + words));
    auto release = sample::release_view();
    release.contents.summary = releases[0].summary;
    CHECK(holds(sample::page_of(release), "</time>: f" + words + "."));
}

TEST_CASE("Titles and names of curators are unchanged on pages and without tags in feeds") {
    auto site = sample::site();
    site.title = "All <i>changes</i>";
    auto view = sample::history_view({sample::unc_26_in_ws187()});
    view.history.label = "a <b>c</b>";
    view.history.people = {{"sylvia", {{"Person", "P1"}, "<b>Sylvia</b>"}}};
    const auto page = sample::page_of(view, site);
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

TEST_CASE("What changed only as others did is counted apart, and said once where it is all") {
    const auto words = [](std::uint64_t mass, std::uint64_t echoes) {
        return render::words_of({{sample::RowKind::changed, 9}, {sample::RowKind::created, 1}},
                                {mass, echoes});
    };
    CHECK(words(0, 0) == "9 changed, 1 created");
    CHECK(words(7, 0) == "9 changed (7 only as most of their class), 1 created");
    CHECK(words(7, 1) ==
          "9 changed (7 only as most of their class, 1 only because others did), 1 created");
    CHECK(words(0, 9) == "9 changed only because others did, 1 created");
    CHECK(words(9, 0) == "9 changed only as most of their class, 1 created");
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
        const auto page = sample::page_of(view);
        const auto begin = page.find("<summary>", page.find("class=\"following\"")) + 9;
        return page.substr(begin, page.find("</summary>", begin) - begin);
    };
    CHECK(summary() == "3 objects lost their reference to unc-26, which vanished; "
                       "1 object changed only because others did");
    view.contents.entries.push_back(other);
    CHECK(summary() ==
          "3 objects lost their reference to unc-26, which vanished; "
          "2 objects have a reference to unc-27, which was created in the same release");
    lost.is_shared = true;
    view.contents.entries = {lost, lost, other};
    CHECK(summary() == "2 of these objects changed only as most of their class; "
                       "1 object changed only because others did");
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

std::vector<std::string> hostile_pages(const std::string& text) {
    const auto& templates = sample::templates();
    const render::PageSite site(hostile_site(text));
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
    gone.history.rows[0].renamed_to = tree::ObjectName{text, text};
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
    return {render::home_page(home, site, templates),
            render::watch_page(watch, site, templates),
            render::history_page(history, site, templates).value(),
            render::history_page(gone, site, templates).value(),
            render::diff_page(diff, site, templates).value(),
            render::release_page(release, site, templates),
            render::error_page(404, text, text, site, templates)};
}

}  // namespace

TEST_CASE("A change in most objects of a class of one object is said to be of 1 object") {
    auto release = sample::release_view();
    release.contents.mass_changes = {{"WS187", "Gene", "Identity > Checked", 1, 1}};
    CHECK(holds(sample::page_of(release), "</b> changed in 1 of 1 object</li>"));
    auto history = sample::history_view({sample::unc_26_in_ws187()});
    history.history.mass_changes = {{"WS187", "Gene", "Identity > Version", 1, 1}};
    CHECK(holds(sample::page_of(history), "</a>: changed in 1 of 1 object of class Gene"));
}

TEST_CASE("A page links to its site by path alone, and shows addresses to copy with the host") {
    for (const auto& [base_url, path] :
         {std::pair("https://changes.test/in/here", "/in/here"),
          std::pair("https://changes.test", ""), std::pair("http://changes.test:8080", "")}) {
        auto site = sample::site();
        site.base_url = base_url;
        site.hub_url = site.base_url + "/hub";
        auto history = sample::history_view({sample::unc_26_in_ws187()});
        history.history.vanished = true;
        auto watch = sample::watch_view({sample::unc_26_in_ws187()});
        watch.id = "abcdefghijklmnop";
        auto one_class = plain_home();
        one_class.class_name = "Gene";
        const render::SourcesView sources{
            .feeds = {{.id = 3, .name = "Lab news", .url = "https://lab.test/feed"}},
            .count = 1,
            .text = "lab"};
        for (const auto& page :
             {sample::page_of(sample::home_view(), site), sample::page_of(plain_home(), site),
              sample::page_of(one_class, site), sample::page_of(watch, site),
              sample::page_of(history, site),
              sample::page_of(sample::diff_view(sample::unc_26_in_ws187().notes.changes), site),
              sample::page_of(sample::release_view(), site),
              sample::page_of(render::ReleasesView{plain_home().releases}, site),
              sample::page_of(sources, site)}) {
            CHECK(holds(page, "<link rel=\"stylesheet\" href=\"" + std::string(path) +
                                  "/style.css?v="));
            const auto own = "=\"" + site.base_url;
            // What a subscriber of the hub takes from the page, and what readers copy.
            for (auto at = page.find(own); at != std::string::npos; at = page.find(own, at + 1)) {
                const auto begin = page.rfind('<', at);
                INFO(page.substr(begin, page.find('>', at) - begin));
                const auto element = std::string_view(page).substr(begin);
                CHECK((element.starts_with("<link rel=\"hub\"") ||
                       element.starts_with("<link rel=\"self\"") ||
                       element.starts_with("<input id=\"address\" readonly")));
            }
        }
        CHECK(holds(sample::page_of(history, site),
                    "value=\"" + site.base_url + "/rss?class=Gene&amp;name=WBGene00006763\">"));
        CHECK(holds(sample::page_of(watch, site),
                    "<a href=\"" + std::string(path) + "/watch/abcdefghijklmnop\">" +
                        site.base_url + "/watch/abcdefghijklmnop<"));
    }
}

TEST_CASE("All data is shown as text on every page") {
    for (const auto& text : hostile_texts) {
        CAPTURE(text);
        for (const auto& page : hostile_pages(text)) {
            CHECK(support::findings_in_page(page) == sample::none);
            CHECK_FALSE(holds(page, "alert(1)</script>"));
            CHECK_FALSE(holds(page, "href=\"javascript:"));
        }
    }
}
