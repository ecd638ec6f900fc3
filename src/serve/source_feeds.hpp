// serve/source_feeds.hpp -- what the harvester recorded of a source feed, as the value that render writes.
// For this room only. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "render/source_feed.hpp"
#include "serve/context.hpp"
#include "serve/http.hpp"

namespace serve {

// Returns the id in feed=; 0: there is none.
[[nodiscard]] std::int64_t source_feed_of(const Query& query);

// The error of a feed that is not known.
[[nodiscard]] HttpError no_source_feed(std::int64_t feed);

// Reads the newest items of our copy of a feed.
//   older   a position, behind which the items are; empty: all
//   most    items
//   error   404
//   throws  store::Failure
[[nodiscard]] Result<render::SourceFeed> load_source_feed(const SiteContext& context,
                                                          std::int64_t feed,
                                                          const std::string& older,
                                                          std::size_t most);

// Notes that somebody asked for our copy: feeds without readers are fetched once a day. It writes to the store at most once a
// day; if it cannot be reached, at the next request.
void note_reader(SiteContext& context, std::int64_t feed);

}  // namespace serve
