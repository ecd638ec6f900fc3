// Entries that mention an object, as items of its feed and on its page.
// SPDX-License-Identifier: MIT
#include "render/json.hpp"
#include "render/links.hpp"
#include "render/sample_pages.hpp"
#include "support/catch.hpp"
#include "support/feed_rules.hpp"

namespace {

using sample::count;
using sample::day;
using sample::holds;
using sample::none;
using tables::Mention;

const std::string with_mentions = sample::self_url + "&include=mentions";

Mention mention(std::int64_t entry, base::Date date, std::string title = "A gene of the tail") {
    Mention mention;
    mention.object = {"Gene", "WBGene00006763"};
    mention.entry = entry;
    mention.feed = 3;
    mention.title = std::move(title);
    mention.link = "https://lab.example/news/" + std::to_string(entry);
    mention.feed_name = "Lab news";
    mention.first_seen = mention.mentioned_at = base::Seconds(date) + std::chrono::hours(9);
    return mention;
}

sample::Row in_release(const char* version, base::Date date) {
    return sample::row(version, date,
                       {sample::added(sample::tags({"Remark"}), support::text(version))});
}

query::History history_with(std::vector<Mention> mentions) {
    auto history = sample::history_of(
        {in_release("WS188", day(2008, 3, 22)), in_release("WS187", day(2008, 2, 15))});
    history.mentioned = mentions.size();
    history.mentions = std::move(mentions);
    return history;
}

std::string document_of(const render::Format& format, const query::History& history,
                        const render::Site& site = sample::site()) {
    auto channel = sample::channel_of(history, site, ", with mentions");
    channel.self_url = with_mentions;
    return format.render(history, channel, site);
}

std::string page_with(std::vector<Mention> mentions, const render::Site& site = sample::site()) {
    render::HistoryView view{.history = history_with(std::move(mentions)), .at = {}};
    for (const auto& row : view.history.rows) view.followed.releases.push_back(row.release);
    return sample::page_of(view, site);
}

}  // namespace

TEST_CASE("Mentions are items between the rows, by the time at which the entry was recorded") {
    const auto history = history_with(
        {mention(9, day(2008, 3, 22)), mention(8, day(2008, 3, 1)), mention(7, day(2008, 1, 1))});
    for (const auto& format : support::feed_formats) {
        INFO(format.format);
        const auto bytes = document_of(*render::format_named(format.format), history);
        CHECK(format.findings(bytes, with_mentions, sample::now()) == none);
        const auto read = format.read(bytes);
        std::vector<std::string> guids;
        for (const auto& item : read.items) guids.push_back(item.guid);
        const std::string tag = "tag:wormbase.org,2007:";
        CHECK(guids == std::vector{tag + "/mention/Gene/WBGene00006763/9",
                                   tag + "Gene/WBGene00006763/WS188",
                                   tag + "/mention/Gene/WBGene00006763/8",
                                   tag + "Gene/WBGene00006763/WS187",
                                   tag + "/mention/Gene/WBGene00006763/7"});
        CHECK(read.items[0].title == "Mentioned in Lab news: A gene of the tail");
        CHECK(read.items[0].link == "https://lab.example/news/9");
        CHECK(read.items[0].day == "2008-03-22");
        CHECK(read.self == with_mentions);
        CHECK(holds(read.title, ", with mentions"));
    }
}

TEST_CASE("A feed is complete when it has all rows and all mentions") {
    auto history = history_with({mention(9, day(2008, 3, 1))});
    CHECK(support::read_rss(document_of(*render::format_named("rss"), history)).complete);
    history.mentioned = 2;
    CHECK_FALSE(support::read_rss(document_of(*render::format_named("rss"), history)).complete);
}

TEST_CASE("Hostile texts of an entry harm neither feeds nor the page") {
    auto hostile = mention(9, day(2008, 3, 1), "</title><script>alert(1)</script>&\"'");
    hostile.feed_name = "<b>&amp;</b>";
    hostile.link = "javascript:alert(1)";
    hostile.authors = {"\"><img src=x onerror=alert(1)>"};
    const auto history = history_with({hostile});
    for (const auto& format : support::feed_formats) {
        INFO(format.format);
        const auto bytes = document_of(*render::format_named(format.format), history);
        CHECK(format.findings(bytes, with_mentions, sample::now()) == none);
        CHECK(format.read(bytes).items[1].link ==
              render::page_of(hostile.object, sample::site()));
    }
    const auto page = page_with({hostile});
    CHECK_FALSE(holds(page, "<script>alert"));
    CHECK_FALSE(holds(page, "javascript:"));
    CHECK_FALSE(holds(page, "<img"));
}

