// JSON Feed 1.1. Source: https://www.jsonfeed.org/version/1.1/
// SPDX-License-Identifier: MIT
#include "render/change_json.hpp"
#include "render/display_text.hpp"
#include "render/feed.hpp"
#include "render/mention.hpp"

namespace render {
namespace {

// Limit of the changes of one item: data for programs; content_html has them for people.
constexpr std::size_t most_change_bytes = 32 << 10;

// "authors":[{"name":…,"url":…},…]; nothing if there are none.
void write_authors(base::JsonWriter& json, const std::vector<Curator>& authors) {
    if (authors.empty()) return;
    json.key("authors").begin_array();
    for (const auto& author : authors) {
        json.begin_object();
        write_text(json, "name", plain_line(author.name));
        if (!author.url.empty()) write_text(json, "url", author.url);
        json.end_object();
    }
    json.end_array();
}

// "hubs":[{"type":"WebSub","url":…}]; nothing if there is none.
void write_hub(base::JsonWriter& json, const std::string& url) {
    if (url.empty()) return;
    json.key("hubs").begin_array().begin_object().field("type", "WebSub");
    write_text(json, "url", url);
    json.end_object().end_array();
}

// "changes":[…], those that pass the filter of the page, in their order, up to the limits; "left_out", how
// many of `all` are missing.
void write_changes(base::JsonWriter& json, std::span<const compare::Change> changes,
                   std::size_t all, const query::ChangeFilter& filter, const Site& site) {
    json.key("changes").begin_array();
    std::size_t written = 0, bytes = 0;
    for (const auto& change : changes) {
        if (filter.is_set() && !filter.shows(change)) continue;
        if (written == most_changes) break;
        const auto text = change_json(change, site);
        bytes += text.size() + (written > 0 ? 1 : 0);
        if (bytes > most_change_bytes) break;
        json.raw(text);
        ++written;
    }
    json.end_array();
    if (written < all) json.field("left_out", all - written);
}

void write_data(base::JsonWriter& json, const RowOfPage& of, const Site& site) {
    const auto& row = of.row;
    write_text(json, "class", row.object.class_name);
    write_text(json, "name", row.object.name);
    write_text(json, "release", row.release.version);
    write_text(json, "since", row.since);
    json.field("kind", tables::name_of(row.kind));
    write_changes(json, row.notes.changes, tables::count_changes(row.notes).all(), of.page.filter,
                  site);
}

void write_data(base::JsonWriter& json, const tables::Mention& mention, const Site& site) {
    write_text(json, "class", mention.object.class_name);
    write_text(json, "name", mention.object.name);
    json.field("kind", "mention");
    write_mention_fields(json, mention, site);
}

void write_data(base::JsonWriter& json, const ItemOfSource& of, const Site& site) {
    const auto& item = of.item;
    json.field("feed", of.feed.id).field("entry", item.entry).field("revision", item.revision);
    write_text(json, "recorded_at", base::format_rfc3339(item.recorded_at));
    write_changes(json, item.changes, item.changes.size(), {}, site);
}

void write_feed(std::string& text, const DocumentHead& head, const Channel& channel,
                const Neighbours& links, const Site& site) {
    base::JsonWriter json(text);
    json.begin_object().field("version", "https://jsonfeed.org/version/1.1");
    write_text(json, "title", channel_title_of(channel));
    write_text(json, "home_page_url", channel.subject.page_url);
    write_text(json, "feed_url", channel.self_url);
    write_text(json, "description", head.description);
    for (const auto& next : {links.older, links.next})
        if (!next.empty()) write_text(json, "next_url", next);
    write_text(json, "language", language_of(channel, site));
    write_authors(json, {{publisher_of(site), {}}});
    write_hub(json, channel.hub_url);
    json.key("items").begin_array();
    text += '\n';
}

void write_item(std::string& text, const FeedItem& item, const ItemOrigin& origin, const Channel&,
                const Site& site) {
    const bool is_release = std::holds_alternative<std::monostate>(origin);
    base::JsonWriter json(text);
    json.begin_object();
    write_text(json, "id", item.guid);
    write_text(json, "url", item.url);
    write_text(json, "title", item.title);
    if (!item.summary.empty()) write_text(json, "summary", item.summary);
    if (!is_release) {
        json.key("tags").begin_array();
        for (const auto& category : item.categories) json.value(category);
        json.end_array();
    }
    write_text(json, "content_html", item.content);
    json.field("date_published", base::format_rfc3339(item.published));
    write_authors(json, item.authors);
    if (!is_release) {
        json.key("_varve").begin_object();
        // JSON Feed asks an extension to name the page that documents it.
        write_text(json, "about", site.base_url + "/json-feed.txt");
        if (const auto* row = std::get_if<RowOfPage>(&origin))
            write_data(json, *row, site);
        else if (const auto* mention = std::get_if<const tables::Mention*>(&origin))
            write_data(json, **mention, site);
        else
            write_data(json, std::get<ItemOfSource>(origin), site);
        json.end_object();
    }
    json.end_object();
}

}  // namespace

constexpr Shape json_shape{write_feed, write_item, ",\n", "\n]}\n"};

}  // namespace render
