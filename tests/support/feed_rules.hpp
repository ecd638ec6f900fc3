// The findings of the W3C feed validator (src/feedvalidator of https://github.com/w3c/feedvalidator)
// in an RSS 2.0 or Atom feed, for the elements that Varve writes. An element or attribute that is not listed is a
// finding too. Also the rules of JSON Feed itself (https://www.jsonfeed.org/version/1.1/).
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/date.hpp"

namespace support {

// Return "RULE: where: what" for each finding, RULE being the validator's name of it.
//   url  the address that the bytes came from; empty: not checked (SelfDoesntMatchLocation)
//   now  dates later than this are implausible, and so are those before 1990
[[nodiscard]] std::vector<std::string> findings_in_rss(std::string_view bytes,
                                                       std::string_view url, base::Seconds now);
[[nodiscard]] std::vector<std::string> findings_in_atom(std::string_view bytes,
                                                        std::string_view url, base::Seconds now);
[[nodiscard]] std::vector<std::string> findings_in_json(std::string_view bytes,
                                                        std::string_view url, base::Seconds now);

// One item as a reader sees it.
struct ReadItem {
    std::string title, link, description;
    std::string creator;  // names, joined by ", "
    std::string guid;
    std::string day;  // of its date: "2008-02-15"
    bool operator==(const ReadItem&) const = default;
};
struct ReadFeed {
    std::string title, link, description, self;
    std::string updated;  // as in the feed; JSON Feed has none
    std::vector<ReadItem> items;
    bool complete = false, archive = false;  // fh:complete, fh:archive
    // JSON Feed: older is next_url; of a feed without an archive the link `next`.
    std::string current, older, newer;
};
// needs  well-formed bytes; throws std::runtime_error otherwise
[[nodiscard]] ReadFeed read_rss(std::string_view bytes);
[[nodiscard]] ReadFeed read_atom(std::string_view bytes);
[[nodiscard]] ReadFeed read_json(std::string_view bytes);

// The functions that judge and read each format.
struct FeedFormat {
    const char* format;
    std::vector<std::string> (*findings)(std::string_view, std::string_view, base::Seconds);
    ReadFeed (*read)(std::string_view);
};
inline constexpr std::array<FeedFormat, 3> feed_formats = {
    {{"rss", findings_in_rss, read_rss},
     {"atom", findings_in_atom, read_atom},
     {"json", findings_in_json, read_json}}};

}  // namespace support
