// feed/feed.hpp -- a foreign feed as a value, whatever format it was written in.
// Values, pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <bitset>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/date.hpp"
#include "tree/object.hpp"

namespace feed {

enum class Format : unsigned char { rss, rdf, atom, json };

// Texts of a feed are legal UTF-8 (base/utf8). Plain texts have no markup, no control characters, and no leading,
// trailing or doubled blanks. Times that cannot be read or do not exist are absent: never the time of the fetch, and
// never 1970.
struct Author {
    std::string name, mail, url;  // plain; url is absolute; at least one is there
    bool operator==(const Author&) const = default;
};

struct Entry {
    std::string id;     // never empty, and unique in the feed: see identify() in read_feed.hpp
    std::string guid;   // as the feed has it; empty: none
    std::string link;   // absolute http(s) URL; empty: none
    std::string title;  // plain
    std::vector<Author> authors = {};  // those of the feed where it has none of its own
    std::optional<base::Seconds> published = {}, updated = {};
    std::vector<std::string> categories = {};  // plain, each once
    // Untrusted HTML; safe_html() makes it safe to show. A plain text was escaped. The longest of
    // what the entry offers: content, description or summary; if there is none, the description
    // of its images or videos.
    std::string content = {};
    std::string content_base = {};  // absolute; relative URLs in `content` are meant against it
    std::string digest = {};        // MD5 of all of the above but the guid, 32 hex digits
    bool operator==(const Entry&) const = default;
};

// Returns an entry as a tree, so that its versions are compared as those of objects are: tags Title,
// Link, Author, Published, Updated, Category and Content, each with its values; those that the entry
// lacks are left out. Times are dates of AceDB: 2026-11-24_09:15:20.
//   content  the text that a reader sees, plain_text(entry.content): markup alone is no change
[[nodiscard]] std::vector<tree::Node> tree_of(const Entry& entry, std::string content);

// When the feed asks to be fetched.
struct UpdateHints {
    std::optional<std::chrono::minutes> ttl = {};     // RSS 2.0 <ttl>
    std::optional<std::chrono::minutes> period = {};  // sy:updatePeriod / sy:updateFrequency
    std::bitset<24> skip_hours = {};                  // of the day in UTC
    std::bitset<7> skip_days = {};                    // from Sunday
    bool operator==(const UpdateHints&) const = default;
};

struct Feed {
    Format format = Format::rss;
    std::string title = {}, description = {};  // plain
    std::string home_url = {};                 // absolute http(s); empty: none
    std::string language = {};                 // as written, at most 32 bytes
    std::vector<Entry> entries = {};           // in the order of the document
    UpdateHints hints = {};
    std::string prev_archive_url = {};  // RFC 5005 section 4; absolute http(s); empty: none
    bool operator==(const Feed&) const = default;
};

struct ReadLimits {
    std::size_t most_entries = 1000;
    std::size_t most_text = 1 << 20;  // bytes of one text; a longer one is cut at a character
    std::size_t most_depth = 200;     // of elements
};

}  // namespace feed
