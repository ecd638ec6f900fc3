// harvest/claims.hpp -- which harvester fetches which feed, and what it writes of that.
// A harvester claims feeds that are due, each with its base URL, so that nobody else fetches the feed or asks that server
// until the result is written or the claim has ended. All functions throw store::Failure. Times are those of the store's
// clock.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harvest/base_urls.hpp"
#include "harvest/feeds.hpp"

namespace harvest {

// No fetch is put off further: a week of skipped hours, or of a feed that fails, and what comes on top of it.
inline constexpr std::chrono::seconds furthest_fetch = std::chrono::days(9);

struct ClaimedFeed {
    FeedRow feed;
    std::int64_t claim = 0;
    base::Seconds claimed_at{};
    // That is claimed with it: its own, or since a redirect another one.
    std::string base_url = {};
    // Subscriptions in force of our copy, and 1 if somebody asked for it within 30 days.
    std::int64_t readers = 0;
};
// Claims feeds of due_rows(), in their order, and records an event `queued` for each.
//   claim  a number above 0 that no other claim has
[[nodiscard]] std::vector<ClaimedFeed> claim_feeds(store::Transaction& transaction,
                                                   std::span<const DueRow> due,
                                                   std::int64_t claim, base::Seconds now);

// The result of a fetch, as it is to be written.
struct FinishedFetch {
    const ClaimedFeed* claimed = nullptr;
    FeedRow after;  // what the row becomes; its `url` is another one if the feed has moved
    EventKind event = EventKind::fetch_succeeded;
    std::string note;
    std::string outcome;                                // as in HarvestNumbers::outcomes
    std::optional<base::Seconds> hold_base_until = {};  // the server asks for a pause (429)
    bool copy_differs = false;  // entries were recorded: our copy shows something else
};
// Writes the results of fetches, ends their claims, and lets the base URLs be asked again after `spacing`. A fetch whose
// claim has ended meanwhile is left out. A feed that moves to the URL of another feed is disabled.
//   returns  how many were written
std::size_t finish_fetches(store::Transaction& transaction,
                           std::span<const FinishedFetch> fetches, base::Seconds now);

void note_harvester(store::Transaction& transaction, base::Seconds now);

// Deletes events of the next thousand feeds but the newest 100 of each, and base URLs that nobody needs. Makes due what
// is due at a time that no rule explains: it was written before the clock was set back.
void sweep(store::Transaction& transaction, base::Seconds now);

}  // namespace harvest
