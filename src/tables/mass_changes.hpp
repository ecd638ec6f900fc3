// tables/mass_changes.hpp -- the table mass_changes, read for what a feed shows.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "store/pool.hpp"
#include "tables/rows.hpp"

namespace tables {

// Whether any release has any.
//   throws  Failure, as what follows
[[nodiscard]] bool has_mass_changes(store::Transaction& transaction);

// Those of the rows' releases and classes, by class, version and place. What lies in no tag
// (texts, members of a KeySet) is no place of a model and never among them.
//   returns  at most 10,000 of a class; changes at places beyond them are listed one by one
//   cost     one query a class; none when no row can have any
[[nodiscard]] std::vector<MassChange> mass_changes_of(store::Transaction& transaction,
                                                      const std::vector<Row>& rows);

}  // namespace tables
