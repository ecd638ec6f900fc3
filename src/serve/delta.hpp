// serve/delta.hpp -- the items of a feed that a client does not have yet (RFC 3229, "A-IM: feed").
// A client names the entity tag of the document that it has. Earlier documents of a feed are its
// rows without those of the newest releases, so their tags can be computed again.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/date.hpp"
#include "query/history_page.hpp"
#include "serve/negotiation.hpp"

namespace serve {

// The number of newest releases that are left out, one by one, to find the client's document.
inline constexpr std::size_t most_releases_back = 50;

struct NewerItems {
    query::HistoryPage page;           // with the rows that the client lacks; none: it has all
    std::string entity_tag;            // of the whole document, in the coding identity
    base::Seconds newest_recording{};  // of the whole document
};

// Returns what the client lacks of a feed; nullopt when none of its tags is of an earlier document.
//   page         the rows of the feed, and those of earlier documents: most + most_releases_back
//   most         rows of a document
//   client_tags  the field If-None-Match
//   coding       of the response; earlier documents may have come in any coding
//   tag_of       computes the entity tag of a document from its rows
//   cost         a tag for each earlier document
[[nodiscard]] std::optional<NewerItems> newer_items(
    query::HistoryPage page, std::size_t most, std::string_view client_tags, Coding coding,
    const std::function<std::string(const query::HistoryPage&)>& tag_of);

}  // namespace serve
