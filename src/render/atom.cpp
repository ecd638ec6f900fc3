// Atom 1.0, following the W3C feed validator (its rules: tests/support/feed_rules.hpp).
// Source: RFC 4287; RFC 5005 for the archive
// SPDX-License-Identifier: MIT
#include <array>

#include "base/text.hpp"
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

void append_feed_links(std::string& xml, const FeedDocument& feed) {
    const auto type = atom_format.media_type;
    append_feed_link(xml, 1, "alternate", "text/html", feed.channel.subject.page_url);
    append_feed_link(xml, 1, "self", type, feed.channel.self_url);
    if (!feed.channel.hub_url.empty())
        append_empty(xml, 1, "link", {{"rel", "hub"}, {"href", feed.channel.hub_url}});
    append_feed_link(xml, 1, "current", type, feed.links.current);
    append_feed_link(xml, 1, "prev-archive", type, feed.links.older);
    append_feed_link(xml, 1, "next-archive", type, feed.links.newer);
    append_feed_link(xml, 1, "next", type, feed.links.next);
    if (feed.links.complete) append_empty(xml, 1, "fh:complete");
    if (feed.links.archive) append_empty(xml, 1, "fh:archive");
}

void append_author(std::string& xml, std::size_t depth, const Author& author) {
    append_start(xml, depth, "author");
    append_element(xml, depth + 1, "name", author.name);
    if (!author.url.empty()) append_element(xml, depth + 1, "uri", author.url, {}, Content::url);
    append_end(xml, depth, "author");
}

void append_feed(std::string& xml, const FeedDocument& feed) {
    append_declaration(xml, feed.site.base_url + "/feed.css");
    append_start(xml, 0, "feed",
                 {{"xmlns", "http://www.w3.org/2005/Atom"},
                  {"xmlns:fh", "http://purl.org/syndication/history/1.0"},
                  {"xml:lang", feed.language}});
    append_element(xml, 1, "title", feed.title);
    append_element(xml, 1, "subtitle", feed.description);
    append_element(xml, 1, "id",
                   feed.channel.subject.id + filter_parameters_of(feed.channel.self_url));
    append_element(xml, 1, "updated", base::format_rfc3339(feed.updated));
    append_author(xml, 1, {feed.publisher, {}});
    append_feed_links(xml, feed);
    append_element(xml, 1, "generator", "Varve");
    if (feed.channel.for_browser)
        append_element(xml, 1, "div", head_for_browser(feed), {xhtml_namespace}, Content::xhtml);
}

void append_entry(std::string& xml, const FeedItem& item, const FeedDocument& feed) {
    append_start(xml, 1, "entry");
    append_element(xml, 2, "title", item.title);
    append_feed_link(xml, 2, "alternate", "text/html", item.url);
    append_element(xml, 2, "id", item.id);
    append_element(xml, 2, "published", item.atom_published);
    append_element(xml, 2, "updated", item.atom_updated);
    for (const auto& author : item.authors) append_author(xml, 2, author);
    for (const auto& category : item.categories)
        append_empty(xml, 2, "category", {{"term", category}});
    if (!item.summary.empty()) append_element(xml, 2, "summary", item.summary);
    if (feed.channel.for_browser) {
        append_start(xml, 2, "content", {{"type", "xhtml"}});
        append_element(xml, 3, "div", item_for_browser(item), {xhtml_namespace}, Content::xhtml);
        append_end(xml, 2, "content");
    } else {
        append_element(xml, 2, "content", item.content, {{"type", "html"}}, Content::html);
    }
    append_end(xml, 1, "entry");
}

}  // namespace

constexpr Format atom_format{
    "atom", "application/atom+xml", "Atom", append_feed, append_entry, "", "</feed>\n"};

}  // namespace render
