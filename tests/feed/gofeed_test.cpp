// Feeds with expected readings from the Debian package golang-github-mmcdole-gofeed-dev: our readings say the same of
// titles, links, times, identities, authors and categories.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/date.hpp"
#include "base/text.hpp"
#include "feed/gofeed_data.hpp"
#include "feed/read_feed.hpp"
#include "feed/reference.hpp"
#include "feed/safe_html.hpp"
#include "support/catch.hpp"

namespace {

using nlohmann::json;
namespace fs = std::filesystem;
using sample::content_of_file, sample::gofeed_data, sample::gofeed_url;

// Where we read otherwise on purpose, by the name of the file.
const std::map<std::string, std::string> known_differences = {
    {"rss_channel_item_guid_naked_markup.xml", "an identity has no markup"},
    {"entry_id_xml_base.xml",
     "the id of an entry is no reference: it is the same wherever the feed is"},
};

std::string text_in(const json& object, const char* key) {
    return object.contains(key) && object[key].is_string() ? object[key].get<std::string>()
                                                           : std::string();
}

// "2004-01-01T19:48:21Z" or with a fraction and an offset; gofeed writes year 1 where it read nothing.
std::string seconds_in(const json& object, const char* key) {
    const auto text = text_in(object, key);
    return text.starts_with("0001") ? "" : text.substr(0, 19);
}

std::string seconds_text(const std::optional<base::Seconds>& time) {
    return time ? base::format_rfc3339(*time).substr(0, 19) : std::string();
}

std::string absolute(const std::string& link) {
    return link.empty() ? link : feed::resolve_reference(gofeed_url, link);
}

// What is compared of an entry, in the words of both.
struct Reading {
    std::string title, link, guid, published, updated;
    std::vector<std::string> authors, categories;
};

Reading ours(const feed::Entry& entry) {
    Reading reading{.title = entry.title,
                    .link = entry.link,
                    .guid = entry.guid,
                    .published = seconds_text(entry.published),
                    .updated = seconds_text(entry.updated),
                    .authors = {},
                    .categories = entry.categories};
    for (const auto& author : entry.authors)
        reading.authors.push_back(author.name + '|' + author.mail);
    return reading;
}

// Compares a member if the other reading has it: each file is about one or two of them.
void compare_member(const char* name, const std::string& mine, const std::string& theirs,
                    std::string& difference) {
    if (!theirs.empty() && mine != theirs)
        difference += std::string(name) + ": \"" + mine + "\" instead of \"" + theirs + "\"\n";
}

void compare_item(const feed::Entry& entry, const json& item, std::string& difference) {
    const auto mine = ours(entry);
    compare_member("title", mine.title, feed::plain_line(text_in(item, "title")), difference);
    compare_member("link", mine.link, absolute(text_in(item, "link")), difference);
    compare_member("guid", mine.guid, std::string(base::trim(text_in(item, "guid"))), difference);
    // gofeed takes the time of the last update for that of an entry that has no other.
    compare_member("published", mine.published.empty() ? mine.updated : mine.published,
                   seconds_in(item, "publishedParsed"), difference);
    if (text_in(item, "updated") != text_in(item, "published"))
        compare_member("updated", mine.updated, seconds_in(item, "updatedParsed"), difference);
    if (item.contains("author") && item["author"].is_object()) {
        const auto theirs = feed::plain_line(text_in(item["author"], "name")) + '|' +
                            text_in(item["author"], "email");
        compare_member("author", mine.authors.empty() ? "" : mine.authors.front(),
                       theirs == "|" ? "" : theirs, difference);
    }
    if (item.contains("categories") && item["categories"].is_array()) {
        std::set<std::string> theirs;
        for (const auto& category : item["categories"])
            if (category.is_string())
                theirs.insert(feed::plain_line(category.get<std::string>()));
        const std::set<std::string> mine_set(mine.categories.begin(), mine.categories.end());
        for (const auto& category : theirs)
            if (!category.empty() && !mine_set.contains(category))
                difference += "category " + category + " is missing\n";
    }
}

// Returns what differs between our reading and that of gofeed's universal feed; empty: nothing.
std::string difference_of(const feed::Feed& mine, const json& theirs) {
    std::string difference;
    compare_member("feed title", mine.title, feed::plain_line(text_in(theirs, "title")),
                   difference);
    compare_member("feed link", mine.home_url, absolute(text_in(theirs, "link")), difference);
    compare_member("feed language", mine.language, text_in(theirs, "language"), difference);
    compare_member("feed description", mine.description,
                   feed::plain_line(text_in(theirs, "description")), difference);
    const auto items =
        theirs.contains("items") && theirs["items"].is_array() ? theirs["items"] : json::array();
    if (items.size() != mine.entries.size())
        return difference + std::to_string(mine.entries.size()) + " entries instead of " +
               std::to_string(items.size());
    for (std::size_t i = 0; i < items.size(); ++i)
        compare_item(mine.entries[i], items[i], difference);
    return difference;
}

// The feeds of a folder with the files that say what they hold.
std::map<fs::path, fs::path> expectations_in(const fs::path& folder,
                                             const std::string& feed_ending,
                                             const std::string& json_ending) {
    std::map<fs::path, fs::path> found;
    for (const auto& file : fs::directory_iterator(folder)) {
        const auto name = file.path().filename().string();
        if (!name.ends_with(feed_ending)) continue;
        const auto expected =
            folder / (name.substr(0, name.size() - feed_ending.size()) + json_ending);
        if (expected != file.path() && fs::exists(expected)) found[file.path()] = expected;
    }
    return found;
}

// The members of gofeed's own feeds of RSS and Atom under the names of its universal feed.
json as_universal(const json& special) {
    json universal = special;
    const auto first_link = [](const json& object) -> json {
        if (!object.contains("links") || !object["links"].is_array()) return nullptr;
        for (const auto& link : object["links"])
            if (link.is_object() &&
                (text_in(link, "rel").empty() || text_in(link, "rel") == "alternate"))
                return link.value("href", "");
        return nullptr;
    };
    if (special.contains("entries")) universal["items"] = special["entries"];
    if (special.contains("entries") || special.contains("links")) {
        const auto link = first_link(special);
        if (link.is_string()) universal["link"] = link;
    }
    if (universal.contains("items") && universal["items"].is_array())
        for (auto& item : universal["items"]) {
            if (item.contains("guid") && item["guid"].is_object())
                item["guid"] = text_in(item["guid"], "value");
            if (item.contains("id")) item["guid"] = item["id"];
            if (item.contains("pubDateParsed")) item["publishedParsed"] = item["pubDateParsed"];
            if (const auto link = first_link(item); link.is_string()) item["link"] = link;
            item.erase("author");
            item.erase("categories");
        }
    universal.erase("description");
    return universal;
}

void check_folder(const char* folder, const char* feed_ending, const char* json_ending,
                  std::size_t least, bool is_special = false) {
    const auto expectations = expectations_in(gofeed_data / folder, feed_ending, json_ending);
    REQUIRE(expectations.size() >= least);
    std::string report;
    std::size_t differences = 0;
    for (const auto& [file, expected] : expectations) {
        const auto theirs = json::parse(content_of_file(expected), nullptr, false);
        REQUIRE_FALSE(theirs.is_discarded());
        const auto name = file.filename().string();
        const auto mine = feed::read_feed(content_of_file(file), "", gofeed_url);
        const auto difference =
            mine ? difference_of(*mine, is_special ? as_universal(theirs) : theirs)
                 : mine.error().text;
        const bool is_known = known_differences.contains(name);
        if (difference.empty() != is_known) continue;
        ++differences;
        report += name + ": " + (is_known ? "is no difference any more" : difference) + '\n';
    }
    INFO(report);
    CHECK(differences == 0);
}

}  // namespace

TEST_CASE("Feeds of RSS mean to us what they mean to gofeed") {
    check_folder("translator/rss", ".xml", ".json", 30);
    check_folder("parser/rss", ".xml", ".json", 100, true);
}

TEST_CASE("Feeds of Atom mean to us what they mean to gofeed") {
    check_folder("translator/atom", ".xml", ".json", 30);
    check_folder("parser/atom", ".xml", ".json", 100, true);
}

TEST_CASE("JSON feeds mean to us what they mean to gofeed") {
    check_folder("translator/json", ".json", "_expected.json", 3);
}
