// SPDX-License-Identifier: MIT
#include "render/mention.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "render/change_json.hpp"
#include "render/display_text.hpp"
#include "render/html.hpp"
#include "render/page.hpp"
#include "render/stacked_bars.hpp"

namespace render {
namespace {

using tables::Mention;

constexpr std::size_t most_authors = 20;
constexpr std::size_t longest_title_listed = 160, longest_feed_listed = 80;  // bytes
constexpr std::size_t most_of_list = 12'000;                                 // bytes
// A picture with more of them has a mark for each release.
constexpr std::size_t most_marks = 30, most_marks_of_column = 3;
constexpr std::size_t longest_url_of_mark = 160, longest_title_of_mark = 60;  // bytes

base::Date day_of(const Mention& mention) {
    return std::chrono::floor<std::chrono::days>(mention.happened_at());
}

std::string title_or_link(const Mention& mention) {
    auto title = plain_line(mention.title);
    if (title.empty()) title = plain_line(mention.link);
    return title.empty() ? "an entry without a title" : title;
}

std::string cut(const std::string& text, std::size_t most) {
    if (text.size() <= most) return text;
    return std::string(base::cut_at(text, most)) + std::string(ellipsis);
}

std::string link_to_entry(const Mention& mention, const std::string& words) {
    if (!is_web_url(mention.link)) return as_html(words);
    return "<a rel=\"nofollow noopener noreferrer\" href=\"" + as_html(mention.link) + "\">" +
           as_html(words) + "</a>";
}

// Returns its authors, at most 20.
std::vector<Curator> authors_of_mention(const Mention& mention, const Site& site) {
    std::vector<Curator> authors;
    for (const auto& author : mention.authors) {
        if (authors.size() == most_authors) break;
        authors.push_back(author_of_entry(author, site));
    }
    return authors;
}

std::string authors_html(const Mention& mention, const Site& site) {
    std::string html;
    for (const auto& author : authors_of_mention(mention, site)) {
        html += html.empty() ? ", by " : ", ";
        html += author.url.empty() ? as_html(author.name) : link_html(author.url, author.name);
    }
    return html;
}

void append_listed(std::string& html, const Mention& mention, const Site& site) {
    html += "<li>" + link_to_entry(mention, cut(title_or_link(mention), longest_title_listed)) +
            " <small>" + as_html(cut(plain_line(mention.feed_name), longest_feed_listed)) + ", " +
            date_html(day_of(mention)) + authors_html(mention, site) + "</small></li>\n";
}

// The mentions while one release was the newest one, which came last first.
using Column = std::vector<const Mention*>;

// Returns the columns of the picture, the oldest first. What is older than all of them is in the first one.
std::vector<Column> columns_of(const std::vector<Mention>& mentions,
                               const std::vector<base::Release>& releases) {
    const auto shown = std::min(releases.size(), most_columns);
    std::vector<Column> columns(shown);
    for (const auto& mention : mentions) {
        const auto day = day_of(mention);
        const auto pictured = std::span(releases).first(shown);
        const auto at = std::ranges::find_if(
            pictured, [&](const base::Release& release) { return release.released_on <= day; });
        const auto newer = std::min(static_cast<std::size_t>(at - pictured.begin()), shown - 1);
        columns[shown - 1 - newer].push_back(&mention);
    }
    return columns;
}

std::string mark(const std::string& url, const std::string& words, int y, int radius) {
    return "<a href=\"" + as_html(url) + "\" tabindex=\"-1\"><title>" + as_html(words) +
           "</title><circle cy=\"" + std::to_string(y) + "\" r=\"" + std::to_string(radius) +
           "\"/></a>";
}

std::string mark_of(const Mention& mention, int y) {
    const bool is_linked = is_web_url(mention.link) && mention.link.size() <= longest_url_of_mark;
    return mark(is_linked ? mention.link : "#mentions",
                base::format_date(day_of(mention)) + ", " +
                    cut(plain_line(mention.feed_name), longest_title_of_mark) + ": " +
                    cut(title_or_link(mention), longest_title_of_mark),
                y, 3);
}

std::string marks_of(const Column& column, const std::string& version, bool each) {
    if (!each || column.size() > most_marks_of_column)
        return mark("#mentions", version + ": " + counted(column.size(), "entry", "entries"), 22,
                    5) +
               "<text y=\"12\">" + with_separators(column.size()) + "</text>";
    std::string svg;
    int y = 25;
    for (const auto* mention : column) {
        svg += mark_of(*mention, y);
        y -= 9;
    }
    return svg;
}

// The columns that have mentions, the newest first.
std::string track_table(const std::vector<Column>& columns,
                        const std::vector<base::Release>& releases) {
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < columns.size(); ++i)
        if (const auto& column = columns[columns.size() - 1 - i]; !column.empty())
            rows.push_back({as_html(releases[i].version), with_separators(column.size())});
    return folded_table(
        number_table("Entries that mention it, by the newest release at that time",
                     {"Release", "Entries"}, rows));
}

}  // namespace

