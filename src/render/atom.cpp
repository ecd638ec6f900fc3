// Atom 1.0, following the W3C feed validator (its rules: tests/support/feed_rules.hpp).
// Source: RFC 4287; RFC 5005 for the archive
// SPDX-License-Identifier: MIT
#include <array>

#include "base/text.hpp"
#include "render/display_text.hpp"
#include "render/feed.hpp"
#include "render/markup.hpp"

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

void append_content(std::string& xml, const FeedItem& item, const Channel& channel) {
    if (!channel.for_browser)
        return append_html_element(xml, 2, "content", item.content, {{"type", "html"}});
    append_start(xml, 2, "content", {{"type", "xhtml"}});
    append_xhtml_element(xml, 3, "div", item_for_browser(item));
    append_end(xml, 2, "content");
}

void append_entry(std::string& xml, const FeedItem& item, const ItemOrigin&,
                  const Channel& channel, const Site&) {
    append_start(xml, 1, "entry");
    append_element(xml, 2, "title", item.title);
    append_feed_link(xml, 2, "alternate", "text/html", item.url);
    append_element(xml, 2, "id", item.guid);
    append_element(xml, 2, "published", item.atom_published);
    append_element(xml, 2, "updated", item.atom_updated);
    for (const auto& author : item.authors) append_author(xml, 2, author);
    for (const auto& category : item.categories)
        append_empty(xml, 2, "category", {{"term", category}});
    if (!item.summary.empty()) append_element(xml, 2, "summary", item.summary);
    append_content(xml, item, channel);
    append_end(xml, 1, "entry");
}

}  // namespace

constexpr Shape atom_shape{append_feed, append_entry, "", "</feed>\n"};

}  // namespace render
