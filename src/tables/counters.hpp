// tables/counters.hpp -- sums that many processes count in rows of their own: how often something ended in which way
// (rows "count NAME SLOT" of the tables hub_notes and harvest_notes), and how often what our copies of source feeds
// show was written (feeds.writes, and a row "writes SLOT" for all feeds). The harvester writes the latter; the hub sees
// by it whether the copies that it knows are the current ones.
// All functions throw store::Failure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "store/pool.hpp"

namespace tables {

// Returns the one of 16 slots whose rows this process writes again and again. Each process has its
// own: writers on other hosts do not wait for its rows, and do not lose their transactions over them
// in a cluster.
[[nodiscard]] const std::string& slot_of_process();

// Adds to the counters of the process, which write no others.
//   table  hub_notes or harvest_notes
//   slot   slot_of_process()
void count_outcomes(store::Transaction& transaction, const std::string& table,
                    const std::map<std::string, std::int64_t>& outcomes, const std::string& slot);
// Returns the sums over all processes, by name.
[[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> load_outcomes(
    store::Transaction& transaction, const std::string& table);

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
