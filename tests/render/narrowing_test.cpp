// Items that show some changes of a row: in narrower feeds, and where a release changed most objects of a class.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "sample.hpp"
#include "support/catch.hpp"
#include "support/html_rules.hpp"

using namespace sample;
using Catch::Matchers::Contains;
using support::tag;
using support::text;
using tables::MassChange;

namespace {

std::string narrowed(const Row& row, query::ChangeFilter narrowing,
                     std::vector<tables::MassChange> mass_changes = {}) {
    auto excerpt = excerpt_of(row, std::move(mass_changes));
    excerpt.filter = std::move(narrowing);
    const auto html = render::content_of(row, excerpt, site());
    INFO(html);
    CHECK(support::findings_in_html(html) == none);
    return html;
}

}  // namespace

TEST_CASE("Narrowed content shows its changes with their numbers and counts the others") {
    const auto html = narrowed(unc_26_in_ws187(), {.tag = "version", .only = {}});
    CHECK_THAT(html, Contains("#WS187-c4\">Version</a>: <del>1</del>") &&
                         Contains("</li></ul><p><a href=\"https://changes.example.org/history?"
                                  "class=Gene&amp;name=WBGene00006763&amp;at=WS187\">4 other "
                                  "changes</a> in this release.</p>"));
    CHECK(count(html, "<li>") == 1);
}

TEST_CASE("Content narrowed to all of its changes is unchanged") {
    const auto r = unc_26_in_ws187();
    CHECK(narrowed(r, {.tag = {}, .only = {Op::added, Op::removed, Op::replaced}}) ==
          sample::content_of(r));
}

TEST_CASE("Narrowed content counts what it shows") {
    std::vector<Change> changes;
    for (int i = 0; i < 300; ++i)
        changes.push_back(added(tags({"A"}), support::text(std::to_string(i))));
    changes.push_back(removed(tags({"B"}), support::text("gone")));
    const auto r = row("WS187", day(2008, 2, 15), changes);
    const auto html = narrowed(r, {.tag = {}, .only = {Op::removed}});
    CHECK_THAT(html, Contains("gone") && Contains("300 other changes") &&
                         !Contains("This item is shortened"));
    CHECK_THAT(narrowed(r, {.tag = {}, .only = {Op::added}}),
               Contains("295 more</a>.") && Contains("1 other change</a>"));
}

TEST_CASE("A mass change is shown if its changes pass the filter") {
    const auto r = unc_26_in_ws187();
    const std::vector<tables::MassChange> mass_changes = {
        {"WS187", "Gene", "Identity > Version", 30'123, 45'000}};
    CHECK_THAT(narrowed(r, {.tag = {}, .only = {Op::removed}}, mass_changes),
               !Contains("30,123") && Contains("4 other changes"));
    CHECK_THAT(narrowed(r, {.tag = "Identity", .only = {}}, mass_changes),
               Contains("-c4\">Identity &gt; Version</a>: changed in 30,123 of 45,000") &&
                   Contains("3 other changes"));
}

TEST_CASE("The curators of a narrowed item are those of the changes it shows") {
    const auto by = [](const char* stamp) { return support::stamped(support::text("v"), stamp); };
    const auto r = row("WS187", day(2008, 2, 15),
                       {added(tags({"A"}), by("2008-02-01_09:15:20_zoe")),
                        added(tags({"B"}), by("2008-02-01_09:15:20_adam"))});
    auto excerpt = excerpt_of(r);
    excerpt.filter.tag = "b";
    CHECK(render::curators_of(r, excerpt, site()) == std::vector<render::Author>{{"adam", ""}});
}

namespace {

constexpr auto line_end =
    "</a>: changed in 30,123 of 45,000 objects of class Gene in this release.</li>";

MassChange mass_change(std::string place, std::string version = "WS187") {
    return {std::move(version), "Gene", std::move(place), 30'123, 45'000};
}
Row row_of(std::vector<Change> changes) {
    return row("WS187", day(2008, 2, 15), std::move(changes));
}
Change checked_is(const std::string& value) {
    return added(tags({"Identity", "Checked"}), text(value));
}

}  // namespace

TEST_CASE("An item with only a mass change has its values") {
    const auto html = sample::content_of(row_of({checked_is("a"), checked_is("b")}), site(),
                                         {mass_change("Identity > Checked")});
    CHECK_THAT(html, Contains("#WS187-c1\">Checked: 2</a> added: a, b.") ||
                         Contains("#WS187-c1\">2 checked</a> added: a, b."));
    CHECK_THAT(html, !Contains(std::string(line_end)));
    check_html(html);
}

TEST_CASE("An object's own changes come before mass changes and keep their numbers") {
    const auto html = sample::content_of(
        row_of({checked_is("a"), added(tags({"Remark"}), text("own")), checked_is("b"),
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
    const auto r = row_of({checked_is("a")});
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

TEST_CASE("A title says the value where most objects of the class share all that changed") {
    auto r = row_of({replaced(tags({"Price"}), text("25.40"), text("26.67"))});
    const auto title = [](const Row& row, const std::vector<MassChange>& mass_changes) {
        return render::title_of(sample::told(row, mass_changes));
    };
    const std::vector mass{mass_change("Price")};
    CHECK(title(r, mass) == "unc-26 in WS187: Price 25.40 \xE2\x86\x92 26.67, as in most genes");
    CHECK(sample::told(r, mass).headline.rank == compare::Rank::echo);
    CHECK(title(r, {mass_change("Identity")}) ==
          "unc-26 in WS187: Price 25.40 \xE2\x86\x92 26.67");
    r.notes.left_out.added = 1;
    CHECK(title(r, mass) == "unc-26 in WS187: Price 25.40 \xE2\x86\x92 26.67, 1 more change");
    r.notes.left_out.added = 0;
    r.notes.changes.push_back(added(tags({"Remark"}), text("own")));
    CHECK(title(r, mass) == "unc-26 in WS187: Remark own added");
}

TEST_CASE("Mass changes that do not fit are cut like other changes") {
    std::vector<Change> changes;
    std::vector<MassChange> mass_changes;
    for (int i = 0; i < 201; ++i) {
        const auto name = "T" + std::to_string(i);
        changes.push_back(added(tags({name}), text("x")));
        if (i == 0) continue;  // of its own
        mass_changes.push_back(mass_change(name));
    }
    const auto html = sample::content_of(row_of(changes), site(), mass_changes);
    CHECK(count(html, line_end) < 201);
    CHECK_THAT(html, Contains("See all 201 changes"));
    check_html(html);
}
