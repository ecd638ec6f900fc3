// A site that hides its curators shows no user of a timestamp anywhere.
// SPDX-License-Identifier: MIT
#include <array>

#include "render/change_json.hpp"
#include "render/sample_pages.hpp"
#include "support/catch.hpp"

using namespace sample;
using Catch::Matchers::Contains;

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
    pages.push_back(render::history_page({history, {}, 1}, look, templates()));
    for (const auto& row : history.rows)
        pages.push_back(
            render::history_page({history, row.release.version, 1}, look, templates()));
    auto diff = diff_view(changes());
    diff.difference.people = history.people;
    pages.push_back(render::diff_page(diff, look, templates()));
    pages.push_back(render::release_page(release_view(), look, templates()));
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
