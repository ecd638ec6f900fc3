// feed/read_feed.hpp -- reads the bytes of a foreign feed into a value.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "feed/feed.hpp"

namespace feed {

// Reads a feed: RSS 0.9x, 1.0 and 2.0, Atom 0.3 and 1.0, JSON Feed 1.0 and 1.1. Reads as much as it can of a damaged
// one. Never loads anything: no DTD, and no entity that is external or defined in the document.
//   bytes         of the body, decoded from its Content-Encoding
//   content_type  as the server sent it; may be empty
//   url           that it was fetched from: relative ones are resolved against it, without its query
//   error         malformed, with a text for notes of fetch events: "empty", "html?" (a web page), "no version"
//                 (XML or JSON that is not a feed), "not well-formed: …"
//   cost          O(bytes); 50 MB/s and more
[[nodiscard]] base::Result<Feed> read_feed(std::string_view bytes, std::string_view content_type,
                                           const std::string& url, const ReadLimits& limits = {});

// Returns what URLs have in common that differ in http and https alone: sites move to https.
[[nodiscard]] std::string key_of_url(const std::string& url);

// Sets Entry::id and Entry::digest of all entries, and drops copies: of entries with the same guid, link, title and
// content, the first one stays. The id is
//   - the guid, unless an entry before has it. A guid of three or more entries that are most of those with a guid is
//     that of the feed, and counts for none of them;
//   - else the link, if no other entry of the feed has it and none has it as its guid;
//   - else "md5:" and the MD5 of link, title and the text of the content: another markup is no other entry.
// Guids and links that are URLs are the same with http and https.
void identify(std::vector<Entry>& entries);

}  // namespace feed
