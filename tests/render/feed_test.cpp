// SPDX-License-Identifier: MIT
#include "render/feed.hpp"
#include "render/html.hpp"
#include "render/links.hpp"
#include "render/markup.hpp"
#include "sample.hpp"
#include "support/catch.hpp"
#include "support/feed_rules.hpp"

using namespace sample;

TEST_CASE("Guids are tag URIs of authority, class, name and version, percent-encoded") {
    auto r = unc_26_in_ws187();
    CHECK(render::guid_of(r, "wormbase.org,2007") ==
          "tag:wormbase.org,2007:Gene/WBGene00006763/WS187");
    r.object = {"A/b", "x:y z/\xC3\xA9~-._"};
    CHECK(render::guid_of(r, "x.org,2007") ==
          "tag:x.org,2007:A%2Fb/x%3Ay%20z%2F%C3%A9~-._/WS187");
    r.revision = 1;
    CHECK(render::guid_of(r, "x.org,2007").ends_with("/WS187/2"));
}

TEST_CASE("The title of an object under a new name says which one it had, and its own feed where "
          "it went") {
    auto r = row("WS187", day(2008, 2, 15), {});
    r.kind = RowKind::created;
    r.renamed_from = {{"Gene", "WBGene9"}};
    CHECK(sample::title_of(r) == "Gene unc-26 (WBGene00006763) renamed in WS187, was WBGene9");
    r.kind = RowKind::vanished;
    std::swap(r.renamed_from, r.renamed_to);
    r.label.clear();
    CHECK(sample::title_of(r) == "Gene WBGene00006763 renamed in WS187, now WBGene9");
}

TEST_CASE("Titles say what became of the object, in which release, and what leads") {
    auto r = unc_26_in_ws187();
    const auto title = [&r](RowKind kind) {
        r.kind = kind;
        return sample::title_of(r);
    };
    const std::string lead = ": Method Gene removed, GO term GO:0004439 added, other name synj-1 "
                             "added, 2 more changes";
    CHECK(title(RowKind::changed) == "unc-26 in WS187" + lead);
    CHECK(title(RowKind::created) == "Gene unc-26 created in WS187: No stamps on this line");
    CHECK(title(RowKind::vanished) == "Gene unc-26 vanished in WS187");
    CHECK(title(RowKind::reappeared) ==
          "Gene unc-26 reappeared in WS187: No stamps on this line");
    CHECK(title(RowKind::withdrawn) == "Gene unc-26 changed in WS187: withdrawn");
    r.since = "WS185";
    CHECK(title(RowKind::changed) == "unc-26 between WS185 and WS187" + lead);
    r.notes.previous.clear();
    CHECK(title(RowKind::changed) == "unc-26 in WS187" + lead);
    r.since.clear();
    // An id alone does not say of which class it is.
    r.label.clear();
    r.notes.changes = {added({}, support::tag("A"))};
    CHECK(title(RowKind::reconstructed) ==
          "Gene WBGene00006763 in WS187, by timestamps: A added");
    r.notes.changes.clear();
    r.notes.left_out = {3, 1, 0};
    CHECK(title(RowKind::changed) == "Gene WBGene00006763 in WS187: 3 added, 1 replaced");
}

TEST_CASE("Titles are one line of plain text that no reader takes for HTML") {
    auto r = unc_26_in_ws187();
    r.notes.changes.clear();
    r.label = " a\n\tb <i>c</i> &amp; \xEF\xBF\xBD\xC2\x85 ";
    CHECK(sample::title_of(r) == "Gene a b \xE2\x80\xB9i\xE2\x80\xBA"
                                 "c\xE2\x80\xB9/i\xE2\x80\xBA &amp; ?? changed in WS187");
    r.label = "1 < 2 > 0";
    CHECK(sample::title_of(r) == "Gene 1 < 2 > 0 changed in WS187");
}

