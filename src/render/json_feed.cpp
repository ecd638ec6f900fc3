// JSON Feed 1.1. Source: https://www.jsonfeed.org/version/1.1/
// SPDX-License-Identifier: MIT
#include "render/feed.hpp"
#include "render/json.hpp"

namespace render {
namespace {

// "hubs":[{"type":"WebSub","url":…}]; nothing if there is none.
void write_hub(base::JsonWriter& json, const std::string& url) {
    if (url.empty()) return;
    json.key("hubs").begin_array().begin_object().field("type", "WebSub");
    write_text(json, "url", url);
    json.end_object().end_array();
}

void write_feed(std::string& text, const FeedDocument& feed) {
    base::JsonWriter json(text);
    json.begin_object().field("version", "https://jsonfeed.org/version/1.1");
    write_text(json, "title", feed.title);
    write_text(json, "home_page_url", feed.subject.page_url);
    write_text(json, "feed_url", feed.self);
    write_text(json, "description", feed.subject.description);
    for (const auto& next : {feed.links.older, feed.links.next})
        if (!next.empty()) write_text(json, "next_url", next);
    write_text(json, "language", feed.language);
    write_authors(json, {{feed.publisher, {}}});
    write_hub(json, feed.hub);
    json.key("items").begin_array();
    text += '\n';
}

void write_item(std::string& text, const FeedItem& item, const FeedDocument& feed) {
    base::JsonWriter json(text);
    json.begin_object();
    write_text(json, "id", item.id);
    write_text(json, "url", item.url);
    write_text(json, "title", item.title);
    if (!item.summary.empty()) write_text(json, "summary", item.summary);
    if (item.write_data) {
        json.key("tags").begin_array();
        for (const auto& category : item.categories) json.value(category);
        json.end_array();
    }
    write_text(json, "content_html", item.content);
    json.field("date_published", base::format_rfc3339(item.published));
    if (!item.authors.empty()) write_authors(json, item.authors);
    if (item.write_data) {
        json.key("_varve").begin_object();
        // JSON Feed asks an extension to name the page that documents it.
        write_text(json, "about", feed.site.base_url + "/json-feed.txt");
        item.write_data(json);
        json.end_object();
    }
    json.end_object();
}

}  // namespace

constexpr Format json_format{
    "json", "application/feed+json", "JSON Feed", write_feed, write_item, ",\n", "\n]}\n"};

}  // namespace render
