// JSON Feed 1.1. Source: https://www.jsonfeed.org/version/1.1/
// SPDX-License-Identifier: MIT
#include "render/change_json.hpp"
#include "render/display_text.hpp"
#include "render/feed.hpp"

namespace render {
namespace {

// The changes of one item, as JSON: data for programs, which content_html shows to people.
constexpr std::size_t most_change_bytes = 32 << 10;

// ,"key":"text"
void append_field(std::string& json, std::string_view key, std::string_view text) {
    json += ",\"";
    json += key;
    json += "\":";
    append_json_text(json, text);
}

// ,"authors":[{"name":…,"url":…},…]; nothing for none.
void append_authors(std::string& json, const std::vector<Curator>& authors) {
    if (authors.empty()) return;
    json += ",\"authors\":[";
    for (const auto& author : authors) {
        if (&author != &authors.front()) json += ',';
        json += "{\"name\":";
        append_json_text(json, plain_line(author.name));
        if (!author.url.empty()) append_field(json, "url", author.url);
        json += '}';
    }
    json += ']';
}

// "changes":[…], those that the page shows, in their order up to the limits; and how many
// more the row has.
void append_changes(std::string& json, const tables::Row& row, const query::HistoryPage& page,
                    const Site& site) {
    json += ",\"changes\":[";
    const auto from = json.size();
    std::size_t written = 0;
    for (const auto& change : row.notes.changes) {
        if (page.narrowing.is_set() && !page.narrowing.shows(change)) continue;
        if (written == most_changes) break;
        const auto size = json.size();
        if (written > 0) json += ',';
        append_change_json(json, change, site);
        if (json.size() - from > most_change_bytes) {
            json.resize(size);
            break;
        }
        ++written;
    }
    json += ']';
    if (written < row.notes.changes.size())
        json += ",\"left_out\":" + std::to_string(row.notes.changes.size() - written);
}

// What stands behind the title and the content, as data.
void append_varve(std::string& json, const tables::Row& row, const query::HistoryPage& page,
                  const Site& site) {
    json += ",\"_varve\":{\"class\":";
    append_json_text(json, row.object.class_name);
    append_field(json, "name", row.object.name);
    append_field(json, "release", row.release.version);
    append_field(json, "since", row.since);
    append_field(json, "kind", tables::name_of(row.kind));
    append_changes(json, row, page, site);
    json += '}';
}

void append_head(std::string& json, const query::HistoryPage& page, const Channel& channel,
                 const Neighbours& links, const Site& site) {
    json += "{\"version\":\"https://jsonfeed.org/version/1.1\"";
    append_field(json, "title", title_of(channel));
    append_field(json, "home_page_url", channel.subject.page_url);
    append_field(json, "feed_url", channel.self_url);
    append_field(json, "description", description_of(page, channel));
    if (!links.older.empty()) append_field(json, "next_url", links.older);
    append_field(json, "language", site.language);
    append_authors(json, {{publisher_of(site), {}}});
    json += ",\"items\":[\n";
}

void append_item(std::string& json, const tables::Row& row, const query::HistoryPage& page,
                 const Site& site) {
    json += "{\"id\":";
    append_json_text(json, guid_of(row, site.authority));
    append_field(json, "url", page_of(row, site));
    append_field(json, "title", title_of(row));
    append_field(json, "content_html", content_of(row, page, site));
    append_field(json, "date_published", base::format_rfc3339(row.release.released_on));
    append_authors(json, curators_of(row, page, site));
    append_varve(json, row, page, site);
    json += '}';
}

}  // namespace

std::string json_feed(const query::HistoryPage& page, const Channel& channel, const Site& site) {
    const Shape shape{append_head, append_item, ",\n", "\n]}\n"};
    return document_of(shape, page, channel, site);
}

}  // namespace render
