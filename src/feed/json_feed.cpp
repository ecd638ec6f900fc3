// SPDX-License-Identifier: MIT
#include <algorithm>
#include <charconv>
#include <optional>
#include <simdjson.h>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "feed/date.hpp"
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

void add_author_of(std::vector<Author>& authors, const Json& json, const std::string& base) {
    constexpr std::size_t most = 20;
    Author author{.name = one_line(text_of(json, "name", 1000)), .mail = {}, .url = {}};
    author.url = url_of(json, "url", base);
    if ((author.name.empty() && author.url.empty()) || authors.size() >= most) return;
    if (std::ranges::find(authors, author) == authors.end()) authors.push_back(std::move(author));
}

std::vector<Author> authors_of(const Json& object, const std::string& base) {
    std::vector<Author> authors;
    for (const auto& author : array_of(object, "authors")) add_author_of(authors, author, base);
    Json single;
    if (authors.empty() && object["author"].get(single) == simdjson::SUCCESS)
        add_author_of(authors, single, base);
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
    for (const auto& tag : array_of(item, "tags")) {
        std::string_view text;
        if (tag.get(text) == simdjson::SUCCESS)
            add_category(entry.categories, one_line(base::cut_at(text, 1000)));
    }
    return entry;
}

// Returns the code of "\uXXXX" at the beginning of a text; nullopt: there is none.
std::optional<unsigned> escaped_unit(std::string_view text) {
    unsigned unit = 0;
    if (!text.starts_with("\\u") || text.size() < 6) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data() + 2, text.data() + 6, unit, 16);
    if (error != std::errc() || end != text.data() + 6) return std::nullopt;
    return unit;
}

// Returns JSON with a blank for each control character, and U+FFFD for each half of a surrogate pair: programs that cut
// a title in the middle of an emoji write such halves.
std::string mended_json(std::string_view text) {
    const auto is_between = [](std::optional<unsigned> unit, unsigned least, unsigned most) {
        return unit && *unit >= least && *unit <= most;
    };
    std::string mended;
    mended.reserve(text.size());
    while (!text.empty()) {
        std::size_t taken = text.front() == '\\' ? 2 : 1;
        if (const auto unit = escaped_unit(text); is_between(unit, 0xD800, 0xDFFF)) {
            const bool is_pair = is_between(unit, 0xD800, 0xDBFF) &&
                                 is_between(escaped_unit(text.substr(6)), 0xDC00, 0xDFFF);
            taken = is_pair ? 12 : 6;
            mended += is_pair ? text.substr(0, taken) : "\\ufffd";
        } else if (static_cast<unsigned char>(text.front()) < 0x20) {
            mended += ' ';
        } else {
            mended += text.substr(0, taken);
        }
        text.remove_prefix(std::min(taken, text.size()));
    }
    return mended;
}

}  // namespace

base::Result<Feed> read_json_feed(std::string_view text, const std::string& url,
                                  const ReadLimits& limits) {
    auto parsed = tree::parse_json(text);
    if (!parsed) parsed = tree::parse_json(mended_json(text));
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
