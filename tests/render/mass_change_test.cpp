// Changes that a release made in most objects of a class are one line per path.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "render/display_text.hpp"
#include "sample.hpp"
#include "support/catch.hpp"
#include "support/html_rules.hpp"

using namespace sample;
using Catch::Matchers::Contains;
using support::tag;
using support::text;
using tables::MassChange;

namespace {

constexpr auto line_end =
    "</a>: changed in 30,123 of 45,000 objects of class Gene in this release.</li>";

MassChange mass_change(std::string place, std::string version = "WS187") {
    return {std::move(version), "Gene", std::move(place), 30'123, 45'000};
}
Row row_of(std::vector<Change> changes) {
    return row("WS187", day(2008, 2, 15), std::move(changes));
}
Change checked(const std::string& value) {
    return added(tags({"Identity", "Checked"}), text(value));
}

}  // namespace

TEST_CASE("An item with only a mass change is one line with the link of its first change") {
    const auto html = sample::content_of(row_of({checked("a"), checked("b")}), site(),
                                         {mass_change("Identity > Checked")});
    CHECK_THAT(html, Contains("<p>Nothing changed in unc-26 alone.</p><ul><li><a href=\"") &&
                         Contains("#WS187-c1\">Identity &gt; Checked" + std::string(line_end) +
                                  "</ul>"));
    CHECK(count(html, "<li>") == 1);
    check_html(html);
}

TEST_CASE("An object's own changes come before mass changes and keep their numbers") {
    const auto html = sample::content_of(
        row_of({checked("a"), added(tags({"Remark"}), text("own")), checked("b"),
                added(tags({"Identity"}), tag("Version"))}),
        site(), {mass_change("Identity > Version"), mass_change("Identity > Checked")});
    CHECK_THAT(html, Contains("<ul><li><a href=\"") &&
                         Contains("-c2\">Remark</a> added: own.</li></ul><ul><li>") &&
                         Contains("-c1\">Identity &gt; Checked" + std::string(line_end)) &&
                         Contains("-c4\">Identity &gt; Version" + std::string(line_end)));
    CHECK(html.find("Checked") < html.find("Version"));
    CHECK(count(html, "<li>") == 3);
    check_html(html);
}

TEST_CASE("Mass changes of another release, or without a change here, are not shown") {
    const auto r = row_of({checked("a")});
    const auto plain = sample::content_of(r, site());
    CHECK_THAT(plain, Contains("Checked</a> added: a."));
    CHECK(sample::content_of(r, site(), {mass_change("Identity > Checked", "WS188")}) == plain);
    CHECK(sample::content_of(r, site(), {mass_change("Identity")}) == plain);
}

TEST_CASE("Objects that came or went, and texts without a tag, are shown in full despite mass "
          "changes") {
    auto created = row_of({added({}, tag("Identity"))});
    created.kind = RowKind::created;
    CHECK_THAT(sample::content_of(created, site(), {mass_change("Identity")}),
               !Contains("45,000"));
    const auto untagged = row_of({replaced({}, text("old"), text("new"))});
    CHECK_THAT(sample::content_of(untagged, site(), {mass_change("")}), Contains("old"));
}

TEST_CASE("A change without the sides it must have is in no mass change") {
    const auto html =
        sample::content_of(row_of({{Op::added, {}, {tag("A")}, {}}, added({}, tag("A"))}), site(),
                           {mass_change("A")});
    CHECK(count(html, line_end) == 1);
}

TEST_CASE("Thousands of changes of a mass change are one line") {
    std::vector<Change> changes;
    for (int i = 0; i < 5000; ++i) changes.push_back(checked(std::to_string(i)));
    changes.push_back(added(tags({"Remark"}), text("own")));
    const auto whole =
        sample::content_of(row_of(changes), site(), {mass_change("Identity > Checked")});
    CHECK(count(whole, line_end) == 1);
    CHECK_THAT(whole, Contains("added: own.") && !Contains("This item is shortened"));
    check_html(whole);
}

TEST_CASE("The title of an item with nothing but mass changes says so") {
    auto r = row_of({checked("a")});
    r.notes.headline = "checked a added";
    const auto title = [](const Row& row, std::vector<MassChange> mass_changes) {
        return render::title_of(row, excerpt_of(row, std::move(mass_changes)));
    };
    CHECK(title(r, {mass_change("Identity > Checked")}) ==
          "unc-26 in WS187: only a change shared by most objects of class Gene");
    CHECK(title(r, {mass_change("Identity")}) == "unc-26 in WS187: checked a added");
    auto page = excerpt_of(r, {mass_change("Identity > Checked")});
    page.filter.tag = "Other";
    CHECK(render::title_of(r, page) ==
          "unc-26 in WS187: only a change shared by most objects of class Gene");
    r.notes.left_out.added = 1;
    CHECK(title(r, {mass_change("Identity > Checked")}) == "unc-26 in WS187: checked a added");
    r.notes.left_out.added = 0;
    r.notes.changes.push_back(added(tags({"Remark"}), text("own")));
    CHECK(title(r, {mass_change("Identity > Checked")}) == "unc-26 in WS187: checked a added");
}

TEST_CASE("Mass changes that do not fit are cut like other changes") {
    std::vector<Change> changes;
    std::vector<MassChange> mass_changes;
    for (int i = 0; i < 201; ++i) {
        const auto name = "T" + std::to_string(i);
        changes.push_back(added(tags({name}), text("x")));
        mass_changes.push_back(mass_change(name));
    }
    const auto html = sample::content_of(row_of(changes), site(), mass_changes);
    CHECK(count(html, line_end) < 201);
    CHECK_THAT(html, Contains("See all 201 changes"));
    check_html(html);
}

TEST_CASE("Hostile classes and paths of mass changes are escaped") {
    const std::string hostile = "</li></ul><script onload='x'>&\"\x01\xFF\xEF\xBF\xBF\x7F";
    auto r = row_of({added({}, tag(hostile))});
    r.object = {hostile, hostile};
    auto everywhere = mass_change(hostile);
    everywhere.class_name = hostile;
    const auto html = sample::content_of(r, site(), {everywhere});
    CHECK_THAT(html, Contains("30,123") && !Contains("<script"));
    check_html(html);
}

TEST_CASE("Titles, guids and creators stay as recorded where changes are in a mass change") {
    const auto r = unc_26_in_ws187();
    const auto plain = history_of({r});
    auto with = plain;
    with.mass_changes = {mass_change("Gene_info > GO_term"), mass_change("Method")};
    const auto feed = render::rss(with, channel_of(with, site()), site());
    const auto without = render::rss(plain, channel_of(plain, site()), site());
    CHECK_THAT(feed, Contains("30,123 of 45,000"));
    for (const auto* element : {"<title>", "<guid ", "<pubDate>", "<dc:creator>", "<link>"}) {
        INFO(element);
        const auto after = [element](const std::string& bytes) {
            const auto at = bytes.find(element, bytes.find("<item>"));
            return bytes.substr(at, bytes.find("</", at) - at);
        };
        CHECK(after(feed) == after(without));
    }
}

TEST_CASE("Numbers have a comma between groups of three digits") {
    CHECK(render::with_separators(0) == "0");
    CHECK(render::with_separators(999) == "999");
    CHECK(render::with_separators(1'000) == "1,000");
    CHECK(render::with_separators(45'000'000) == "45,000,000");
}
