// The page of all releases, its pictures, and its feeds.
// SPDX-License-Identifier: MIT
#include <regex>

#include "render/display_text.hpp"
#include "render/pictures.hpp"
#include "sample_pages.hpp"
#include "support/feed_rules.hpp"

using namespace sample;
using Catch::Matchers::Contains;

namespace {

query::ListedRelease release(int number) {
    const auto version = "WS" + std::to_string(number);
    query::ListedRelease each;
    each.summary = {{version, day(2000, 1, 1) + std::chrono::days(20 * number)},
                    {{RowKind::changed, 14}, {RowKind::created, 8}, {RowKind::vanished, 3}}};
    each.details = std::make_shared<const query::ReleaseDetails>(
        query::ReleaseDetails{{{"Gene", 20, {{RowKind::changed, 14}, {RowKind::created, 6}}},
                               {"Paper", 5, {{RowKind::created, 2}, {RowKind::vanished, 3}}}},
                              {{{"Gene", "WBGene00006763"}, "unc-26", RowKind::changed, {}},
                               {{"Gene", "<b>"}, "</a>&", RowKind::created, {}}}});
    return each;
}

std::string title_of_release(const query::ListedRelease& release) {
    return render::item_of(release, site()).title;
}

std::shared_ptr<const query::ReleaseList> list_of(int releases) {
    query::ReleaseList list;
    for (int i = releases; i > 0; --i) list.push_back(release(100 + i));
    auto& first = list.back();
    first.summary.kinds.clear();
    first.summary.reconstructed = 15;
    first.summary.is_first_seen = true;
    first.details = std::make_shared<const query::ReleaseDetails>();
    for (std::size_t i = query::detailed_releases; i < list.size(); ++i) list[i].details = {};
    return std::make_shared<const query::ReleaseList>(std::move(list));
}

// Requires the labels of a picture to be beside each other, with a blank between, and within it.
//   y                  where they are
//   characters         that fit beside each other
//   characters_of_phone  the same where wide ones are not shown
void check_labels(const std::string& svg, const std::string& y, double characters,
                  double characters_of_phone) {
    const std::regex label("<text y=\"" + y +
                           "\" x=\"([0-9.]+)%?\"(?: class=\"([a-z ]+)\")?>"
                           "(?:<title>[^<]*</title>)?([^<]+)</text>");
    double end = characters, end_on_phone = characters_of_phone;
    const auto place = [](const std::smatch& found, double all) {
        const auto size = static_cast<double>(render::count_characters(found.str(3)));
        const auto classes = found.str(2);
        if (holds(classes, "end")) return std::pair(all - size, all);
        const auto middle = std::stod(found.str(1)) / 100 * all;
        return std::pair(middle - size / 2, middle + size / 2);
    };
    int labels = 0;
    for (auto at = std::sregex_iterator(svg.begin(), svg.end(), label);
         at != std::sregex_iterator(); ++at) {
        INFO(at->str());
        ++labels;
        const auto wide = place(*at, characters), narrow = place(*at, characters_of_phone);
        CHECK(wide.second <= end);
        end = wide.first - 1;
        if (holds(at->str(2), "wide")) continue;
        CHECK(narrow.second <= end_on_phone);
        end_on_phone = narrow.first - 1;
    }
    CHECK(labels >= 1);
    CHECK(std::min(end, end_on_phone) >= -1);
}

}  // namespace

TEST_CASE("A release in words names what came, changed and went, or that it is the first") {
    CHECK(title_of_release(release(188)) == "WS188: 14 objects changed, 8 created, 3 vanished");
    auto first = release(186);
    first.summary.kinds = {};
    CHECK(title_of_release(first) == "WS186: no change recorded");
    first.summary.is_compared = false;
    CHECK(title_of_release(first) == "WS186: not compared yet");
    auto newest = release(188);
    newest.summary.is_compared = false;
    CHECK(title_of_release(newest) == "WS188: 14 objects changed, 8 created, 3 vanished so far");
    first.summary.is_compared = true;
    first.summary.reconstructed = 15;
    first.summary.is_first_seen = true;
    CHECK(title_of_release(first) ==
          "WS186: first release seen, 15 histories read from timestamps");
    first.summary.reconstructed = 1;
    first.summary.kinds = {{RowKind::created, 1}};
    CHECK(title_of_release(first) ==
          "WS186: 1 object created, first release seen, 1 history read from timestamps");
}

TEST_CASE("The feeds of all releases keep the rules, and have the newest 50") {
    const auto list = list_of(80);
    for (const auto& format : support::feed_formats) {
        const std::string self =
            site().base_url + "/releases?format=" + std::string(format.format);
        const render::Channel channel{.subject = render::subject_of_releases(site()),
                                      .filter_text = {},
                                      .self_url = self,
                                      .current_url = {},
                                      .archive_url = {}};
        const auto bytes = render::format_named(format.format)->render(*list, channel, site());
        INFO(bytes.substr(0, 3000));
        CHECK(format.findings(bytes, self, now()) == none);
        const auto feed = format.read(bytes);
        REQUIRE(feed.items.size() == 50);
        CHECK_FALSE(feed.complete);
        CHECK(feed.items[0].title == "WS180: 14 objects changed, 8 created, 3 vanished");
        CHECK(feed.items[0].guid == "tag:" + site().authority + ":/releases/WS180");
        CHECK(feed.items[0].link == site().base_url + "/release/WS180");
        CHECK_THAT(feed.items[0].description, Contains("<li>Gene: 14 changed, 6 created</li>") &&
                                                  Contains(">unc-26</a>") &&
                                                  Contains("&lt;/a&gt;&amp;"));
        const auto few =
            render::format_named(format.format)->render(*list_of(2), channel, site());
        CHECK(format.findings(few, self, now()) == none);
        CHECK(format.read(few).items[1].title ==
              "WS101: first release seen, 15 histories read from timestamps");
    }
}