TEST_CASE("An author whom [authors] names is linked to the page of that person") {
    auto site = sample::site();
    site.authors = {{render::author_key("Jane Doe"), {"Person", "WBPerson1"}},
                    {render::author_key("joe@x.org"), {"Person", "WBPerson2"}}};
    const std::string page = "https://wormbase.org/db/get?name=WBPerson";
    auto written = mention(9, day(2008, 3, 1));
    const auto url_of = [&](const char* author) {
        written.authors = {author};
        return render::authors_of(written, site).at(0).url;
    };
    CHECK(url_of("jane  DOE") == page + "1;class=Person");
    CHECK(url_of(" Joe@X.org") == page + "2;class=Person");
    CHECK(url_of("Jane").empty());
    written.authors = {"Jane Doe", "Somebody"};
    CHECK(holds(page_with({written}, site),
                "name=WBPerson1;class=Person\">Jane Doe</a>, Somebody</small>"));
    site.object_url.clear();
    CHECK(url_of("Jane Doe") ==
          "https://changes.example.org/history?class=Person&name=WBPerson1");
    written.authors = {"Jane Doe", "Somebody"};
    const auto read = support::read_rss(
        document_of(*render::format_named("rss"), history_with({written}), site));
    CHECK(read.items[1].creator == "Jane Doe, Somebody");
}

TEST_CASE("The page has a mark for each entry in the column of its release, and a list") {
    const auto page = page_with({mention(9, day(2008, 4, 1)), mention(8, day(2008, 3, 1)),
                                 mention(7, day(2007, 1, 1), "Old news")});
    CHECK(count(page, "<circle") == 3);
    // Two releases: the newest entry is in the second column, the older ones in the first.
    CHECK(holds(page, "<svg x=\"25.0%\"><a href=\"https://lab.example/news/8\" tabindex=\"-1\">"
                      "<title>1 March 2008, Lab news: A gene of the tail</title>"));
    CHECK(holds(page, "<svg x=\"75.0%\"><a href=\"https://lab.example/news/9\""));
    CHECK(holds(page, "aria-label=\"3 entries mention it. The table below"));
    CHECK(holds(page, "<tr><th scope=\"row\">WS188</th><td>1</td></tr>\n"
                      "<tr><th scope=\"row\">WS187</th><td>2</td></tr>"));
    CHECK(holds(page, "<h2 id=\"mentions\">Mentioned in</h2>"));
    CHECK(holds(page, "<li><a rel=\"nofollow noopener noreferrer\" "
                      "href=\"https://lab.example/news/7\">Old news</a> <small>Lab news, <time"));
    CHECK(holds(page, "class=Gene&amp;name=WBGene00006763&amp;include=mentions\">"));
    render::HistoryView second{
        .history = history_with({mention(9, day(2008, 4, 1))}), .at = {}, .page = 2};
    second.history.rows.assign(render::rows_on_page + 1, second.history.rows.front());
    CHECK_FALSE(holds(sample::page_of(second), "id=\"mentions\""));
    CHECK_FALSE(holds(page_with({}), "ention"));
}

TEST_CASE("Many mentions are one mark for each release, and the list has the newest 20") {
    std::vector<Mention> many;
    for (int i = 200; i > 0; --i)
        many.push_back(mention(i, day(2008, 4, 1), sample::text_of(512, "long & \"wide\" ")));
    const auto page = page_with(many);
    CHECK(count(page, "<circle") == 1);
    CHECK(holds(page, "<title>WS188: 200 entries</title>"));
    CHECK(count(page, "<small>Lab news, ") == 20);
    CHECK(holds(page, "The newest of 200 entries."));
}

TEST_CASE("The date of a mention is what the feed says, but never later than it was recorded") {
    auto one = mention(9, day(2008, 3, 1));
    CHECK(one.happened_at() == one.first_seen);
    one.published = base::Seconds(day(2007, 5, 6));
    CHECK(holds(page_with({one}), "<time datetime=\"2007-05-06\">"));
    one.published = base::Seconds(day(2099, 1, 1));
    CHECK(holds(page_with({one}), "<time datetime=\"2008-03-01\">"));
}

TEST_CASE("The JSON of a history has its mentions, and no member without any") {
    const auto json_of = [](std::vector<Mention> mentions) {
        render::HistoryView view{.history = history_with(std::move(mentions)), .at = {}};
        return render::history_json(view, sample::site()).value();
    };
    auto one = mention(9, day(2008, 3, 1));
    one.authors = {"Jane"};
    CHECK(
        holds(json_of({one}),
              "\"mentioned\":1,\"mentions\":[{\"entry\":9,\"feed\":3,\"feed_name\":\"Lab news\","
              "\"title\":\"A gene of the tail\",\"link\":\"https://lab.example/news/9\","
              "\"first_seen\":\"2008-03-01T09:00:00Z\",\"authors\":[{\"name\":\"Jane\"}]}]"));
    CHECK_FALSE(holds(json_of({}), "mention"));
}
