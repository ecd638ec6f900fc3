// Our copy of a source feed, its pages, and the picture of its fetches.
// SPDX-License-Identifier: MIT
#include "render/source_feed.hpp"

#include "sample_pages.hpp"
#include "support/feed_rules.hpp"

using namespace sample;
using Catch::Matchers::Contains;

namespace {

render::SourceItem entry(std::int64_t number, const std::string& title = "News") {
    return {.entry = number,
            .revision = 0,
            .recorded_at = day(2009, 3, 1) + std::chrono::hours(9),
            .published = base::Seconds(day(2009, 2, 27)),
            .entry_day = day(2009, 2, 27),
            .title = title,
            .link = "https://lab.example/" + std::to_string(number) + "?a=1&b=2",
            .authors = {"A. Writer", "B <b>", "A. Writer"},
            .categories = {"news", " "},
            .content =
                "<p>Read <a href=\"https://lab.example/\" rel=\"nofollow\">more</a>.<br /></p>",
            .changes = {}};
}

render::SourceItem edit(std::int64_t number, std::int64_t revision,
                        std::vector<compare::Change> changes, const std::string& title = "News") {
    auto item = entry(number, title);
    item.revision = revision;
    item.recorded_at += std::chrono::hours(revision);
    item.published.reset();
    item.content.clear();
    item.changes = std::move(changes);
    return item;
}

compare::Change retitled(const std::string& before, const std::string& after) {
    return replaced(tags({"Title"}), support::text(before), support::text(after));
}

render::SourceFeed copy_of(std::vector<render::SourceItem> items) {
    return {.id = 3,
            .name = "Lab news & <views>",
            .url = "https://lab.example/feed?x=1&y=2",
            .description = "What the lab does",
            .language = "de",
            .updated = items.empty() ? base::Seconds(day(2009, 1, 1)) : items.front().recorded_at,
            .items = std::move(items),
            .rest = {}};
}

std::string self_of(std::string_view format) {
    return site().base_url + "/rss?feed=3&format=" + std::string(format);
}

render::Channel channel_of(const render::SourceFeed& feed, std::string_view format) {
    render::Channel channel{.subject = render::subject_of(feed, site()),
                            .filter_text = {},
                            .self_url = self_of(format),
                            .current_url = {},
                            .archive_url = {}};
    channel.older_url = self_of(format) + "&older=";
    channel.language = feed.language;
    return channel;
}

std::string written(const render::SourceFeed& feed, std::string_view format) {
    return render::format_named(format)->render(feed, channel_of(feed, format), site());
}

}  // namespace

TEST_CASE(
    "Our copy of a source feed keeps the rules of each format, and has an item for each edit") {
    const auto feed = copy_of(
        {edit(7, 2, {retitled("Old", "News")}), edit(7, 1, {}, "Old"), entry(8), entry(7)});
    for (const auto& format : support::feed_formats) {
        const auto bytes = written(feed, format.format);
        INFO(bytes);
        CHECK(format.findings(bytes, self_of(format.format), now()) == none);
        const auto read = format.read(bytes);
        CHECK(read.title == "Lab news & <views> - WormBase changes");
        CHECK_THAT(read.description,
                   Contains("https://lab.example/feed?x=1&y=2") && Contains("What the lab does"));
        REQUIRE(read.items.size() == 4);
        const auto& edited = read.items[0];
        CHECK(edited.guid == "tag:wormbase.org,2007:/feed/3/7/3");
        CHECK(edited.title == "Edited: News: title Old \xE2\x86\x92 News");
        CHECK(edited.day == "2009-03-01");
        CHECK(read.items[1].title == "Edited: Old");
        CHECK(read.items[3].creator == "A. Writer, B <b>");
        CHECK(read.complete == (format.format != std::string("json")));
    }
    CHECK_THAT(written(feed, "rss"), Contains("<language>de</language>") &&
                                         Contains("<pubDate>Fri, 27 Feb 2009 00:00:00 GMT"));
}

