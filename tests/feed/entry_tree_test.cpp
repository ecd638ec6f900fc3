// SPDX-License-Identifier: MIT
#include "feed/feed.hpp"

#include <string>
#include <vector>

#include "feed/safe_html.hpp"
#include "feed/sample_feeds.hpp"
#include "support/catch.hpp"
#include "tree/json.hpp"
#include "tree/outline.hpp"

using feed::Entry;

namespace {

// The nodes as JSON, which the store keeps.
std::string json_of(const std::vector<tree::Node>& nodes) {
    std::string json;
    tree::append_json(json, nodes);
    return json;
}

std::vector<tree::Node> nodes_of(const Entry& entry) {
    return feed::tree_of(entry, feed::plain_text(entry.content));
}

Entry entry_of(const std::string& elements) {
    return sample::reading_of(sample::rss("<item>" + elements + "</item>")).entries.at(0);
}

}  // namespace

TEST_CASE("An entry is a tree of its fields") {
    CHECK(
        json_of(nodes_of(entry_of(
            "<title>One</title><link>/1</link><author>j@x.org (Jane)</author>"
            "<dc:creator>Joe</dc:creator><pubDate>Fri, 2 Jan 2026 03:04:05 GMT</pubDate>"
            "<atom:updated>2026-01-03</atom:updated><category>a</category><category>b</category>"
            "<description>&lt;p>Text &lt;b>bold&lt;/b>&lt;/p></description>"))) ==
        R"([{"tag":"Title","children":[{"text":"One"}]},)"
        R"({"tag":"Link","children":[{"text":"http://x.org/1"}]},)"
        R"({"tag":"Author","children":[{"text":"Jane"},{"text":"Joe"}]},)"
        R"({"tag":"Published","children":[{"date":"2026-01-02_03:04:05"}]},)"
        R"({"tag":"Updated","children":[{"date":"2026-01-03_00:00:00"}]},)"
        R"({"tag":"Category","children":[{"text":"a"},{"text":"b"}]},)"
        R"({"tag":"Content","children":[{"text":"Text bold"}]}])");
}

TEST_CASE("Fields that an entry lacks are no nodes") {
    CHECK(nodes_of(Entry{}).empty());
    CHECK(json_of(nodes_of(entry_of("<title>a</title>"))) ==
          R"([{"tag":"Title","children":[{"text":"a"}]}])");
}

TEST_CASE("Another markup, other blanks and another image of the same text are no change") {
    const auto* html =
        GENERATE("a b c", "<p>a  b\n c</p>", "<div class=\"x\"><b>a</b> b c</div>",
                 "a b c<img src=\"http://ads.org/1?x=2\">", "a&#32;b c<script>1</script>");
    Entry entry;
    entry.content = html;
    CHECK(json_of(nodes_of(entry)) == R"([{"tag":"Content","children":[{"text":"a b c"}]}])");
}

TEST_CASE("Authors of one name are one author") {
    Entry entry;
    entry.authors = {{"Jane", "a@x.org", ""},
                     {"Jane", "b@x.org", ""},
                     {"", "c@x.org", ""},
                     {"", "", "http://x.org/"}};
    CHECK(json_of(nodes_of(entry)) ==
          R"([{"tag":"Author","children":[{"text":"Jane"},{"text":"c@x.org"},)"
          R"({"text":"http://x.org/"}]}])");
}

TEST_CASE("The tree of an entry is the same after the store's JSON, whatever is in the entry") {
    std::string text = "\xE2\x80\xA8 \"\\/<&>' \x7F ";
    for (int i = 0; i < 60'000; ++i) text += "\xF0\x9F\x98\x80 ";
    Entry entry;
    entry.title = entry.link = entry.content = text;
    entry.authors = {{text, "", ""}};
    entry.categories = {text, "Title", "2026"};
    entry.published = base::Seconds(std::chrono::sys_days(std::chrono::year(2100) / 12 / 31));
    const auto nodes = nodes_of(entry);
    const auto back = tree::parse_nodes(json_of(nodes));
    REQUIRE(back.has_value());
    CHECK(*back == nodes);
    CHECK(tree::signature_of(*back) == tree::signature_of(nodes));
}
