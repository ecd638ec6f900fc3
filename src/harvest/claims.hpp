// harvest/claims.hpp -- who fetches which feed when: claims of feeds and of base URLs, over all harvesters.
// A harvester claims feeds that are due, each with its base URL, so that nobody else fetches the feed or asks that server
// until it is done or its claim has ended. All functions throw store::Failure. Times are those of the store's clock.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harvest/feeds.hpp"

namespace harvest {

// Lifetime of a claim. A fetch that takes longer records nothing.
inline constexpr std::chrono::seconds fetch_claim{120};
// Between the end of a request to a base URL and the start of the next one, at least.
inline constexpr std::chrono::seconds spacing{1};

// No pause of a server is longer, and no fetch is put off further than the other: a week of skipped hours, or of a feed
// that fails, and what comes on top of it. In theory, feeds that wait for others of their base URL may come later.
inline constexpr std::chrono::seconds longest_pause = std::chrono::days(1),
                                      furthest_fetch = std::chrono::days(9);

struct ClaimedFeed {
    FeedRow feed;
    std::int64_t claim = 0;
    base::Seconds claimed_at{};
    // That is claimed with it: its own, or since a redirect another one.
    std::string base_url = {};
    // Subscriptions in force of our copy, and 1 if somebody asked for it within 30 days.
    std::int64_t readers = 0;
};
struct ClaimTerms {
    std::int64_t claim = 0;  // a number above 0 that no other claim has
    std::size_t most = 0;
};
// Claims feeds that are due, those that wait longest first, at most one of each base URL, and records an event
// `queued` for each. Those whose base URL is busy are put off, each to a second of its own behind those that wait.
[[nodiscard]] std::vector<ClaimedFeed> claim_feeds(store::Transaction& transaction,
                                                   const ClaimTerms& terms, base::Seconds now);
// Returns whether there may be something to claim. Costs an index look-up, and no lock.
[[nodiscard]] bool is_fetch_due(store::Transaction& transaction, base::Seconds now);

// Returns up to when feeds wait for others of their base URL; long ago: none does. Those of a server that asked for a
// pause (429) wait for its end, and do not count.
[[nodiscard]] base::Seconds planned_until(store::Transaction& transaction, base::Seconds now);

// Returns for each claim whether no other harvester has taken its feed over, and keeps others from doing so until the
// transaction ends.
//   cost  a statement for 64 feeds
[[nodiscard]] std::vector<bool> are_ours(store::Transaction& transaction,
                                         std::span<const ClaimedFeed* const> claims);

// The result of a fetch, as it is to be written.
struct FinishedFetch {
    const ClaimedFeed* claimed = nullptr;
    FeedRow after;  // what the row becomes; its `url` is another one if the feed has moved
    EventKind event = EventKind::fetch_succeeded;
    std::string note;
    std::string outcome;                                // as in HarvestNumbers::outcomes
    std::optional<base::Seconds> hold_base_until = {};  // the server asks for a pause (429)
};
// Writes the results of fetches, ends their claims, and lets the base URLs be asked again after `spacing`. A fetch whose
// claim has ended meanwhile is left out. A feed that moves to the URL of another feed is disabled. One that was kicked
// meanwhile is due at once, whatever the result.
//   recorded  feeds of which the transaction has recorded entries: that their copies show something else is noted here
//   returns   how many were written
std::size_t finish_fetches(store::Transaction& transaction,
                           std::span<const FinishedFetch> fetches, base::Seconds now,
                           std::vector<std::int64_t> recorded = {});
// Gives claims back: the feeds are due again at once.
void give_back(store::Transaction& transaction, std::span<const ClaimedFeed* const> claims,
               base::Seconds now);

// Claims a base URL alone, for a page of an archive.
//   returns  false while it is busy or held
[[nodiscard]] bool claim_base_url(store::Transaction& transaction, const std::string& base_url,
                                  std::int64_t claim, base::Seconds now);
//   held_until  the server asks for a pause
void release_base_url(store::Transaction& transaction, const std::string& base_url,
                      std::int64_t claim, base::Seconds now,
                      const std::optional<base::Seconds>& held_until = {});

void note_harvester(store::Transaction& transaction, base::Seconds now);

// Deletes events of the next thousand feeds but the newest 100 of each, and of the next thousand base URLs those that
// nobody needs. Shortens due times that lie too far ahead: they were written before the clock was set back. Logs this.
void sweep(store::Transaction& transaction, base::Seconds now);

}  // namespace harvest
