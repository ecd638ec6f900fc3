// SPDX-License-Identifier: MIT
#include "render/pages.hpp"
#include "render/sample_pages.hpp"
#include "support/catch.hpp"
#include "support/page_rules.hpp"

namespace {

bool holds(const std::string& page, std::string_view text) {
    return page.find(text) != std::string::npos;
}

using support::findings_in_page;
const std::vector<std::string> none;

}  // namespace

TEST_CASE("the home page shows what was found, the watch list and the newest releases") {
    const auto page = render::home_page(sample::home_view(), sample::site(), sample::templates());
    CHECK(findings_in_page(page) == none);
    CHECK(holds(page, "<h2 id=\"found\">2 objects found</h2>"));
    CHECK(holds(page, "<h2 id=\"watching\">Watch list: 2 objects</h2>"));
    CHECK(holds(page, ">1,200 changed, 3 new</span>"));
}

TEST_CASE("the history page shows each change with its place, old and new") {
    const auto page = render::history_page(sample::history_view({sample::unc_26_in_ws187()}),
                                           sample::site(), sample::templates());
    CHECK(findings_in_page(page) == none);
    CHECK(holds(page, "<article class=\"release\" id=\"WS187\">"));
    for (const auto* id : {"WS187-c1", "WS187-c2", "WS187-c3", "WS187-c4", "WS187-c5"})
        CHECK(holds(page, std::string("<div class=\"change\" id=\"") + id + "\">"));
}

TEST_CASE("the page of two releases compared shows the changes") {
    const auto view = sample::diff_view(sample::unc_26_in_ws187().notes.changes);
    const auto page = render::diff_page(view, sample::site(), sample::templates());
    CHECK(findings_in_page(page) == none);
    CHECK(holds(page, "WS186 and WS188 compared"));
}

TEST_CASE("the page of a release shows classes, objects and mass changes") {
    const auto page =
        render::release_page(sample::release_view(), sample::site(), sample::templates());
    CHECK(holds(page, "<h1>Release WS187</h1>"));
}

TEST_CASE("an error page says what is wrong and helps to go on") {
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

// What somebody might write into every field of a database.
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

history::People hostile_people(const std::string& text) {
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
    home.watched = {{{text, text}, text}, {{"Gene", text}, ""}};
    auto history = sample::history_view({hostile_row(text, 9)});
    history.history.object = history.history.spelling = {text, text};
    history.history.label = text;
    history.history.people = hostile_people(text);
    history.history.mass_changes = {{"WS187", text, text, 3, 4}};
    auto adopted = history;
    adopted.history.rows[0].kind = sample::Kind::adopted;
    adopted.history.rows[0].notes.adopted_html = text + "<br>" + text;
    auto gone = history;
    gone.history.vanished = true;
    gone.history.rows[0].notes.renamed_to = history::ObjectName{text, text};
    gone.at = "WS187";
    auto diff = sample::diff_view(hostile_row(text, 9).notes.changes);
    diff.difference.object = {text, text};
    diff.difference.label = text;
    diff.difference.people = hostile_people(text);
    auto release = sample::release_view();
    release.query = {text, text, 100, 100};
    release.contents.classes = {{text, 3, {{sample::Kind::changed, 3}}}};
    release.contents.entries = {{{text, text}, text, sample::Kind::changed, {1, 2, 3}}};
    release.contents.mass_changes = {{"WS187", text, text, 3, 4}};
    return {
        {render::home_page(home, site, templates), render::history_page(history, site, templates),
         render::history_page(adopted, site, templates),
         render::history_page(gone, site, templates), render::diff_page(diff, site, templates),
         render::release_page(release, site, templates),
         render::error_page(404, text, text, site, templates)}};
}

}  // namespace

TEST_CASE("whatever the data holds is shown as text on every page") {
    for (const auto& text : hostile_texts) {
        CAPTURE(text);
        for (const auto& page : hostile_pages(text).all) {
            CHECK(findings_in_page(page) == none);
            CHECK_FALSE(holds(page, "alert(1)</script>"));
            CHECK_FALSE(holds(page, "href=\"javascript:"));
        }
    }
}