TEST_CASE("Object URLs come from the template of the class, or else from the common one") {
    CHECK(render::object_url_of({"Paper", "a b/&"}, site()) ==
          "https://wormbase.org/resources/paper/a%20b%2F%26");
    CHECK(render::object_url_of({"Gene", "\"x\";y"}, site()) ==
          "https://wormbase.org/db/get?name=%22x%22%3By;class=Gene");
    auto other = site();
    other.object_url = "https://x.org/{other}/{name}{";
    CHECK(render::object_url_of({"Gene", "n"}, other) == "https://x.org/{other}/n{");
}

TEST_CASE("Only http and https URLs become object URLs") {
    auto other = site();
    for (const auto* bad : {"", "javascript:{name}", "ftp://x.org/{name}", "{name}", "http://",
                            " https://x.org", "//x.org/{name}"}) {
        other.object_url = bad;
        INFO(bad);
        CHECK(render::object_url_of({"Gene", "https://evil.org"}, other).empty());
    }
    CHECK(render::object_url_of({"", "x"}, site()).empty());
}

TEST_CASE("Curators are the users in the new content, once each, in order") {
    auto changes = unc_26_in_ws187().notes.changes;
    const auto by = [](const char* stamp) { return support::stamped(support::text("v"), stamp); };
    const auto r = row(
        "WS187", day(2008, 2, 15),
        {removed({}, by("2008-02-01_09:15:20_gone")), added({}, by("2008-02-01_09:15:20_zoe")),
         added({}, by("opaque")), added({}, support::tag("A", {by("2008-02-01_09:15:20_adam")})),
         replaced({}, by("2007-02-01_09:15:20_old"), by("2008-02-03_09:15:20_zoe"))});
    CHECK(render::curators_of(r, excerpt_of(r), site()) ==
          std::vector<render::Author>{{"zoe", ""}, {"adam", ""}});
}

TEST_CASE("A history was modified when its newest row was released or recorded") {
    auto newer = unc_26_in_ws187(), older = newer;
    older.release = {"WS186", day(2008, 2, 1)};
    older.recorded_at = day(2008, 9, 9);
    CHECK(render::last_modified(history_of({newer, older})) == base::Seconds(day(2008, 9, 9)));
    newer.recorded_at = older.recorded_at = day(2008, 1, 1);
    CHECK(render::last_modified(history_of({newer, older})) == base::Seconds(day(2008, 2, 15)));
    CHECK(render::last_modified(history_of({})) == base::Seconds(day(2008, 2, 1)));
}

TEST_CASE(
    "For a browser, titles and content are elements of XHTML, and the rest is as for readers") {
    auto history = gene();
    history.people = people();
    for (const auto& format : support::feed_formats) {
        if (format.format == std::string_view("json")) continue;
        auto channel = channel_of(history, site());
        const auto* written = render::format_named(format.format);
        const auto plain = written->render(history, channel, site());
        channel.for_browser = true;
        const auto shown = written->render(history, channel, site());
        INFO(shown.substr(0, 4000));
        CHECK(format.findings(shown, self_url, now()) == none);
        CHECK(holds(shown,
                    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>"));
        const auto read = format.read(plain), of_browser = format.read(shown);
        CHECK(read.title == of_browser.title);
        REQUIRE(read.items.size() == of_browser.items.size());
        for (std::size_t i = 0; i < read.items.size(); ++i) {
            auto item = of_browser.items[i];
            CHECK(holds(shown, "<h2><a href=\"" + render::as_html(item.link) + "\">" +
                                   render::as_html(item.title) + "</a></h2>"));
            item.description = read.items[i].description;
            CHECK(item == read.items[i]);
        }
    }
}

TEST_CASE("HTML becomes XHTML: elements without an end get one, and nothing else changes") {
    std::string xml;
    render::append_element(
        xml, 0, "div", "<p>a<br>b &lt;br&gt; <a href=\"x?a&amp;b\">c</a></p><meta name=\"x\">",
        {render::xhtml_namespace}, render::Content::xhtml);
    CHECK(xml == "<div xmlns=\"http://www.w3.org/1999/xhtml\"><p>a<br/>b &lt;br&gt; <a "
                 "href=\"x?a&amp;b\">c</a></p><meta name=\"x\"/></div>\n");
}
