// Narrower feeds show some changes of a row.
// SPDX-License-Identifier: MIT
#include "sample.hpp"
#include "support/feed_rules.hpp"
#include "support/html_rules.hpp"

using namespace sample;
using Catch::Matchers::Contains;

namespace {

std::string narrowed(const Row& row, query::ChangeFilter narrowing,
                     std::vector<tables::MassChange> mass_changes = {}) {
    auto excerpt = excerpt_of(row, std::move(mass_changes));
    excerpt.filter = std::move(narrowing);
    const auto html = render::content_of(row, excerpt, site());
    INFO(html);
    CHECK(support::findings_in_html(html) == std::vector<std::string>());
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
    const auto r = row("WS187", day(2008, 2, 15),
                       {added({}, support::tag("A")), removed({}, support::tag("B"))});
    CHECK_THAT(narrowed(r, {.tag = {}, .only = {Op::removed}}),
               Contains("1 other change</a> in this release"));
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
    CHECK(render::curators_of(r, excerpt, site()) == std::vector<render::Curator>{{"adam", ""}});
}

TEST_CASE("A narrowed feed equals the golden one and keeps the titles, ids and dates of the "
          "plain one") {
    auto history = history_of({unc_26_in_ws187()});
    const auto plain =
        support::read_rss(render::rss(history, channel_of(history, site()), site()));
    history.filter = {.tag = "Identity", .only = {Op::added}};
    auto channel = channel_of(history, site(), ", Identity, added");
    channel.self_url += "&tag=Identity&change=added";
    const auto bytes = render::rss(history, channel, site());
    check_golden("narrowed.xml", bytes);
    CHECK(support::findings_in_rss(bytes, channel.self_url, now()) == std::vector<std::string>());
    const auto feed = support::read_rss(bytes);
    REQUIRE(feed.items.size() == 1);
    CHECK(feed.items[0].title == plain.items[0].title);
    CHECK(feed.items[0].guid == plain.items[0].guid);
    CHECK(feed.items[0].day == plain.items[0].day);
    CHECK(feed.items[0].link == plain.items[0].link);
    check_golden("narrowed.atom", render::atom(history, channel, site()));
}
