// tables/compared_in.hpp -- in which release objects were compared last: what the tables `warmed`
// and `failed` and pending replacements say besides the rows of objects. All verbs throw
// store::Failure.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tables/objects.hpp"
#include "tables/releases.hpp"

namespace tables {

// Fills in compared_in from what release jobs have prewarmed, and applies to the rows the
// replacements that are in force and not yet moved into place.
//   cost  nothing for rows that were compared in `current` themselves; else a query a class, and
//         for what was not prewarmed in `current` another one that reads a row a release; a query
//         for 64 rows and prewarmed release in which the job could not read an object
void resolve_compared_in(store::Transaction& transaction, std::span<ObjectRow* const> rows,
                         const Release& current, const Releases& releases);

// Returns the releases after `current` in which the class was prewarmed. An object that
// an older build records now was compared in none of them; list_failed() (tables/prewarmed.hpp) must
// say so.
[[nodiscard]] std::vector<Release> prewarmed_after(store::Transaction& transaction,
                                                   const std::string& class_name,
                                                   const Release& current,
                                                   const Releases& releases);

}  // namespace tables