std::string author_key(std::string_view author) { return base::fold_ascii(one_line(author)); }

Curator author_of_entry(std::string_view author, const Site& site) {
    Curator found{plain_line(author), {}};
    const auto known = site.authors.find(author_key(author));
    if (known == site.authors.end()) return found;
    found.url = object_url_of(known->second, site);
    if (found.url.empty()) found.url = page_of(known->second, site);
    return found;
}

FeedItem feed_item_of(const Mention& mention, const Site& site) {
    const auto& object = mention.object;
    std::string guid = "tag:" + site.authority + ":/mention";
    base::append_percent_encoded(guid += '/', object.class_name);
    base::append_percent_encoded(guid += '/', object.name);
    guid += "/" + std::to_string(mention.entry);
    const auto url = is_web_url(mention.link) ? mention.link : page_of(object, site);
    auto content = "<p>" +
                   link_html(page_of(object, site), object.class_name + " " + object.name) +
                   " is mentioned in " + link_html(url, title_or_link(mention)) + ", " +
                   as_html(plain_line(mention.feed_name)) + ", " +
                   base::format_date(day_of(mention)) + authors_html(mention, site) + ".</p>";
    // Many entries come in a second. What differs is made of the id, which is that of one item.
    std::uint64_t hash = 14695981039346656037U;  // FNV-1a
    for (const char c : guid) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    const auto time =
        time_with_fraction(mention.first_seen, static_cast<std::int64_t>(hash % 1'000'000'000));
    return {.guid = guid,
            .url = url,
            .title =
                plain_line("Mentioned in " + mention.feed_name + ": " + title_or_link(mention)),
            .content = std::move(content),
            .published = mention.first_seen,
            .atom_published = time,
            .atom_updated = time,
            .authors = authors_of_mention(mention, site),
            .categories = {plain_line(object.class_name)}};
}

void write_mention_fields(base::JsonWriter& json, const Mention& mention, const Site& site) {
    json.field("entry", mention.entry).field("feed", mention.feed);
    write_text(json, "feed_name", mention.feed_name);
    write_text(json, "title", mention.title);
    write_text(json, "link", mention.link);
    if (mention.published) json.field("published", base::format_rfc3339(*mention.published));
    json.field("first_seen", base::format_rfc3339(mention.first_seen));
    json.key("authors").begin_array();
    for (const auto& author : authors_of_mention(mention, site)) {
        json.begin_object();
        write_text(json, "name", author.name);
        if (!author.url.empty()) write_text(json, "url", author.url);
        json.end_object();
    }
    json.end_array();
}

MentionList mention_list(const std::vector<Mention>& mentions, const Site& site) {
    const auto newest =
        std::span(mentions).first(std::min(mentions.size(), most_mentions_listed));
    auto listed =
        items_within(most_of_list, newest, [&](std::string& html, const Mention& mention) {
            append_listed(html, mention, site);
        });
    return {std::move(listed.html), newest.size() - listed.left_out};
}

std::string mention_track(const query::History& history,
                          const query::FollowedReleases& followed) {
    const auto& releases = followed.releases;
    if (history.mentions.empty() || releases.empty()) return {};
    const auto columns = columns_of(history.mentions, releases);
    std::string svg = "<svg class=\"track\" width=\"100%\" height=\"30\" role=\"group\" "
                      "aria-label=\"" +
                      counted(history.mentioned, "entry mentions it", "entries mention it") +
                      ". The table below has the same numbers.\">\n";
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].empty()) continue;
        svg += "<svg x=\"" + percent(2 * i + 1, 2 * columns.size()) + "\">" +
               marks_of(columns[i], releases[columns.size() - 1 - i].version,
                        history.mentions.size() <= most_marks) +
               "</svg>\n";
    }
    return svg + "</svg>\n" + track_table(columns, releases);
}

}  // namespace render
