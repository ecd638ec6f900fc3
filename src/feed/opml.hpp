// feed/opml.hpp -- lists of feeds as programs exchange them: OPML 2.0 (http://opml.org/spec2.opml).
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/date.hpp"
#include "base/result.hpp"

namespace feed {

struct ListedFeed {
    std::string url;  // of the feed, as written
    // May be empty. A title that was read is plain and has no marks of direction.
    std::string title = {}, home_url = {};
    bool operator==(const ListedFeed&) const = default;
};

// Reads all outlines that have an xmlUrl, whatever their type and depth, each URL once.
//   error  malformed: no OPML, not well-formed after the usual mistakes were mended, or without an end;
//          too_large: more than 100,000 feeds, or 32 MB
[[nodiscard]] base::Result<std::vector<ListedFeed>> read_opml(std::string_view bytes);

// Writes a list: one outline of type rss for each feed. Marks of direction are left out.
//   modified  when the list changed last; nullopt: nobody knows
[[nodiscard]] std::string write_opml(std::string_view title, std::span<const ListedFeed> feeds,
                                     std::optional<base::Seconds> modified = std::nullopt);

}  // namespace feed
