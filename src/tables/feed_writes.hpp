// tables/feed_writes.hpp -- how often what our copy of a source feed shows was written: feeds.writes. The harvester
// moves it; the hub sees by it whether the copy that it knows is the current one.
// All functions throw store::Failure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "store/pool.hpp"

namespace tables {

// Keeps others from writing the feed until the transaction ends. Whoever writes entries or the archive of a feed calls it
// first, or locks the row otherwise, so that no two wait for each other.
//   returns  false: there is no such feed
bool lock_feed(store::Transaction& transaction, std::int64_t feed);

// Notes that the copies of these feeds show something else from now on; a feed may be there twice. Called at the end of a
// transaction, because writers of one slot wait for each other from here on.
void move_feed_writes(store::Transaction& transaction, std::vector<std::int64_t> feeds);

// Returns how often any feed was written, removed ones included: while it is the same, that of each feed is.
//   cost  a look at 16 rows at most
[[nodiscard]] std::int64_t all_feed_writes(store::Transaction& transaction);

}  // namespace tables
