// feed/read_feed.hpp -- from the bytes of a foreign feed to a value.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "feed/feed.hpp"

namespace feed {

// Reads a feed: RSS 0.9x, 1.0 and 2.0, Atom 0.3 and 1.0, JSON Feed 1.0 and 1.1. Reads what can be read of one
// that is damaged. Never loads anything: no DTD, no entity that is external or defined in the document.
//   bytes         of the body, decoded from its Content-Encoding
//   content_type  as the server sent it; may be empty
//   url           that it was fetched from: relative ones are meant against it
//   error         malformed, with a text for notes of fetch events: "empty", "html?" (a web page), "no version"
//                 (XML or JSON that is no feed), "not well-formed: …"
//   cost          O(bytes); 50 MB/s and more
[[nodiscard]] base::Result<Feed> read_feed(std::string_view bytes, std::string_view content_type,
                                           const std::string& url, const ReadLimits& limits = {});

// Sets Entry::id and Entry::digest of all entries: the guid; where a guid is missing or several entries
// have it, the link, if only one entry of the feed has it and none has it as its guid; else "md5:" and the MD5 of
// link, title and content.
// Guids that are URLs are the same with http and https. Of entries that are then still equal, the first one stays, and its
// guid or link counts as its own.
void identify(std::vector<Entry>& entries);

}  // namespace feed
