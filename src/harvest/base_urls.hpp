// harvest/base_urls.hpp -- the table base_urls: which servers are being asked, and when they may be asked again; and the
// queues whose rows are claimed together with their base URL.
// A base URL (scheme, host and port) is claimed for each request, so that no two requests go to it at a time, over all
// harvesters, and each starts at least `spacing` after the one before it has ended. A harvester that dies leaves claims
// that end by themselves.
// All functions throw store::Failure. Times are those of the store's clock. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/date.hpp"
#include "store/claim.hpp"

namespace harvest {

// Between the end of a request to a base URL and the start of the next one, at least.
inline constexpr std::chrono::seconds spacing{1};
// No server is left alone for longer because it asks for a pause.
inline constexpr std::chrono::seconds longest_pause = std::chrono::days(1);

// Claims a base URL.
//   claim    a number above 0 that no other claim has; it ends after store::claim_lasts
//   returns  false while it is claimed, or too soon after a request, or its server wants a pause
[[nodiscard]] bool claim_base_url(store::Transaction& transaction, const std::string& base_url,
                                  std::int64_t claim, base::Seconds now);
// Ends the claim, if it has not ended by itself.
//   held_until  the server asks for a pause
void release_base_url(store::Transaction& transaction, const std::string& base_url,
                      std::int64_t claim, base::Seconds now,
                      const std::optional<base::Seconds>& held_until = {});

// Until when servers want to be left alone (429), by base URL: those alone that want it now.
using HeldServers = std::map<std::string, base::Seconds>;
[[nodiscard]] HeldServers held_servers(store::Transaction& transaction, base::Seconds now);

// Deletes base URLs that nobody has needed for two days, and those with times that no rule explains: the clock of the
// store was ahead when they were written. At most a thousand at a time.
//   cost  looks at all of them
void delete_unneeded_base_urls(store::Transaction& transaction, base::Seconds now);

// ---- Queues ----

// A queue whose rows have a column base_url, too.
struct UrlQueue {
    store::Queue rows;
    std::string_view condition = {};  // that rows `q` meet besides: " AND …"
};
inline constexpr UrlQueue feed_queue{{"feeds", "next_fetch_attempt"}},
    archive_queue{{"archives", "next_attempt", "feed"},
                  " AND EXISTS (SELECT 1 FROM feeds f WHERE f.id = q.feed AND f.system_enabled = "
                  "1)"};

struct DueRow {
    store::QueuedRow row;
    std::string base_url;
};
// Returns rows that are due and whose base URL is free, those that wait longest first, at most one of each base URL.
//   cost  looks at all rows that wait for their base URL, too
[[nodiscard]] std::vector<DueRow> due_rows(store::Transaction& transaction, const UrlQueue& queue,
                                           std::size_t most, base::Seconds now);
// Claims them with their base URLs. Returns those of which nobody was faster, in their order.
[[nodiscard]] std::vector<DueRow> claim_rows(store::Transaction& transaction,
                                             const UrlQueue& queue, std::span<const DueRow> due,
                                             std::int64_t claim, base::Seconds now);
// Returns whether a row is due then, or waits for its base URL. Rows whose server wants a pause do not count.
[[nodiscard]] bool is_any_due(store::Transaction& transaction, const UrlQueue& queue,
                              base::Seconds then, base::Seconds now);

// How many rows could be claimed now, and since when the first of them could.
struct Waiting {
    std::uint64_t rows = 0;
    std::optional<base::Seconds> since = {};
};
[[nodiscard]] Waiting waiting_rows(store::Transaction& transaction, const UrlQueue& queue,
                                   base::Seconds now);

}  // namespace harvest
