// What the W3C feed validator (src/feedvalidator of https://github.com/w3c/feedvalidator) would
// find in an RSS 2.0 or Atom feed, for the elements that Varve writes; errors, warnings and its
// recommendations alike. An element or attribute that is not listed here is a finding too. And
// what a JSON Feed must not be by its own rules (https://www.jsonfeed.org/version/1.1/).
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
    std::string updated;  // as it stands there; JSON Feed: none
    std::vector<ReadItem> items;
    bool complete = false, archive = false;  // fh:complete, fh:archive
    std::string current, older, newer;       // JSON Feed: older is next_url
};
// needs  well-formed bytes; throws std::runtime_error otherwise
[[nodiscard]] ReadFeed read_rss(std::string_view bytes);
[[nodiscard]] ReadFeed read_atom(std::string_view bytes);
[[nodiscard]] ReadFeed read_json(std::string_view bytes);

}  // namespace support