TEST_CASE("A copy that does not have all items links to those behind its last one") {
    auto feed = copy_of({entry(8), entry(7)});
    feed.rest = render::position_of(feed.items.back());
    for (const auto& format : support::feed_formats) {
        const auto bytes = written(feed, format.format);
        INFO(bytes);
        CHECK(format.findings(bytes, self_of(format.format), now()) == none);
        const auto read = format.read(bytes);
        CHECK_FALSE(read.complete);
        CHECK(read.older == self_of(format.format) + "&older=1235898000-7-0");
    }
    // Too long for one document: the link leads behind the last item that it has.
    auto items = std::vector<render::SourceItem>();
    for (std::int64_t i = 40; i > 0; --i) {
        items.push_back(entry(i));
        items.back().content = "<p>" + std::string(30'000, 'x') + "</p>";
    }
    const auto read = support::read_rss(written(copy_of(std::move(items)), "rss"));
    REQUIRE(read.items.size() > 10);
    REQUIRE(read.items.size() < 40);
    CHECK_FALSE(read.complete);
    CHECK(read.older.ends_with("-" + std::to_string(41 - read.items.size()) + "-0"));
}

TEST_CASE("Only what subscribers lack is sent as a part that is neither complete nor linked") {
    const auto feed = copy_of({entry(8)});
    auto channel = channel_of(feed, "atom");
    channel.is_part = true;
    const auto read =
        support::read_atom(render::format_named("atom")->render(feed, channel, site()));
    CHECK_FALSE(read.complete);
    CHECK(read.older.empty());
}

TEST_CASE("Whatever an entry holds, its item keeps the rules") {
    auto bare = entry(5, " ");
    bare.link.clear();
    bare.authors = {"\xEF\xBF\xBD", "", "</a>"};
    bare.categories.clear();
    bare.content.clear();
    bare.published = base::Seconds(day(2009, 5, 1));  // after it was recorded
    bare.entry_day = day(2009, 3, 1);
    auto hostile = entry(4, "<script>alert(1)</script> &amp; \xC2\x85 \xE2\x80\xAEx");
    hostile.content = "<p>bad \xEF\xBF\xBD \xC2\x85 \x7F ]]&gt; <img "
                      "src=\"https://x.example/?a=1&amp;b=2\" alt=\"\" /></p>";
    hostile.published.reset();
    auto long_text = entry(3);
    long_text.content = "<ul>";
    while (long_text.content.size() < 90'000)
        long_text.content += "<li><b>some words</b> &amp; more</li>";
    long_text.content += "</ul>";
    std::vector<compare::Change> many;
    for (int i = 0; i < 300; ++i)
        many.push_back(added(tags({"Category"}), support::text("category " + std::to_string(i))));
    many.push_back(replaced(tags({"Content"}), support::text(std::string(20'000, 'a')),
                            support::text(std::string(50'000, 'b'))));
    auto untitled = edit(5, 1, {}, "");
    untitled.entry_day = bare.entry_day;
    const auto feed = copy_of({untitled, edit(2, 1, many), bare, hostile, long_text});
    for (const auto& format : support::feed_formats) {
        const auto bytes = written(feed, format.format);
        CHECK(format.findings(bytes, self_of(format.format), now()) == none);
        const auto read = format.read(bytes);
        REQUIRE(read.items.size() == 5);
        CHECK(read.items[0].title == "Edited: Entry of 1 March 2009");
        CHECK(read.items[2].title == "Entry of 1 March 2009");
        CHECK(read.items[2].link == site().base_url + "/feeds?feed=3");
        CHECK(read.items[4].description.size() < 33'000);
        CHECK_THAT(read.items[4].description, Contains("This entry is shortened. <a href"));
        // No page of ours has these changes.
        CHECK_THAT(read.items[1].description, !Contains("#") && !Contains(site().base_url));
    }
    CHECK_THAT(render::item_of(long_text, feed, site()).content, Contains("</li></ul><p>This"));
}

TEST_CASE("The title of an item stays the same when its feed is renamed") {
    auto feed = copy_of({edit(2, 1, {}, ""), entry(2, ""), edit(1, 1, {})});
    const auto titles = [&] {
        std::vector<std::string> all;
        for (const auto& item : support::read_rss(written(feed, "rss")).items)
            all.push_back(item.title);
        return all;
    };
    const auto before = titles();
    CHECK(before.at(0) == "Edited: " + before.at(1));
    feed.name = "Another name";
    CHECK(titles() == before);
}

TEST_CASE("No two entries of an Atom document have the same time, and it never changes") {
    std::vector<render::SourceItem> items;
    for (std::int64_t number = 1; number < 100; ++number)
        for (std::int64_t revision = 0; revision < 3; ++revision) {
            items.push_back(edit(number, revision, {}));
            items.back().recorded_at = base::Seconds(day(2009, 3, 1));
        }
    auto feed = copy_of(items);
    const auto atom = written(feed, "atom");
    CHECK(support::findings_in_atom(atom, self_of("atom"), now()) == none);
    feed.items.erase(feed.items.begin(), feed.items.begin() + 50);
    const auto fewer = written(feed, "atom");
    const auto time = fewer.substr(fewer.find("<updated>", fewer.find("<entry>")), 48);
    CHECK_THAT(atom, Contains(time));
}

TEST_CASE("Positions in addresses have one spelling each") {
    const render::ItemPosition position{base::Seconds(day(2009, 3, 1)), 17, 2};
    CHECK(render::text_of(position) == "1235865600-17-2");
    CHECK(render::parse_position("1235865600-17-2") == position);
    for (const auto* text : {"", "-", "1-2", "1-2-3-4", "01-2-3", "1--2-3", "+1-2-3", "1-2-3 ",
                             "999999999999999-1-1", "99999999999999999999-1-1", "a-b-c"}) {
        INFO(text);
        CHECK_FALSE(render::parse_position(text));
    }
}

TEST_CASE("The language of a feed is named if readers know such codes, and that of the site "
          "otherwise") {
    auto feed = copy_of({entry(7)});
    const auto is_named = [&](const std::string& given, const std::string& code) {
        feed.language = given;
        return holds(written(feed, "rss"), "<language>" + code + "</language>");
    };
    CHECK(is_named("de", "de"));
    CHECK(is_named("pt-BR", "pt-br"));
    for (const auto* unknown : {"", "english", "d3", "de_DE", "<>"})
        CHECK(is_named(unknown, "en"));
}

namespace {

render::SourceStatus status(std::int64_t id, const std::string& name = "Lab news") {
    return {.id = id,
            .name = name,
            .url = "https://lab.example/" + std::to_string(id),
            .home_url = "https://lab.example/",
            .description = "What <b>we</b> do",
            .is_enabled = true,
            .is_queued = false,
            .status = "HTTP 404 Not Found",
            .failures = "1.25",
            .poll_minutes = 60,
            .last_fetch = base::Seconds(day(2009, 3, 1)),
            .next_fetch = base::Seconds(day(2009, 3, 2)),
            .last_news = {}};
}

std::vector<render::FetchEvent> events(int fetches) {
    using Outcome = render::FetchEvent::Outcome;
    std::vector<render::FetchEvent> made;
    for (int i = fetches; i > 0; --i) {
        const auto at = base::Seconds(day(2009, 3, 1)) + std::chrono::hours(i);
        const auto outcome = i % 3 == 0   ? Outcome::news
                             : i % 3 == 1 ? Outcome::nothing_new
                                          : Outcome::failed;
        made.push_back({at, outcome, "fetch_succeeded", "1 skipped / 2 <added>"});
        made.push_back({at - std::chrono::seconds(1), Outcome::begun, "queued", ""});
    }
    return made;
}

}  // namespace

TEST_CASE("The page of source feeds lists each with its state, and keeps to the size of a page") {
    render::SourcesView view{.feeds = {}, .count = 250, .page = 2, .text = "lab <&"};
    for (int i = 0; i < 100; ++i) view.feeds.push_back(status(i + 1, std::string(255, '<')));
    const auto html = page_of(view);
    CHECK_THAT(html, Contains("250 feeds") && Contains("HTTP 404 Not Found") &&
                         Contains("1.25") && Contains("1 March 2009, 00:00") &&
                         Contains("feeds?q=lab%20%3C%26&amp;page=3") && Contains("format=opml"));
    const auto empty = page_of(render::SourcesView{});
    CHECK_THAT(empty, Contains("No feeds found"));
}

TEST_CASE(
    "The page of a feed has its state, a picture with its numbers, its events and entries") {
    const auto feed = copy_of({edit(7, 1, {retitled("Old", "News")}), entry(7)});
    for (const int fetches : {0, 1, 2, 50}) {
        const auto html = page_of(render::SourceView{status(3), events(fetches), feed});
        INFO(html);
        CHECK_THAT(html,
                   Contains("rss?feed=3&amp;format=atom") &&
                       Contains("HTTP 404 Not Found. Last fetched 1 March 2009, 00:00 UTC") &&
                       Contains("Edited: News") && Contains("What &lt;b&gt;we"));
        CHECK((html.find("<svg class=\"stacks") != std::string::npos) == (fetches > 1));
        if (fetches == 50)
            CHECK_THAT(html, Contains("16 something new, 16 nothing new, 17 failed") &&
                                 Contains("<td>60</td>") && Contains("Show as a table"));
    }
}
