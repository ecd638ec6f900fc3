// feed/formats.hpp -- the readers of the formats, for read_feed().
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "feed/feed.hpp"

namespace feed {

// Each returns a feed whose entries have neither id nor digest yet.
//   text   legal UTF-8
//   url    of the document
//   error  as read_feed() says

// RSS 0.9x to 2.0 (https://www.rssboard.org/rss-specification), RSS 0.90 and 1.0 (http://web.resource.org/rss/1.0/spec),
// Atom 0.3 and 1.0 (RFC 4287), with the modules Dublin Core, Content, Syndication, iTunes, Media and RFC 5005.
[[nodiscard]] base::Result<Feed> read_xml_feed(std::string_view text, const std::string& url,
                                               const ReadLimits& limits);
// JSON Feed 1.0 and 1.1 (https://www.jsonfeed.org/version/1.1/).
[[nodiscard]] base::Result<Feed> read_json_feed(std::string_view text, const std::string& url,
                                                const ReadLimits& limits);

// Returns the bytes that a text means in base64, up to the first '='; nullopt: it has a character that is neither a digit nor a
// blank.
[[nodiscard]] std::optional<std::string> decoded_base64(std::string_view text);
// Returns the author whom a plain text names: "jane@example.org (Jane Doe)", "Jane Doe <jane@example.org>",
// "Jane Doe, jane@example.org", "Jane Doe".
[[nodiscard]] Author author_in(std::string_view text);
// Returns plain text of what may be HTML, on one line.
[[nodiscard]] std::string plain_of(std::string_view html);
// Adds links to media that a copy of the entry cannot show, unless its content has them. The first one is the link of an
// entry without a link.
struct Medium {
    std::string url, title;  // absolute http(s); as written, may be empty
};
void add_media(Entry& entry, const std::vector<Medium>& media);
// Adds a category unless it is there, or there are 50.
void add_category(std::vector<std::string>& categories, std::string category);

}  // namespace feed
