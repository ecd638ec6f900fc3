// SPDX-License-Identifier: MIT
#include "render/source_feed.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "compare/headline.hpp"
#include "feed/safe_html.hpp"
#include "render/display_text.hpp"
#include "render/html.hpp"

namespace render {
namespace {

constexpr std::size_t most_content = 32 << 10;  // bytes, of one item
constexpr std::size_t most_names = 20;          // authors, categories

// Returns lines of plain text, without those that are empty or there already.
std::vector<std::string> plain_lines(const std::vector<std::string>& texts) {
    std::vector<std::string> lines;
    for (const auto& text : texts) {
        auto line = plain_line(text);
        if (line.empty() || std::ranges::find(lines, line) != lines.end()) continue;
        lines.push_back(std::move(line));
        if (lines.size() == most_names) break;
    }
    return lines;
}

// Returns what an edit changed in a few words. The rules of [important] and [minor] do not matter, because the title of
// an item stays the same when they change.
std::string headline_of_edit(const SourceItem& item) {
    const compare::Ranking none;
    const compare::Ranker ranker(none, "");
    return compare::headline_of(compare::field_changes(item.changes, ranker, {}), {});
}

// Returns HTML of the room feed, in which characters that validators complain about become references.
std::string without_bad_characters(std::string_view html) {
    std::string result;
    result.reserve(html.size());
    constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD
    while (!html.empty()) {
        const bool is_c1 =
            html.size() > 1 && html[0] == '\xC2' && static_cast<unsigned char>(html[1]) <= 0x9F;
        const std::size_t bad = is_c1                           ? 2
                                : html.starts_with(replacement) ? replacement.size()
                                : html[0] == '\x7F'             ? 1
                                                                : 0;
        if (bad > 0)
            result += "&#xFFFD;";
        else
            result += html[0];
        html.remove_prefix(std::max<std::size_t>(bad, 1));
    }
    return result;
}

std::string content_of_entry(const SourceItem& item) {
    if (base::trim(item.content).empty()) return "<p>The feed has no text for this entry.</p>";
    if (item.content.size() <= most_content) return without_bad_characters(item.content);
    std::string end = "<p>This entry is shortened.";
    if (!item.link.empty()) end += " " + link_html(item.link, "Read all of it") + ".";
    end += "</p>";
    const auto room = most_content - std::min(end.size(), most_content);
    return without_bad_characters(feed::safe_html(item.content, item.link, room)) + end;
}

}  // namespace

ItemPosition position_of(const SourceItem& item) {
    return {item.recorded_at, item.entry, item.revision};
}

std::string text_of(const ItemPosition& position) {
    return std::to_string(position.recorded_at.time_since_epoch().count()) + '-' +
           std::to_string(position.entry) + '-' + std::to_string(position.revision);
}

std::optional<ItemPosition> parse_position(std::string_view text) {
    constexpr std::int64_t latest = 253'402'300'799;  // the end of the year 9999
    const auto parts = base::split(text, '-');
    if (parts.size() != 3) return std::nullopt;
    const auto time = base::parse_integer(parts[0]), entry = base::parse_integer(parts[1]),
               revision = base::parse_integer(parts[2]);
    if (!time || !entry || !revision || *time > latest) return std::nullopt;
    const ItemPosition position{base::Seconds(std::chrono::seconds(*time)), *entry, *revision};
    // One spelling for each.
    return text_of(position) == text ? std::optional(position) : std::nullopt;
}

std::string page_of_feed(std::int64_t feed, const Site& site) {
    return site.link("/feeds?feed=") + std::to_string(feed);
}

std::string name_of(const SourceFeed& feed) {
    auto name = plain_line(feed.name);
    return name.empty() ? "Feed " + std::to_string(feed.id) : name;
}

std::string title_of(const SourceItem& item) {
    auto title = plain_line(item.title);
    if (title.empty()) title = "Entry of " + base::format_date(item.entry_day);
    if (item.revision == 0) return title;
    const auto headline = compare::inside_sentence(headline_of_edit(item));
    return plain_line("Edited: " + title + (headline.empty() ? "" : ": " + headline));
}

std::string url_of(const SourceItem& item, const SourceFeed& feed, const Site& site) {
    return is_web_url(item.link) ? item.link : page_of_feed(feed.id, site);
}

base::Seconds published_of(const SourceItem& item) {
    return std::min(item.published.value_or(item.recorded_at), item.recorded_at);
}

FeedItem feed_item_of(const SourceItem& item, const SourceFeed& feed, const Site& site) {
    auto guid = "tag:" + site.authority + ":/feed/" + std::to_string(feed.id) + '/' +
                std::to_string(item.entry);
    // As of rows of history: the second version is /2.
    if (item.revision > 0) guid += '/' + std::to_string(item.revision + 1);
    std::vector<Curator> authors;
    for (auto& name : plain_lines(item.authors)) authors.push_back({std::move(name), {}});
    // All items of a fetch have one time. The fraction differs by entry and by its edits.
    constexpr std::int64_t edits = 64;
    const auto published = published_of(item);
    return {
        .guid = std::move(guid),
        .url = url_of(item, feed, site),
        .title = title_of(item),
        .content = item.revision == 0
                       ? content_of_entry(item)
                       : content_of(item.changes, is_web_url(item.link) ? item.link : "", site),
        .published = published,
        .atom_published = base::format_rfc3339(published),
        .atom_updated = time_with_fraction(item.recorded_at, item.entry * edits + item.revision),
        .authors = std::move(authors),
        .categories = plain_lines(item.categories)};
}

}  // namespace render
