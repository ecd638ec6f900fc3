// JSON Feed 1.1. Source: https://www.jsonfeed.org/version/1.1/
// SPDX-License-Identifier: MIT
#include "render/change_json.hpp"
#include "render/display_text.hpp"
#include "render/feed.hpp"
#include "render/mention.hpp"
#include "render/page.hpp"
#include "render/release_text.hpp"
#include "render/source_feed.hpp"

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

// "_varve": the row as data.
void write_row(base::JsonWriter& json, const tables::Row& row, const query::HistoryPage& page,
               const Site& site) {
    json.key("_varve").begin_object();
    // JSON Feed asks an extension to name the page that documents it.
    write_text(json, "about", site.base_url + "/json-feed.txt");
    write_text(json, "class", row.object.class_name);
    write_text(json, "name", row.object.name);
    write_text(json, "release", row.release.version);
    write_text(json, "since", row.since);
    json.field("kind", tables::name_of(row.kind));
    write_changes(json, row.notes.changes, tables::count_changes(row.notes).all(), page.filter,
                  site);
    json.end_object();
}

// The same of an item of a source feed.
void write_source_row(base::JsonWriter& json, const SourceItem& item, const SourceFeed& feed,
                      const Site& site) {
    json.key("_varve").begin_object();
    write_text(json, "about", site.base_url + "/json-feed.txt");
    json.field("feed", feed.id).field("entry", item.entry).field("revision", item.revision);
    write_text(json, "recorded_at", base::format_rfc3339(item.recorded_at));
    write_changes(json, item.changes, item.changes.size(), {}, site);
    json.end_object();
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

void write_item(std::string& text, const tables::Row& row, const query::HistoryPage& page,
                const Channel&, const Site& site) {
    base::JsonWriter json(text);
    json.begin_object();
    write_text(json, "id", guid_of(row, site.authority));
    write_text(json, "url", item_url_of(row, site));
    write_text(json, "title", title_of(row, page));
    if (const auto summary = summary_of(row, page); !summary.empty())
        write_text(json, "summary", plain_line(summary));
    json.key("tags").begin_array();
    for (const auto& category : categories_of(row)) json.value(category);
    json.end_array();
    write_text(json, "content_html", content_of(row, page, site));
    json.field("date_published", base::format_rfc3339(row.release.released_on));
    write_authors(json, curators_of(row, page, site));
    write_row(json, row, page, site);
    json.end_object();
}

// "_varve": the mention as data.
void write_mention_data(base::JsonWriter& json, const tables::Mention& mention,
                        const Site& site) {
    json.key("_varve").begin_object();
    write_text(json, "about", site.base_url + "/json-feed.txt");
    write_text(json, "class", mention.object.class_name);
    write_text(json, "name", mention.object.name);
    json.field("kind", "mention");
    write_mention_fields(json, mention, site);
    json.end_object();
}

void write_mention(std::string& text, const tables::Mention& mention, const Channel&,
                   const Site& site) {
    base::JsonWriter json(text);
    json.begin_object();
    write_text(json, "id", guid_of(mention, site.authority));
    write_text(json, "url", item_url_of(mention, site));
    write_text(json, "title", title_of(mention));
    json.key("tags").begin_array().value(mention.object.class_name).end_array();
    write_text(json, "content_html", content_of(mention, site));
    json.field("date_published", base::format_rfc3339(mention.first_seen));
    write_authors(json, authors_of(mention, site));
    write_mention_data(json, mention, site);
    json.end_object();
}

void write_release(std::string& text, const query::ListedRelease& release, const Channel&,
                   const Site& site) {
    const auto& [version, released_on] = release.summary.release;
    base::JsonWriter json(text);
    json.begin_object();
    write_text(json, "id", guid_of(release, site));
    write_text(json, "url", release_url(version, site));
    write_text(json, "title", plain_line(title_of(release)));
    write_text(json, "content_html", content_of(release, site));
    json.field("date_published", base::format_rfc3339(released_on));
    json.end_object();
}

void write_source_item(std::string& text, const SourceItem& item, const SourceFeed& feed,
                       const Channel&, const Site& site) {
    base::JsonWriter json(text);
    json.begin_object();
    write_text(json, "id", guid_of(item, feed, site));
    write_text(json, "url", url_of(item, feed, site));
    write_text(json, "title", title_of(item));
    json.key("tags").begin_array();
    for (const auto& category : categories_of(item)) json.value(category);
    json.end_array();
    write_text(json, "content_html", content_of(item, site));
    json.field("date_published", base::format_rfc3339(published_of(item)));
    write_authors(json, authors_of(item));
    write_source_row(json, item, feed, site);
    json.end_object();
}

constexpr Shape json_shape{write_feed,        write_item, write_mention, write_release,
                           write_source_item, ",\n",      "\n]}\n"};

}  // namespace

std::string json_feed(const query::HistoryPage& page, const Channel& channel, const Site& site) {
    return document_of(json_shape, page, channel, site);
}

std::string json_of_releases(const query::ReleaseList& releases, const Channel& channel,
                             const Site& site) {
    return document_of(json_shape, releases, channel, site);
}

std::string json_of_source(const SourceFeed& feed, const Channel& channel, const Site& site) {
    return document_of(json_shape, feed, channel, site);
}

}  // namespace render
