// harvest/feed_status.hpp -- what operators and monitors see of a source feed: its row, the pause that its server asked
// for, its archive and its last events, as values and as JSON.
// Functions that take a transaction throw store::Failure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "harvest/archives.hpp"
#include "harvest/feeds.hpp"

namespace harvest {

struct FeedStatus {
    FeedRow feed;
    std::optional<base::Seconds> held_until = {};  // its server wants to be left alone
    std::optional<Archive> archive = {};
    std::vector<FetchEvent> events = {};  // newest first
};
// Returns the status of a feed in a list, without archive and events.
[[nodiscard]] FeedStatus status_of(FeedRow feed, const HeldServers& held);
// Returns the status of one feed; nullopt: there is none with this id.
[[nodiscard]] std::optional<FeedStatus> load_status(store::Transaction& transaction,
                                                    std::int64_t feed, std::size_t most_events,
                                                    base::Seconds now, Audience audience);

// Writes the columns of the table under their names, but for validators and claims, and `held_until`. Absent times are "".
void write_feed_fields(base::JsonWriter& json, const FeedStatus& status);
// Writes the members "archive", if there is one, and "events".
void write_detail_fields(base::JsonWriter& json, const FeedStatus& status);

}  // namespace harvest
