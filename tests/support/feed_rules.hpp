// What the W3C feed validator (src/feedvalidator of https://github.com/w3c/feedvalidator) would
// find in an RSS 2.0 feed, for the elements that Varve writes; errors, warnings and its
// recommendations alike. An element or attribute that is not listed here is a finding too.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/date.hpp"

namespace support {

// "RULE: where: what" each, RULE being the validator's name of the finding; empty: none.
//   url  the address that the bytes came from; empty: not checked (SelfDoesntMatchLocation)
//   now  dates later than this are implausible, as those before 1990 are
[[nodiscard]] std::vector<std::string> findings_in_rss(std::string_view bytes,
                                                       std::string_view url, base::Seconds now);

// One item as a reader sees it.
struct ReadItem {
    std::string title, link, description, creator, guid, date;
    bool operator==(const ReadItem&) const = default;
};
struct ReadFeed {
    std::string title, link, description, self, last_build_date;
    std::vector<ReadItem> items;
    bool complete = false;  // fh:complete
};
// needs  well-formed bytes; throws std::runtime_error otherwise
[[nodiscard]] ReadFeed read_rss(std::string_view bytes);

}  // namespace support
