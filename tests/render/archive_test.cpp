// Documents that are one of several (RFC 5005), and the limit of their size.
// SPDX-License-Identifier: MIT
#include "sample.hpp"
#include "support/catch.hpp"
#include "support/feed_rules.hpp"

using namespace sample;

namespace {

const std::string archive_url =
    "https://changes.example.org/rss/archive?class=Gene&name=WBGene00006763&before=";

// Returns the newest `count` rows of a history.
std::vector<Row> rows(std::size_t count, const std::vector<Change>& changes) {
    std::vector<Row> made;
    for (std::size_t i = 0; i < count; ++i)
        made.push_back(row("WS" + std::to_string(900 - i),
                           day(2009, 12, 1) - std::chrono::days(i), changes));
    return made;
}
std::vector<Row> small_rows(std::size_t count) {
    return rows(count, {added(tags({"A"}), support::text("b"))});
}
// Each of them fills the 32 KB of an item.
std::vector<Row> large_rows(std::size_t count) {
    support::Nodes many;
    for (int i = 0; i < 3000; ++i)
        many.push_back(support::reference("Gene", "WBGene" + std::to_string(i)));
    return rows(count, {added(tags({"A"}), support::text("a", many)),
                        added(tags({"B"}), support::text("b", many)),
                        added(tags({"C"}), support::text("c", many))});
}

// Reads the document in a format and checks its rules.
support::ReadFeed read(const support::FeedFormat& judge, const query::History& history,
                       std::size_t before = 0) {
    auto channel = channel_of(history, site());
    channel.before = before;
    if (before > 0) {
        channel.current_url = self_url;
        channel.self_url = archive_url + std::to_string(before);
    }
    const auto bytes = render::format_named(judge.format)->render(history, channel, site());
    INFO(judge.format << ": " << bytes.substr(0, 2000));
    CHECK(judge.findings(bytes, channel.self_url, now()) == none);
    if (before == 0) CHECK(bytes.size() <= 512 * 1024);
    return judge.read(bytes);
}
bool is_json(const support::FeedFormat& judge) {
    return judge.format == std::string_view("json");
}

}  // namespace

TEST_CASE("A document of all rows is complete and has no older page") {
    for (const auto& judge : support::feed_formats) {
        const auto feed = read(judge, history_of(small_rows(3)));
        CHECK(feed.complete == !is_json(judge));
        CHECK(feed.older.empty());
        CHECK(feed.items.size() == 3);
    }
}

TEST_CASE("A document of some rows links to the newest page that holds another row") {
    auto history = history_of(small_rows(3));
    for (const auto& [recorded, page] : std::vector<std::pair<std::size_t, std::string>>{
             {4, "50"}, {53, "50"}, {54, "100"}, {103, "100"}, {104, "150"}}) {
        history.recorded = recorded;
        for (const auto& judge : support::feed_formats) {
            const auto feed = read(judge, history);
            CHECK(!feed.complete);
            CHECK(feed.older == archive_url + page);
        }
    }
}

TEST_CASE("Pages numbered by recording can have a newest page whose rows are not shown") {
    auto history = history_of(small_rows(3));
    history.numbered_by_recording = true;
    history.recorded = 53;
    for (const auto& judge : support::feed_formats)
        CHECK(read(judge, history).older == archive_url + "100");
    history.recorded = 3;
    for (const auto& judge : support::feed_formats) CHECK(read(judge, history).older.empty());
}

TEST_CASE("A feed whose older rows were not read is neither complete nor has an archive") {
    auto history = history_of(small_rows(3));
    history.cut = true;
    for (const std::size_t recorded : {3U, 200U}) {
        history.recorded = recorded;
        for (const auto& judge : support::feed_formats) {
            const auto feed = read(judge, history);
            CHECK(!feed.complete);
            CHECK(feed.older.empty());
            CHECK(feed.newer.empty());
            CHECK_THAT(render::format_named(judge.format)
                           ->render(history, channel_of(history, site()), site()),
                       Catch::Matchers::Contains(
                           "in each release. This feed covers only some of the items, because"));
        }
    }
}

TEST_CASE("A feed without an archive links to none") {
    auto history = history_of(small_rows(3));
    history.recorded = 4;
    auto channel = channel_of(history, site());
    channel.archive_url.clear();
    for (const auto& judge : support::feed_formats) {
        const auto feed =
            judge.read(render::format_named(judge.format)->render(history, channel, site()));
        CHECK(!feed.complete);
        CHECK(feed.older.empty());
    }
}

TEST_CASE("A page of the archive links to its neighbours and to the feed") {
    auto history = history_of(small_rows(50));
    history.recorded = 130;
    for (const auto& judge : support::feed_formats) {
        const auto middle = read(judge, history, 100);
        CHECK(middle.older == archive_url + "50");
        CHECK(!middle.complete);
        const auto first = read(judge, history, 50);
        CHECK(first.older.empty());
        if (is_json(judge)) continue;  // it links only older pages
        CHECK(middle.archive);
        CHECK(middle.newer == archive_url + "150");
        CHECK(middle.current == self_url);
        CHECK(first.newer == archive_url + "100");
        CHECK(read(judge, history_of(small_rows(2)), 150).newer.empty());
    }
}

TEST_CASE("A document above 512 KB leaves its oldest items to the archive") {
    const auto history = history_of(large_rows(28));
    for (const auto& judge : support::feed_formats) {
        const auto feed = read(judge, history);
        CHECK(feed.items.size() < 28);
        CHECK(feed.items.size() > 5);
        CHECK(!feed.complete);
        CHECK(feed.older == archive_url + "50");
        for (std::size_t i = 0; i < feed.items.size(); ++i)
            CHECK(feed.items[i].guid == render::guid_of(history.rows[i], site().authority));
    }
}

namespace {

const std::string hub_url = "https://changes.example.org/hub";

render::Channel channel_with_hub(const query::History& history) {
    auto channel = channel_of(history, site());
    channel.hub_url = hub_url;
    return channel;
}

}  // namespace

TEST_CASE("A feed with a hub keeps the rules, and says where it is next to its own address") {
    const std::map<std::string, std::string> spelled = {
        {"rss", "<atom:link href=\"" + hub_url + "\" rel=\"hub\"/>"},
        {"atom", "<link rel=\"hub\" href=\"" + hub_url + "\"/>"},
        {"json", R"("hubs":[{"type":"WebSub","url":")" + hub_url + R"("}])"}};
    for (const auto& format : support::feed_formats) {
        const auto* writer = render::format_named(format.format);
        const auto bytes = writer->render(gene(), channel_with_hub(gene()), site());
        INFO(bytes.substr(0, 3000));
        CHECK(format.findings(bytes, self_url, now()) == none);
        CHECK(count(bytes, spelled.at(format.format)) == 1);
        CHECK(format.read(bytes).self == self_url);
        CHECK(count(bytes, "rel=\"self\"") == (std::string(format.format) == "json" ? 0 : 1));
    }
}

TEST_CASE("A part of a feed is not complete, and links to the newest page of the archive") {
    auto history = gene();
    history.rows.erase(history.rows.begin());
    auto channel = channel_with_hub(gene());
    for (const auto& format : support::feed_formats) {
        const auto* writer = render::format_named(format.format);
        channel.is_part = true;
        const auto feed = format.read(writer->render(history, channel, site()));
        CHECK_FALSE(feed.complete);
        CHECK(feed.older == channel.archive_url + "50");
        CHECK(feed.items.size() == 2);
    }
}
