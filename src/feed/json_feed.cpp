// SPDX-License-Identifier: MIT
#include <algorithm>
#include <simdjson.h>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "feed/date.hpp"
#include "feed/feed_fields.hpp"
#include "feed/formats.hpp"
#include "feed/reference.hpp"
#include "feed/safe_html.hpp"
#include "tree/json.hpp"

namespace feed {
namespace {

using Json = simdjson::dom::element;

// Returns a member that is a text or a number; empty: it is neither.
std::string text_of(const Json& object, std::string_view key, std::size_t most) {
    Json member;
    if (object[key].get(member) != simdjson::SUCCESS) return {};
    std::string_view text;
    if (member.get(text) == simdjson::SUCCESS) return base::legal_text(base::cut_at(text, most));
    // Version 1 of the specification asks readers to take numbers as ids.
    if (member.is_number()) return simdjson::minify(member);
    return {};
}

std::string url_of(const Json& object, std::string_view key, const std::string& base) {
    const auto text = text_of(object, key, 4096);
    return text.empty() ? std::string() : resolve_reference(base, text);
}

std::vector<Json> array_of(const Json& object, std::string_view key) {
    std::vector<Json> values;
    simdjson::dom::array array;
    if (object[key].get(array) == simdjson::SUCCESS)
        for (const auto value : array) values.push_back(value);
    return values;
}

Author author_of(const Json& json, const std::string& base) {
    return {.name = one_line(text_of(json, "name", 1000)),
            .mail = {},
            .url = url_of(json, "url", base)};
}

std::vector<Author> authors_of(const Json& object, const std::string& base) {
    std::vector<Author> authors;
    for (const auto& author : array_of(object, "authors"))
        add_author(authors, author_of(author, base));
    Json single;
    if (authors.empty() && object["author"].get(single) == simdjson::SUCCESS)
        add_author(authors, author_of(single, base));
    return authors;
}

std::string content_of(const Json& item, const ReadLimits& limits) {
    if (auto html = text_of(item, "content_html", limits.most_text); !html.empty()) return html;
    if (const auto text = text_of(item, "content_text", limits.most_text); !text.empty())
        return base::escape_html(text);
    return base::escape_html(text_of(item, "summary", limits.most_text));
}

Entry entry_of(const Json& item, const std::string& url, const ReadLimits& limits) {
    Entry entry;
    constexpr std::size_t longest_guid = 2048;
    if (const auto guid = text_of(item, "id", limits.most_text); guid.size() <= longest_guid)
        entry.guid = base::trim(guid);
    entry.link = url_of(item, "url", url);
    if (entry.link.empty()) entry.link = url_of(item, "external_url", url);
    if (entry.link.empty()) entry.link = resolve_reference("", entry.guid);
    entry.title = one_line(text_of(item, "title", limits.most_text));
    entry.authors = authors_of(item, url);
    entry.published = parse_time(text_of(item, "date_published", 100));
    entry.updated = parse_time(text_of(item, "date_modified", 100));
    entry.content = content_of(item, limits);
    entry.content_base = url;
    std::vector<Medium> media;
    for (const auto& attachment : array_of(item, "attachments"))
        if (auto target = url_of(attachment, "url", url); !target.empty())
            media.push_back({std::move(target), text_of(attachment, "title", 1000)});
    finish_content(entry, media);
    for (const auto& tag : array_of(item, "tags")) {
        std::string_view text;
        if (tag.get(text) == simdjson::SUCCESS)
            add_category(entry.categories, one_line(base::cut_at(text, 1000)));
    }
    return entry;
}

}  // namespace

base::Result<Feed> read_json_feed(std::string_view text, const std::string& url,
                                  const ReadLimits& limits) {
    auto parsed = tree::parse_json(text);
    if (!parsed) {
        std::string blanks(text);  // for control characters
        std::ranges::replace_if(
            blanks, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
        parsed = tree::parse_json(blanks);
    }
    if (!parsed) return base::fail_at("not well-formed", parsed.error());
    const auto& root = parsed->root;
    Json items;
    if (!root.is_object() || root["items"].get(items) != simdjson::SUCCESS || !items.is_array() ||
        text_of(root, "version", 200).empty())
        return base::fail(base::ErrorKind::malformed, "no version");
    Feed feed{.format = Format::json};
    feed.title = one_line(text_of(root, "title", limits.most_text));
    feed.description = one_line(text_of(root, "description", limits.most_text));
    feed.home_url = url_of(root, "home_page_url", url);
    feed.language = text_of(root, "language", 32);
    const auto authors = authors_of(root, url);
    for (const auto& item : array_of(root, "items")) {
        if (!item.is_object()) continue;
        if (feed.entries.size() == limits.most_entries) break;
        feed.entries.push_back(entry_of(item, url, limits));
        if (feed.entries.back().authors.empty()) feed.entries.back().authors = authors;
    }
    return feed;
}

}  // namespace feed
