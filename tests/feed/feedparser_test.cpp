// Python's feedparser as a second opinion on the feeds of gofeed's tests: where it and we both have a value, the
// values are the same.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "base/date.hpp"
#include "feed/gofeed_data.hpp"
#include "feed/reference.hpp"
#include "feed/safe_html.hpp"
#include "feed/sample_feeds.hpp"
#include "support/catch.hpp"

namespace {

using nlohmann::json;

// Files that we read otherwise, and why.
const std::map<std::string, std::string> other_readings = {
    {"parser/atom/atom03_feed_entry_title_base64_escaped_markup.xml",
     "mode base64 gives HTML, whose references we replace; to feedparser it is plain"},
    {"parser/atom/atom03_feed_title_base64_escaped_markup.xml", "as above"},
    {"parser/atom/entry_id_xml_base.xml",
     "the id of an entry is no reference: it is the same wherever the feed is"},
    {"parser/universal/empty_feed.xml", "to us it is no feed, to feedparser one without entries"},
    {"parser/universal/unknown_feed.xml", "as above"},
};

struct EndProcess {
    void operator()(std::FILE* output) const { ::pclose(output); }
};

// Returns what a command prints.
std::string output_of(const std::string& command) {
    const std::unique_ptr<std::FILE, EndProcess> output(::popen(command.c_str(), "r"));
    REQUIRE(output != nullptr);
    std::string text;
    std::array<char, 16 * 1024> room{};
    while (const auto got = std::fread(room.data(), 1, room.size(), output.get()))
        text.append(room.data(), got);
    return text;
}

std::string word_in(const json& object, const char* key) { return object.value(key, ""); }

void compare_words(const std::string& what, const std::string& mine, const std::string& theirs,
                   std::string& difference) {
    if (!mine.empty() && !theirs.empty() && mine != theirs)
        difference += "  " + what + ": \"" + mine + "\" instead of \"" + theirs + "\"\n";
}

// "http://x.org" and "http://x.org/" are one URL.
std::string normal_url(const std::string& url) { return feed::resolve_reference("", url); }

std::string clock_text(const std::optional<base::Seconds>& time) {
    return time ? base::format_rfc3339(*time).substr(0, 19) : std::string();
}

// Returns what we and feedparser read otherwise; empty: nothing.
std::string other_reading(const feed::Feed& mine, const json& theirs) {
    std::string difference;
    compare_words("feed title", mine.title, feed::plain_line(word_in(theirs, "title")),
                  difference);
    compare_words("feed link", mine.home_url, normal_url(word_in(theirs, "link")), difference);
    const auto& entries = theirs["entries"];
    if (mine.entries.size() != entries.size())
        difference += "  " + std::to_string(mine.entries.size()) + " entries instead of " +
                      std::to_string(entries.size()) + '\n';
    for (std::size_t i = 0; i < std::min(entries.size(), mine.entries.size()); ++i) {
        const auto& entry = mine.entries[i];
        const auto& other = entries[i];
        compare_words("title", entry.title, feed::plain_line(word_in(other, "title")),
                      difference);
        compare_words("link", entry.link, normal_url(word_in(other, "link")), difference);
        compare_words("id", entry.guid, word_in(other, "id"), difference);
        compare_words("published", clock_text(entry.published), word_in(other, "published"),
                      difference);
        compare_words("updated", clock_text(entry.updated), word_in(other, "updated"),
                      difference);
    }
    return difference;
}

}  // namespace

TEST_CASE("Feeds of RSS, RDF and Atom mean to us what they mean to feedparser") {
    std::istringstream lines(output_of("/usr/bin/python3 tests/feed/by_feedparser.py " +
                                       sample::gofeed_data.string() + ' ' + sample::gofeed_url));
    std::string report;
    std::size_t compared = 0, differences = 0;
    for (std::string line; std::getline(lines, line); ++compared) {
        const auto theirs = json::parse(line);
        const auto file = theirs["file"].get<std::string>();
        const auto mine = feed::read_feed(sample::content_of_file(sample::gofeed_data / file), "",
                                          sample::gofeed_url);
        const auto difference =
            mine ? other_reading(*mine, theirs) : "  " + mine.error().text + '\n';
        const bool is_known = other_readings.contains(file);
        if (difference.empty() != is_known) continue;
        ++differences;
        report += file + ":\n" + (is_known ? "  is no difference any more\n" : difference);
    }
    INFO(report);
    CHECK(compared > 400);
    CHECK(differences == 0);
}
