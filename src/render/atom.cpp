// Atom 1.0, following the W3C feed validator (its rules: tests/support/feed_rules.hpp).
// Source: RFC 4287; RFC 5005 for the archive
// SPDX-License-Identifier: MIT
#include <array>

#include "base/text.hpp"
#include "render/display_text.hpp"
#include "render/feed.hpp"
#include "render/markup.hpp"
#include "render/mention.hpp"
#include "render/page.hpp"
#include "render/release_text.hpp"
#include "render/source_feed.hpp"

namespace render {
namespace {

// Returns the parameters of the address that filter the feed.
std::string filter_parameters_of(std::string_view self_url) {
    constexpr auto names =
        std::to_array<std::string_view>({"since=", "tag=", "change=", "mass=", "include="});
    const auto query = self_url.find('?');
    std::string parameters;
    if (query == std::string_view::npos) return parameters;
    for (const auto parameter : base::split(self_url.substr(query + 1), '&'))
        for (const auto name : names)
            if (parameter.starts_with(name)) {
                parameters += parameters.empty() ? '?' : '&';
                parameters += parameter;
            }
    return parameters;
}

constexpr std::int64_t nanoseconds = 1'000'000'000;

// No two entries of a document may have the same time (RFC 4287 section 4.1.1).
//   number  differs among what has the same second; 0 or more
std::string time_with_fraction(base::Seconds second, std::int64_t number) {
    auto time = base::format_rfc3339(second);
    const auto fraction = std::to_string(number % nanoseconds);
    time.back() = '.';  // replaces the Z
    return time + std::string(9 - fraction.size(), '0') + fraction + "Z";
}

// All entries of a release have one date. The fraction differs by object, the second by release of that day.
std::string time_of(const tables::Row& row) {
    return time_with_fraction(
        base::Seconds(row.release.released_on) + std::chrono::seconds(row.of_day), row.oid);
}

// Entries of source feeds come many in a second. What differs is made of the id, which is that of one item.
std::string time_of(const tables::Mention& mention, std::string_view guid) {
    std::uint64_t hash = 14695981039346656037U;  // FNV-1a
    for (const char c : guid) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    return time_with_fraction(
        mention.first_seen,
        static_cast<std::int64_t>(hash % static_cast<std::uint64_t>(nanoseconds)));
}

// All entries of a fetch have one time. The fraction differs by entry and by its edits.
std::string time_of(const SourceItem& item) {
    constexpr std::int64_t edits = 64;
    return time_with_fraction(item.recorded_at, item.entry * edits + item.revision);
}

void append_feed_link(std::string& xml, std::size_t depth, std::string_view rel,
                      std::string_view media_type, std::string_view url) {
    if (url.empty()) return;
    append_empty(xml, depth, "link", {{"rel", rel}, {"type", media_type}, {"href", url}});
}

void append_feed_links(std::string& xml, const Channel& channel, const Neighbours& links) {
    constexpr std::string_view atom_type = "application/atom+xml";
    append_feed_link(xml, 1, "alternate", "text/html", channel.subject.page_url);
    append_feed_link(xml, 1, "self", atom_type, channel.self_url);
    if (!channel.hub_url.empty())
        append_empty(xml, 1, "link", {{"rel", "hub"}, {"href", channel.hub_url}});
    append_feed_link(xml, 1, "current", atom_type, links.current);
    append_feed_link(xml, 1, "prev-archive", atom_type, links.older);
    append_feed_link(xml, 1, "next-archive", atom_type, links.newer);
    append_feed_link(xml, 1, "next", atom_type, links.next);
    if (links.complete) append_empty(xml, 1, "fh:complete");
    if (links.archive) append_empty(xml, 1, "fh:archive");
}

void append_author(std::string& xml, std::size_t depth, const Curator& author) {
    append_start(xml, depth, "author");
    append_element(xml, depth + 1, "name", plain_line(author.name));
    if (!author.url.empty()) append_url_element(xml, depth + 1, "uri", author.url);
    append_end(xml, depth, "author");
}

void append_feed(std::string& xml, const DocumentHead& head, const Channel& channel,
                 const Neighbours& links, const Site& site) {
    append_declaration(xml, style_sheet_of(site));
    append_start(xml, 0, "feed",
                 {{"xmlns", "http://www.w3.org/2005/Atom"},
                  {"xmlns:fh", "http://purl.org/syndication/history/1.0"},
                  {"xml:lang", language_of(channel, site)}});
    append_element(xml, 1, "title", channel_title_of(channel));
    append_element(xml, 1, "subtitle", head.description);
    append_element(xml, 1, "id", channel.subject.id + filter_parameters_of(channel.self_url));
    append_element(xml, 1, "updated", base::format_rfc3339(head.updated));
    append_author(xml, 1, {publisher_of(site), {}});
    append_feed_links(xml, channel, links);
    append_element(xml, 1, "generator", "Varve");
    if (channel.for_browser)
        append_xhtml_element(xml, 1, "div", head_for_browser(head, channel, links));
}

void append_content(std::string& xml, const std::string& title, const std::string& url,
                    const std::string& content, const Channel& channel) {
    if (!channel.for_browser)
        return append_html_element(xml, 2, "content", content, {{"type", "html"}});
    append_start(xml, 2, "content", {{"type", "xhtml"}});
    append_xhtml_element(xml, 3, "div", item_for_browser(title, url, content));
    append_end(xml, 2, "content");
}

void append_entry(std::string& xml, const tables::Row& row, const query::HistoryPage& page,
                  const Channel& channel, const Site& site) {
    const auto time = time_of(row);
    const auto title = title_of(row, page), url = item_url_of(row, site);
    append_start(xml, 1, "entry");
    append_element(xml, 2, "title", title);
    append_feed_link(xml, 2, "alternate", "text/html", url);
    append_element(xml, 2, "id", guid_of(row, site.authority));
    append_element(xml, 2, "published", time);
    append_element(xml, 2, "updated", time);
    for (const auto& curator : curators_of(row, page, site)) append_author(xml, 2, curator);
    for (const auto& category : categories_of(row))
        append_empty(xml, 2, "category", {{"term", category}});
    if (const auto summary = summary_of(row, page); !summary.empty())
        append_element(xml, 2, "summary", plain_line(summary));
    append_content(xml, title, url, content_of(row, page, site), channel);
    append_end(xml, 1, "entry");
}

void append_mention(std::string& xml, const tables::Mention& mention, const Channel& channel,
                    const Site& site) {
    const auto guid = guid_of(mention, site.authority), time = time_of(mention, guid);
    const auto title = title_of(mention), url = item_url_of(mention, site);
    append_start(xml, 1, "entry");
    append_element(xml, 2, "title", title);
    append_feed_link(xml, 2, "alternate", "text/html", url);
    append_element(xml, 2, "id", guid);
    append_element(xml, 2, "published", time);
    append_element(xml, 2, "updated", time);
    for (const auto& author : authors_of(mention, site)) append_author(xml, 2, author);
    append_empty(xml, 2, "category", {{"term", plain_line(mention.object.class_name)}});
    append_content(xml, title, url, content_of(mention, site), channel);
    append_end(xml, 1, "entry");
}

void append_release_entry(std::string& xml, const query::ListedRelease& release,
                          const Channel& channel, const Site& site) {
    const auto& [version, released_on] = release.summary.release;
    const auto time =
        base::format_rfc3339(base::Seconds(released_on) + std::chrono::seconds(release.of_day));
    append_start(xml, 1, "entry");
    const auto title = plain_line(title_of(release)), url = release_url(version, site);
    append_element(xml, 2, "title", title);
    append_feed_link(xml, 2, "alternate", "text/html", url);
    append_element(xml, 2, "id", guid_of(release, site));
    append_element(xml, 2, "published", time);
    append_element(xml, 2, "updated", time);
    append_content(xml, title, url, content_of(release, site), channel);
    append_end(xml, 1, "entry");
}

void append_source_entry(std::string& xml, const SourceItem& item, const SourceFeed& feed,
                         const Channel& channel, const Site& site) {
    const auto title = title_of(item), url = url_of(item, feed, site);
    append_start(xml, 1, "entry");
    append_element(xml, 2, "title", title);
    append_feed_link(xml, 2, "alternate", "text/html", url);
    append_element(xml, 2, "id", guid_of(item, feed, site));
    append_element(xml, 2, "published", base::format_rfc3339(published_of(item)));
    append_element(xml, 2, "updated", time_of(item));
    for (const auto& author : authors_of(item)) append_author(xml, 2, author);
    for (const auto& category : categories_of(item))
        append_empty(xml, 2, "category", {{"term", category}});
    append_content(xml, title, url, content_of(item, site), channel);
    append_end(xml, 1, "entry");
}

constexpr Shape atom_shape{append_feed,          append_entry,        append_mention,
                           append_release_entry, append_source_entry, "",
                           "</feed>\n"};

}  // namespace

std::string atom(const query::HistoryPage& page, const Channel& channel, const Site& site) {
    return document_of(atom_shape, page, channel, site);
}

std::string atom_of_releases(const query::ReleaseList& releases, const Channel& channel,
                             const Site& site) {
    return document_of(atom_shape, releases, channel, site);
}

std::string atom_of_source(const SourceFeed& feed, const Channel& channel, const Site& site) {
    return document_of(atom_shape, feed, channel, site);
}

}  // namespace render
