// tables/outcomes.hpp -- how often something ended in which way, counted by all processes: rows "count NAME SLOT" of
// the tables hub_notes and harvest_notes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "store/pool.hpp"

namespace tables {

// Adds to the counters of the process, which write no others.
//   table  hub_notes or harvest_notes
//   slot   slot_of_process()
void count_outcomes(store::Transaction& transaction, const std::string& table,
                    const std::map<std::string, std::int64_t>& outcomes, const std::string& slot);
// Returns the sums over all processes, by name.
[[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> load_outcomes(
    store::Transaction& transaction, const std::string& table);

}  // namespace tables
