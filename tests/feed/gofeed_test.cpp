// Feeds with expected readings from the Debian package golang-github-mmcdole-gofeed-dev: our readings say the same of
// descriptions, languages, authors and categories. feedparser_test.cpp compares the rest.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "feed/gofeed_data.hpp"
#include "feed/read_feed.hpp"
#include "feed/safe_html.hpp"
#include "support/catch.hpp"

namespace {

using nlohmann::json;
namespace fs = std::filesystem;
using sample::content_of_file, sample::gofeed_data, sample::gofeed_url;

// Plain; empty: there is none.
std::string text_in(const json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string()
               ? feed::plain_line(found->get<std::string>())
               : std::string();
}

// Compares a member if the other reading has it: each file is about one or two of them.
void compare_member(const char* name, const std::string& mine, const std::string& theirs,
                    std::string& difference) {
    if (!theirs.empty() && mine != theirs)
        difference += std::string(name) + ": \"" + mine + "\" instead of \"" + theirs + "\"\n";
}

void compare_item(const feed::Entry& entry, const json& item, std::string& difference) {
    if (const auto author = item.value("author", json()); author.is_object()) {
        const auto mine = entry.authors.empty() ? feed::Author() : entry.authors.front();
        const auto theirs = text_in(author, "name") + '|' + text_in(author, "email");
        compare_member("author", mine.name + '|' + mine.mail, theirs == "|" ? "" : theirs,
                       difference);
    }
    for (const auto& category : item.value("categories", json::array())) {
        const auto theirs = feed::plain_line(category.get<std::string>());
        if (!theirs.empty() && std::ranges::count(entry.categories, theirs) == 0)
            difference += "category " + theirs + " is missing\n";
    }
}

// Returns what differs between our reading and that of gofeed's universal feed; empty: nothing.
std::string difference_of(const feed::Feed& mine, const json& theirs) {
    std::string difference;
    compare_member("language", mine.language, text_in(theirs, "language"), difference);
    compare_member("description", mine.description, text_in(theirs, "description"), difference);
    const auto items = theirs.value("items", json::array());
    if (items.size() != mine.entries.size())
        return difference + std::to_string(mine.entries.size()) + " entries instead of " +
               std::to_string(items.size());
    for (std::size_t i = 0; i < items.size(); ++i)
        compare_item(mine.entries[i], items[i], difference);
    return difference;
}

}  // namespace

TEST_CASE("Feeds of RSS, Atom and JSON mean to us what they mean to gofeed") {
    const auto [folder, feed_ending, json_ending, least] =
        GENERATE(table<const char*, std::string, std::string, int>(
            {{"translator/rss", ".xml", ".json", 30},
             {"translator/atom", ".xml", ".json", 30},
             {"translator/json", ".json", "_expected.json", 3}}));
    int compared = 0;
    for (const auto& file : fs::directory_iterator(gofeed_data / folder)) {
        auto name = file.path().string();
        if (!name.ends_with(feed_ending)) continue;
        name.replace(name.size() - feed_ending.size(), feed_ending.size(), json_ending);
        if (!fs::exists(name)) continue;
        INFO(name);
        ++compared;
        const auto mine = feed::read_feed(content_of_file(file.path()), "", gofeed_url);
        REQUIRE(mine);
        CHECK(difference_of(*mine, json::parse(content_of_file(name))) == "");
    }
    CHECK(compared >= least);
}