TEST_CASE("The pages of 250 releases have every release once, and one picture") {
    const auto list = list_of(250);
    std::set<std::string> versions;
    for (std::size_t page = 1; page <= 3; ++page) {
        const auto html = page_of(render::ReleasesView{list, page});
        for (const auto& each : *list)
            if (holds(html, "\">" + each.summary.release.version + "</a> <time "))
                CHECK(versions.insert(each.summary.release.version).second);
        CHECK((count(html, "role=\"img\"") == 1) == (page == 1));
        CHECK(holds(html, "/releases?page=" + std::to_string(page + 1) + "\"") == (page < 3));
        CHECK(holds(html, "Page " + std::to_string(page) + " of 3"));
    }
    CHECK(versions.size() == 250);
    CHECK_FALSE(render::releases_page({list, 4}, render::PageSite(site()), sample::templates()));
}

TEST_CASE("A bar has a part for each kind, and links to its release") {
    const auto list = list_of(3);
    const auto svg = render::release_bars(*list, false, site());
    CHECK(count(svg, "<a href=") == 3);
    CHECK_THAT(
        svg,
        Contains(
            "<title>WS103: 22 August 2005, 14 objects changed, 8 created, 3 vanished</title>"));
    CHECK_THAT(svg, Contains("<path class=\"a\" d=\"M0 106V82\"/><path class=\"p\" d=\"M0 "
                             "81V39\"/><path class=\"r\" d=\"M0 38V29\"/>"));
    CHECK_THAT(svg, Contains("url(#hatch)") && Contains(">first release seen</text>"));
    CHECK(render::release_bars({}, false, site()).empty());
    const query::ReleaseList empty(1);
    CHECK(render::release_bars(empty, false, site()).empty());
}

TEST_CASE("Pictures of few and many releases have labels that fit beside each other") {
    for (const auto& [number, beginning] :
         std::vector<std::pair<int, std::string>>{{1, "WS"},
                                                  {2, "2026-"},
                                                  {8, "longest-label"},
                                                  {9, "WS"},
                                                  {30, "releases-2026-03-"},
                                                  {60, "WS"},
                                                  {60, "2026-03-01."},
                                                  {60, "averylongversionwithout"}}) {
        auto list = *list_of(number + 1);
        for (int i = 0; i <= number; ++i)
            list[static_cast<std::size_t>(i)].summary.release.version =
                beginning + std::to_string(100 + number - i);
        list.pop_back();  // of another kind
        const auto svg = render::release_bars(list, false, site());
        const auto heat_map = render::heat_map(list, {});
        CAPTURE(number, svg.size(), svg.substr(svg.find("y=\"121\"")));
        check_labels(svg, "121", 105, 48);
        check_labels(heat_map, "58", 80, 32);
        CHECK(svg.size() <= 25'000);
        CHECK((count(svg, "<text class=\"wide\" y=") > 0) == (number <= 30));
        for (const auto& each : list)
            for (const auto& picture : {svg, heat_map})
                CHECK_THAT(picture, Contains("<title>" + each.summary.release.version + ": "));
    }
}

TEST_CASE("Of long versions the labels below a picture have the end, and show all on demand") {
    auto list = *list_of(2);
    list[0].summary.release.version = "bookworm-2026-11";
    list[1].summary.release.version = "averylongversionwithoutend";
    CHECK_THAT(render::release_bars(list, false, site()),
               Contains("><title>bookworm-2026-11</title>2026-11</text>") &&
                   Contains("<title>averylongversionwithoutend</title>\u2026nwithoutend</text>"));
}

TEST_CASE("The heat map has twelve classes, one row for all others, and the same as a table") {
    auto list = *list_of(2);
    query::ReleaseDetails details;
    for (int i = 0; i < 20; ++i)
        details.classes.push_back({"Class" + std::to_string(i),
                                   100U - static_cast<unsigned>(i),
                                   {{RowKind::changed, 100U - static_cast<unsigned>(i)}}});
    list[0].details = std::make_shared<const query::ReleaseDetails>(details);
    details.classes.push_back({"Gene_name", 7, {{RowKind::changed, 7}}});
    list[0].details = std::make_shared<const query::ReleaseDetails>(details);
    compare::Ranking ranking;
    ranking.helper_classes = {"gene_NAME"};
    const auto html = render::heat_map(list, ranking);
    CHECK(count(html, "<li ") == 14);
    CHECK_THAT(html, Contains(">Helper classes</li></ul>") && Contains("<td>7</td>"));
    CHECK_THAT(html, Contains("<span class=\"key h4\">") && Contains(" to 676</span>"));
    CHECK_THAT(html,
               Contains("<li title=\"Class0\">Class0</li>") && Contains(">Other classes</li>"));
    CHECK_THAT(html, Contains("<td>100</td>") && Contains("<td>676</td>"));  // 88 + … + 81
    CHECK(render::heat_map(std::span(list.data() + 1, 1), {}).empty());
}
