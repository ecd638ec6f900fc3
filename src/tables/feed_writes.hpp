// tables/feed_writes.hpp -- how often what our copy of a source feed shows was written: feeds.writes. The harvester
// moves it; page cache and hub see by it whether the copy that they know is the current one. Mentions move the write
// generation (tables/releases.hpp), since pages of objects show them.
// All functions throw store::Failure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "store/pool.hpp"

namespace tables {

// Keeps others from writing the feed until the transaction ends. Whoever writes entries or the archive of a feed calls it
// first, or locks the row otherwise, so that no two wait for each other.
//   returns  false: there is no such feed
bool lock_feed(store::Transaction& transaction, std::int64_t feed);

// Notes that the copies of these feeds show something else from now on. Called at the end of a transaction, because
// writers of one slot wait for each other from here on.
void move_feed_writes(store::Transaction& transaction, std::span<const std::int64_t> feeds);

// What a transaction has written of source feeds.
struct FeedsWritten {
    std::vector<std::int64_t> feeds = {};  // whose copies show something else; may be there twice
    bool objects_differ = false;           // pages of objects show something else
};
// Moves the write generation (tables/releases.hpp) and the writes of the feeds, each where it has to be. Called at the end,
// as move_feed_writes() is.
void note_written(store::Transaction& transaction, FeedsWritten written);

// Returns how often any feed was written, removed ones included: while it is the same, that of each feed is.
//   cost  a look at 16 rows at most
[[nodiscard]] std::int64_t all_feed_writes(store::Transaction& transaction);

}  // namespace tables
