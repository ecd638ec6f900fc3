// feed/formats.hpp -- the readers of the formats, for read_feed().
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

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

}  // namespace feed
