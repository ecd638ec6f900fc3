// JSON Feed 1.1. Source: https://www.jsonfeed.org/version/1.1/
// SPDX-License-Identifier: MIT
#include "render/feed.hpp"
#include "render/json.hpp"

namespace render {
namespace {

void write_feed(std::string& text, const FeedDocument& feed) {
    base::JsonWriter json(text);
    json.begin_object()
        .field("version", "https://jsonfeed.org/version/1.1")
        .field("title", feed.title)
        .field("home_page_url", feed.channel.subject.page_url)
        .field("feed_url", feed.channel.self_url)
        .field("description", feed.description);
    for (const auto& next : {feed.links.older, feed.links.next})
        if (!next.empty()) json.field("next_url", next);
    json.field("language", feed.language);
    write_authors(json, {{feed.publisher, {}}});
    if (!feed.channel.hub_url.empty())
        json.key("hubs")
            .begin_array()
            .begin_object()
            .field("type", "WebSub")
            .field("url", feed.channel.hub_url)
            .end_object()
            .end_array();
    json.key("items").begin_array();
    text += '\n';
}

void write_item(std::string& text, const FeedItem& item, const FeedDocument& feed) {
    base::JsonWriter json(text);
    json.begin_object().field("id", item.id).field("url", item.url).field("title", item.title);
    if (!item.summary.empty()) json.field("summary", item.summary);
    if (item.write_data) {
        json.key("tags").begin_array();
        for (const auto& category : item.categories) json.value(category);
        json.end_array();
    }
    json.field("content_html", item.content)
        .field("date_published", base::format_rfc3339(item.published));
    if (!item.authors.empty()) write_authors(json, item.authors);
    if (item.write_data) {
        // JSON Feed asks an extension to name the page that documents it.
        json.key("_varve").begin_object().field("about", feed.site.base_url + "/json-feed.txt");
        item.write_data(json);
        json.end_object();
    }
    json.end_object();
}

}  // namespace

constexpr Format json_format{
    "json", "application/feed+json", "JSON Feed", write_feed, write_item, ",\n", "\n]}\n"};

}  // namespace render
