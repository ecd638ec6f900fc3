// SPDX-License-Identifier: MIT
#include "render/item.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "compare/headline.hpp"
#include "feed/safe_html.hpp"
#include "render/change_document.hpp"
#include "render/display_text.hpp"
#include "render/html.hpp"
#include "render/json.hpp"
#include "render/links.hpp"
#include "render/page.hpp"
#include "tree/stamp.hpp"

namespace render {
namespace {

using tables::Mention;
using tables::Row;
using tables::RowKind;

constexpr std::size_t most_names = 20;  // authors or categories of an item

// Returns a time of RFC 3339 with a fraction.
//   number  differs among what has the same second; 0 or more
std::string time_with_fraction(base::Seconds second, std::int64_t number) {
    constexpr std::int64_t nanoseconds = 1'000'000'000;
    auto time = base::format_rfc3339(second);
    const auto fraction = std::to_string(number % nanoseconds);
    time.back() = '.';  // replaces the Z
    return time + std::string(9 - fraction.size(), '0') + fraction + "Z";
}

// Returns the authors with their names as plain lines.
std::vector<Author> in_plain_lines(std::vector<Author> authors) {
    for (auto& author : authors) author.name = plain_line(author.name);
    return authors;
}

// -- a row of history

std::string period_of(const Row& row) {
    return skipped_releases(row) ? " between " + row.since + " and " + row.release.version
                                 : " in " + row.release.version;
}

std::string counts_of(const tables::Notes& notes) {
    std::string text;
    for (const auto& [number, what] : numbers_of(tables::count_changes(notes)))
        text.append(text.empty() ? "" : ", ").append(std::to_string(number) + " ").append(what);
    return text;
}

// What people call the object, with its class where that is no more than its name.
std::string shown_label(const Row& row) {
    const auto& label = row.object.label_or_name(row.label);
    return label == row.object.name
               ? isolated_line(row.object.class_name) + " " + isolated_line(label)
               : isolated_line(label);
}

std::vector<std::string> categories_of(const Row& row) {
    constexpr std::size_t most_categories = 7;
    std::vector<std::string> categories = {plain_line(row.object.class_name),
                                           std::string(tables::name_of(row.kind))};
    for (const auto& change : row.notes.changes) {
        const auto& sides = change.before.empty() ? change.after : change.before;
        if (change.path.empty() && sides.empty()) continue;
        const auto& first = change.path.empty() ? sides.front().cell : change.path.front();
        if (first.kind != tree::CellKind::tag) continue;
        auto tag = plain_line(first.text);
        if (!tag.empty() && std::ranges::find(categories, tag) == categories.end())
            categories.push_back(std::move(tag));
        if (categories.size() == most_categories) break;
    }
    return categories;
}

// -- a release

std::string content_of(const query::ListedRelease& release, const Site& site) {
    constexpr std::size_t most_classes = 20;
    const auto& [version, released_on] = release.summary.release;
    const auto& classes = release.details->classes;
    const auto& leading = release.details->leading;
    std::string html = "<p>" + as_html(version) + ", released on " + date_in_words(released_on) +
                       ": " + words_of(release.summary) + ".</p>";
    if (!classes.empty()) {
        html += "<p><b>Objects by class</b></p><ul>";
        const auto listed = std::min(classes.size(), most_classes);
        for (std::size_t i = 0; i < listed; ++i)
            html += "<li>" + as_html(classes[i].class_name) + ": " +
                    words_of(classes[i].kinds, classes[i].quiet) + "</li>";
        if (listed < classes.size())
            html +=
                "<li>" + counted(classes.size() - listed, "more class", "more classes") + "</li>";
        html += "</ul>";
    }
    if (!leading.empty()) {
        html += "<p><b>Most important</b></p><ul>";
        for (const auto& entry : leading)
            html += "<li>" + as_html(entry.object.class_name) + " <a href=\"" +
                    as_attribute(page_of_row(entry.object, version, site)) + "\">" +
                    shortened_html(entry.object.label_or_name(entry.label)) + "</a></li>";
        html += "</ul>";
    }
    return html + "<p>" + link_html(release_url(version, site), "All changes in " + version) +
           "</p>";
}

// -- an entry of a source feed

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
std::string headline_of_edit(const SourceItem& entry) {
    const compare::Ranking none;
    const compare::ClassRules rules(none, "");
    return compare::headline_of(compare::field_changes(entry.changes, rules, {}), {}).title;
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

std::string content_of(const SourceItem& entry, const Site& site) {
    constexpr std::size_t most_content = 32 << 10;  // bytes
    if (entry.revision > 0)
        return content_of(entry.changes, is_web_url(entry.link) ? entry.link : "", site);
    if (base::trim(entry.content).empty()) return "<p>The feed has no text for this entry.</p>";
    if (entry.content.size() <= most_content) return without_bad_characters(entry.content);
    std::string end = "<p>This entry is shortened.";
    if (!entry.link.empty()) end += " " + link_html(entry.link, "Read all of it") + ".";
    end += "</p>";
    const auto room = most_content - std::min(end.size(), most_content);
    return without_bad_characters(feed::safe_html(entry.content, entry.link, room)) + end;
}

}  // namespace

FeedItem item_of(const Row& row, const query::HistoryPage& page, const Site& site) {
    // All items of a release have one date. The fraction differs by object, the second by release of that day.
    const auto time = time_with_fraction(
        base::Seconds(row.release.released_on) + std::chrono::seconds(row.of_day), row.oid);
    return {
        .id = guid_of(row, site.authority),
        .url = page_of_row(row.object, row.release.version, site),
        .title = title_of(row),
        .content = content_of(row, page, site),
        .summary = plain_sentence(summary_of(row)),
        .published = row.release.released_on,
        .atom_published = time,
        .atom_updated = time,
        .authors = in_plain_lines(curators_of(row, page, site)),
        .categories = categories_of(row),
        .write_data = [&](base::JsonWriter& json) { write_row_fields(json, row, page, site); }};
}

FeedItem item_of(const Mention& mention, const Site& site) {
    const auto& object = mention.object;
    const auto id = tag_uri(site.authority, {"", "mention", object.class_name, object.name,
                                             std::to_string(mention.entry)});
    const auto page = page_of(object, site);
    const auto url = is_web_url(mention.link) ? mention.link : page;
    const auto authors = authors_of(mention, site);
    // Many entries come in a second. What differs is made of the id, which is that of one item.
    std::uint64_t hash = 14695981039346656037U;  // FNV-1a
    for (const char c : id) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    const auto time =
        time_with_fraction(mention.first_seen, static_cast<std::int64_t>(hash % 1'000'000'000));
    return {.id = id,
            .url = url,
            .title = plain_sentence("Mentioned in " + isolated_line(mention.feed_name) + ": " +
                                    base::isolated(title_of(mention))),
            .content = "<p>" + link_html(page, object.class_name + " " + object.name) +
                       " is mentioned in " + link_html(url, title_of(mention)) + ", " +
                       as_html(plain_line(mention.feed_name)) + ", " +
                       date_in_words(day_of(mention)) + authors_html(authors) + ".</p>",
            .published = mention.first_seen,
            .atom_published = time,
            .atom_updated = time,
            .authors = in_plain_lines(authors),
            .categories = {plain_line(object.class_name)},
            .write_data = [&](base::JsonWriter& json) {
                json.field("class", mention.object.class_name)
                    .field("name", mention.object.name)
                    .field("kind", "mention");
                write_mention_fields(json, mention, site);
            }};
}

FeedItem item_of(const query::ListedRelease& release, const Site& site) {
    const auto& [version, released_on] = release.summary.release;
    const auto time =
        base::format_rfc3339(base::Seconds(released_on) + std::chrono::seconds(release.of_day));
    return {.id = tag_uri(site.authority, {"", "releases", version}),
            .url = release_url(version, site),
            .title = plain_line(version + ": " + words_of(release.summary)),
            .content = content_of(release, site),
            .published = released_on,
            .atom_published = time,
            .atom_updated = time};
}

FeedItem item_of(const SourceItem& entry, const SourceFeed& feed, const Site& site) {
    auto id = tag_uri(site.authority,
                      {"", "feed", std::to_string(feed.id), std::to_string(entry.entry)});
    // As of rows of history: the second version is /2.
    if (entry.revision > 0) id += '/' + std::to_string(entry.revision + 1);
    std::vector<Author> authors;
    for (auto& name : plain_lines(entry.authors)) authors.push_back({std::move(name), {}});
    // All items of a fetch have one time. The fraction differs by entry and by its edits.
    constexpr std::int64_t edits = 64;
    const auto published = published_of(entry);
    return {.id = std::move(id),
            .url = url_of(entry, feed, site),
            .title = title_of(entry),
            .content = content_of(entry, site),
            .published = published,
            .atom_published = base::format_rfc3339(published),
            .atom_updated =
                time_with_fraction(entry.recorded_at, entry.entry * edits + entry.revision),
            .authors = std::move(authors),
            .categories = plain_lines(entry.categories),
            .write_data = [&](base::JsonWriter& json) {
                json.field("feed", feed.id)
                    .field("entry", entry.entry)
                    .field("revision", entry.revision)
                    .field("recorded_at", base::format_rfc3339(entry.recorded_at));
                write_changes(json, entry.changes, entry.changes.size(), {}, site, most_of_item);
            }};
}

std::string guid_of(const Row& row, std::string_view authority) {
    auto guid = tag_uri(authority, {row.object.class_name, row.object.name, row.release.version});
    // Readers see /2 as a new item.
    if (row.revision > 0) guid += "/" + std::to_string(row.revision + 1);
    return guid;
}

std::string title_of(const Row& row) {
    const auto label = shown_label(row);
    const auto& headline = row.headline.title;
    if (row.kind == RowKind::changed || row.kind == RowKind::reconstructed) {
        const std::string how = row.kind == RowKind::reconstructed ? ", by timestamps" : "";
        const auto what = headline.empty() ? counts_of(row.notes) : headline;
        if (!what.empty()) return plain_sentence(label + period_of(row) + how + ": " + what);
    }
    const auto name = isolated_line(row.object.name);
    const auto called = isolated_line(row.object.label_or_name(row.label));
    const auto object = isolated_line(row.object.class_name) + " " + called;
    if (const auto& other = row.renamed_from ? row.renamed_from : row.renamed_to)
        return plain_sentence(object + (called == name ? "" : " (" + name + ")") + " renamed" +
                              period_of(row) + (row.renamed_from ? ", was " : ", now ") +
                              isolated_line(other->name));
    if (row.kind == RowKind::withdrawn)
        return plain_sentence(object + " changed" + period_of(row) + ": withdrawn");
    return plain_sentence(object + " " + std::string(participle_of(row.kind)) + period_of(row) +
                          (headline.empty() ? "" : ": " + headline));
}

std::string title_of(const Mention& mention) {
    auto title = plain_line(mention.title);
    if (title.empty()) title = plain_line(mention.link);
    return title.empty() ? "an entry without a title" : title;
}

std::string title_of(const SourceItem& entry) {
    auto title = plain_line(entry.title);
    if (title.empty()) title = "Entry of " + date_in_words(entry.entry_day);
    if (entry.revision == 0) return title;
    const auto headline = compare::inside_sentence(headline_of_edit(entry));
    return plain_sentence("Edited: " + base::isolated(title) +
                          (headline.empty() ? "" : ": " + headline));
}

std::string url_of(const SourceItem& entry, const SourceFeed& feed, const Site& site) {
    return is_web_url(entry.link) ? entry.link : page_of_feed(feed.id, site);
}

base::Seconds published_of(const SourceItem& entry) {
    return std::min(entry.published.value_or(entry.recorded_at), entry.recorded_at);
}

base::Date day_of(const Mention& mention) {
    return std::chrono::floor<std::chrono::days>(mention.happened_at());
}

bool skipped_releases(const Row& row) {
    return !row.since.empty() && !row.notes.previous.empty() && row.since != row.notes.previous;
}

Author curator_of(std::string_view user, const query::People& people, const Site& site) {
    const auto found = people.find(user);
    if (found == people.end()) return {one_line(user), {}};
    return {one_line(found->second.label), object_url_of(found->second.object, site)};
}

bool is_of_change(std::string_view stamp, const std::optional<base::Date>& since) {
    if (!since) return true;
    const auto known = tree::parse_stamp(stamp);
    return !known || std::chrono::floor<std::chrono::days>(known->at) >= *since;
}

std::vector<Author> curators_of(const Row& row, const query::HistoryPage& page,
                                const Site& site) {
    if (site.hide_curators) return {};
    std::vector<Author> curators;
    std::string_view last;  // timestamp: one that equals the one before is not parsed
    const auto note = [&](std::string_view stamp) {
        if (stamp.empty() || std::exchange(last, stamp) == stamp) return;
        const auto known = tree::parse_stamp(stamp);
        if (!known || !is_of_change(stamp, row.since_on)) return;
        auto curator = curator_of(known->by, page.people, site);
        if (!curator.name.empty() && std::ranges::find(curators, curator) == curators.end())
            curators.push_back(std::move(curator));
    };
    const auto collect = [&](const auto& self, const std::vector<tree::Node>& nodes) -> void {
        for (const auto& node : nodes) {
            if (curators.size() == most_names) return;
            note(node.stamp);
            self(self, node.children);
        }
    };
    for (const auto& change : row.notes.changes)
        if (!page.filter.is_set() || page.filter.shows(change)) collect(collect, change.after);
    return curators;
}

std::string author_key(std::string_view author) { return base::fold_ascii(one_line(author)); }

std::vector<Author> authors_of(const Mention& mention, const Site& site) {
    std::vector<Author> authors;
    for (const auto& name : mention.authors) {
        if (authors.size() == most_names) break;
        auto& author = authors.emplace_back(plain_line(name), std::string());
        const auto known = site.authors.find(author_key(name));
        if (known == site.authors.end()) continue;
        author.url = object_url_of(known->second, site);
        if (author.url.empty()) author.url = page_of(known->second, site);
    }
    return authors;
}

std::string authors_html(const std::vector<Author>& authors) {
    std::string html;
    for (const auto& author : authors) {
        html += html.empty() ? ", by " : ", ";
        html += author.url.empty() ? as_html(author.name) : link_html(author.url, author.name);
    }
    return html;
}

}  // namespace render
