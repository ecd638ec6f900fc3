// SPDX-License-Identifier: MIT
#include "feed/read_feed.hpp"

#include <unordered_map>
#include <unordered_set>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "feed/charset.hpp"
#include "feed/formats.hpp"
#include "feed/safe_html.hpp"

namespace feed {
namespace {

// Adds a field to a digest so that no two lists of fields give the same bytes.
void add_field(base::Digest& digest, std::string_view text) {
    digest.update(std::to_string(text.size()) + ':');
    digest.update(text);
}

std::string time_text(const std::optional<base::Seconds>& time) {
    return time ? std::to_string(time->time_since_epoch().count()) : std::string();
}

std::string digest_of(base::Digest& digest, const Entry& entry) {
    for (const auto* text :
         {&entry.id, &entry.link, &entry.title, &entry.content, &entry.content_base})
        add_field(digest, *text);
    for (const auto& author : entry.authors)
        add_field(digest, author.name + '\n' + author.mail + '\n' + author.url);
    add_field(digest, time_text(entry.published));
    add_field(digest, time_text(entry.updated));
    for (const auto& category : entry.categories) add_field(digest, category);
    return digest.hex();
}

std::string key_of_fields(base::Digest& digest, const Entry& entry, std::string_view content) {
    add_field(digest, key_of_url(entry.link));
    add_field(digest, entry.title);
    add_field(digest, content);
    return "md5:" + digest.hex();
}

// Returns what readers see of the content, or the HTML of content without text: images.
std::string seen_content(const Entry& entry) {
    auto text = plain_text(entry.content);
    return text.empty() ? entry.content : text;
}

using Counts = std::unordered_map<std::string, std::size_t>;

bool is_only(const Counts& counts, const std::string& key) {
    const auto found = counts.find(key);
    return found != counts.end() && found->second == 1;
}

// Returns the guid of most entries that have one, which says nothing of any of them; empty: there is none.
std::string constant_guid(const Counts& guids) {
    constexpr std::size_t fewest = 3;  // of two entries with one guid, either may be a mistake
    std::size_t all = 0;
    for (const auto& [guid, count] : guids)
        if (!guid.empty()) all += count;
    for (const auto& [guid, count] : guids)
        if (!guid.empty() && count >= fewest && 2 * count > all) return guid;
    return {};
}

// Returns whether entries may have equal ids.
bool set_ids(base::Digest& digest, std::vector<Entry>& entries) {
    Counts guids, links;
    for (const auto& entry : entries) {
        ++guids[key_of_url(entry.guid)];
        ++links[key_of_url(entry.link)];
    }
    std::unordered_set<std::string> taken{"", constant_guid(guids)};
    bool may_be_equal = false;
    for (auto& entry : entries) {
        auto guid = key_of_url(entry.guid), link = key_of_url(entry.link);
        if (taken.insert(guid).second) {
            entry.id = std::move(guid);
        } else if (!link.empty() && is_only(links, link) && !guids.contains(link)) {
            entry.id = std::move(link);
        } else {
            entry.id = key_of_fields(digest, entry, seen_content(entry));
            may_be_equal = true;
        }
    }
    return may_be_equal;
}

// Of entries that are copies of each other, keeps the first one.
void drop_copies(base::Digest& digest, std::vector<Entry>& entries) {
    std::unordered_set<std::string> kept;
    std::erase_if(entries, [&](const Entry& entry) {
        return !kept.insert(key_of_fields(digest, entry, entry.content) + key_of_url(entry.guid))
                    .second;
    });
}

// Of entries with equal ids, keeps the first one. Returns whether there were any.
bool drop_equal(std::vector<Entry>& entries) {
    std::unordered_set<std::string> kept;
    return std::erase_if(entries,
                         [&](const Entry& entry) { return !kept.insert(entry.id).second; }) > 0;
}

bool begins_like_json(std::string_view text) {
    const auto trimmed = base::trim(text);
    return trimmed.starts_with('{') || trimmed.starts_with('[');
}

}  // namespace

std::string key_of_url(const std::string& url) {
    constexpr std::string_view plain = "http://", encrypted = "https://";
    return url.starts_with(encrypted) ? std::string(plain) + url.substr(encrypted.size()) : url;
}

void identify(std::vector<Entry>& entries) {
    base::Digest digest(base::Algorithm::md5);
    drop_copies(digest, entries);
    // A link that only equal entries had in common is the link of one once the others are gone.
    while (set_ids(digest, entries) && drop_equal(entries)) {
    }
    for (auto& entry : entries) entry.digest = digest_of(digest, entry);
}

base::Result<Feed> read_feed(std::string_view bytes, std::string_view content_type,
                             const std::string& url, const ReadLimits& limits) {
    const auto text = decode_text(bytes, content_type);
    if (base::trim(text).empty()) return base::fail(base::ErrorKind::malformed, "empty");
    // "#note" alone would repeat a query, which may be a key.
    const auto base = url.substr(0, url.find('?'));
    auto feed = begins_like_json(text) ? read_json_feed(text, base, limits)
                                       : read_xml_feed(text, base, limits);
    if (feed) identify(feed->entries);
    return feed;
}

}  // namespace feed
