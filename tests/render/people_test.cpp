// Curators as the people whom the configuration names, and sites that hide them everywhere.
// SPDX-License-Identifier: MIT
#include <array>

#include "render/html.hpp"
#include "render/json.hpp"
#include "render/sample_pages.hpp"
#include "sample.hpp"
#include "support/catch.hpp"
#include "support/html_rules.hpp"

using namespace sample;
using Catch::Matchers::Contains;

namespace {

const query::People known_people = {{"sylvia", {{"Person", "WBPerson1983"}, "Sylvia <M>"}},
                                    {"smart", {{"Person", "WBPerson1983"}, "Sylvia <M>"}},
                                    {"blank", {{"Person", "WBPerson2"}, "  "}}};

std::string stamp(const std::string& user, const render::Site& look = site()) {
    std::string html;
    render::append_stamp_words(html, user.empty() ? user : "2008-02-01_09:15:20_" + user,
                               known_people, look);
    CHECK(support::findings_in_html(html) == none);
    return html;
}

}  // namespace

TEST_CASE("A timestamp links the person of its user, and shows other users unchanged") {
    CHECK(stamp("sylvia") == "<a href=\"https://wormbase.org/db/get?name=WBPerson1983;"
                             "class=Person\">Sylvia &lt;M&gt;</a>, 2008-02-01");
    CHECK(stamp("Sylvia") == "Sylvia, 2008-02-01");
    CHECK(stamp("<b>") == "&lt;b&gt;, 2008-02-01");
    CHECK(stamp("").empty());
}

TEST_CASE("A person whose URL is not a web address is named without a link") {
    auto look = site();
    look.object_url = "javascript:alert('{name}')";
    CHECK(stamp("sylvia", look) == "Sylvia &lt;M&gt;, 2008-02-01");
    look.object_url.clear();
    CHECK(render::curator_of("sylvia", known_people, look) == render::Author{"Sylvia <M>", ""});
}

TEST_CASE("Two users of one person are one curator, and one without a name is none") {
    const auto by = [](const std::string& user) {
        return support::stamped(support::text("v"), "2008-02-01_09:15:20_" + user);
    };
    const auto r = row("WS187", day(2008, 2, 15),
                       {added({}, by("smart")), added({}, by("blank")), added({}, by("sylvia")),
                        added({}, by("bob"))});
    auto excerpt = excerpt_of(r);
    excerpt.people = known_people;
    CHECK(render::curators_of(r, excerpt, site()) ==
          std::vector<render::Author>{
              {"Sylvia <M>", "https://wormbase.org/db/get?name=WBPerson1983;class=Person"},
              {"bob", ""}});
    CHECK_THAT(render::content_of(r, excerpt, site()), Contains("Sylvia &lt;M&gt;</a>"));
}

TEST_CASE("A list of curators is cut at 20") {
    std::vector<Change> changes;
    for (int i = 0; i < 30; ++i)
        changes.push_back(added({}, support::stamped(support::text("v"), "2008-02-01_09:15:20_u" +
                                                                             std::to_string(i))));
    const auto r = row("WS187", day(2008, 2, 15), changes);
    CHECK(render::curators_of(r, excerpt_of(r), site()).size() == 20);
}

namespace {

constexpr std::array all_kinds = {RowKind::changed,   RowKind::created,
                                  RowKind::vanished,  RowKind::reappeared,
                                  RowKind::withdrawn, RowKind::reconstructed};

std::vector<Change> changes() {
    using namespace support;
    auto changes = unc_26_in_ws187().notes.changes;
    changes.push_back(replaced(tags({"Remark"}), stamped(text("one\ntwo"), sylvia),
                               stamped(text("one\nthree"), sylvia)));
    changes.push_back(added({}, stamped(text("opaque"), "by sylvia")));
    changes.push_back(removed({}, stamped(tag("Live", {stamped(text("deep"), sylvia)}), sylvia)));
    return changes;
}

// One row of each kind, with all that a row of that kind can hold.
query::History every_kind() {
    std::vector<Row> rows;
    for (const auto kind : all_kinds) {
        auto made = row("WS" + std::to_string(200 - rows.size()),
                        day(2008, 2, 15) - std::chrono::days(rows.size()), changes());
        made.kind = kind;
        rows.push_back(std::move(made));
    }
    auto history = history_of(std::move(rows));
    history.people = {{"sylvia", {{"Person", "WBPerson1983"}, "Sylvia Martinelli"}}};
    return history;
}

std::vector<std::string> pages_of(const query::History& history, const render::Site& look) {
    std::vector<std::string> pages;
    pages.push_back(page_of(render::HistoryView{history, {}, 1}, look));
    for (const auto& row : history.rows)
        pages.push_back(page_of(render::HistoryView{history, row.release.version, 1}, look));
    auto diff = diff_view(changes());
    diff.difference.people = history.people;
    pages.push_back(page_of(diff, look));
    pages.push_back(page_of(release_view(), look));
    return pages;
}

std::vector<std::string> feeds_of(const query::History& history, const render::Site& look) {
    std::vector<std::string> feeds;
    for (const auto& format : render::formats())
        feeds.push_back(format.render(history, channel_of(history, look), look));
    std::string json;
    for (const auto& change : changes()) json += render::change_json(change, look);
    feeds.push_back(std::move(json));
    return feeds;
}

}  // namespace

TEST_CASE(
    "A site that hides curators names none on any page or in any feed, for any kind of row") {
    auto look = site();
    look.hide_curators = true;
    const auto history = every_kind();
    auto all = pages_of(history, look);
    for (auto& feed : feeds_of(history, look)) all.push_back(std::move(feed));
    for (const auto& bytes : all)
        for (const auto* user : {"sylvia", "Sylvia", "WBPerson1983"})
            CHECK_THAT(bytes, !Contains(user));
}

TEST_CASE("What such a site hides is shown on other sites") {
    const auto history = every_kind();
    const auto pages = pages_of(history, site());
    for (std::size_t i = 0; i + 1 < pages.size(); ++i)  // a release page names nobody
        CHECK_THAT(pages[i], Contains("sylvia") || Contains("Sylvia"));
    for (const auto& feed : feeds_of(history, site()))
        CHECK_THAT(feed, Contains("sylvia") || Contains("Sylvia"));
}
