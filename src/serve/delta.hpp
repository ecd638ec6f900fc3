// serve/delta.hpp -- only the items that a reader has not yet (RFC 3229, "A-IM: feed").
// For this room only. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "serve/feed_source.hpp"
#include "serve/http.hpp"
#include "serve/negotiate.hpp"
#include "serve/workings.hpp"

namespace serve {

// So many of the newest releases are looked back over for what the reader has.
inline constexpr std::size_t most_releases_back = 50;

// Whether newer items alone can be had of a feed: where items are numbered by release, its
// earlier states are its rows without those of the newest releases.
[[nodiscard]] bool offers_delta(const FeedQuery& query);

// True when a request asks for them and says what it has.
[[nodiscard]] bool wants_delta(const Request& request);

// 226 with the items that are newer than the state whose tag the request names; the tag is that
// of the whole document, in this coding. 304 when it names that one already. nullopt: the tag is
// of no state that is known here, or the rows can't be had now.
//   vary  as for the whole document
//   cost  a reading of the history, and of each earlier state its tag
[[nodiscard]] std::optional<Response> newer_items(Workings& workings, const Request& request,
                                                  const Asking& asking, Coding coding,
                                                  const std::string& vary);

}  // namespace serve
