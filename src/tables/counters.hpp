// tables/counters.hpp -- sums that many processes count in rows of their own: how often something ended in which way
// (rows "count NAME SLOT" of the tables hub_notes and harvest_notes), and what the harvester tells the hub.
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

// Makes the hub look at the copies of these feeds, because they show something else from now on.
void mark_copies(store::Transaction& transaction, const std::vector<std::int64_t>& feeds);

}  // namespace tables
