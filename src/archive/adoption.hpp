// archive/adoption.hpp -- prepares a store for this program: creates the schema, upgrades an older
// one, and adopts a database of the first system (WormBase 2007-2012).
// Adoption renames the old tables to first_objects and first_history, keeps them as they are, and
// copies what can be read.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/date.hpp"
#include "base/result.hpp"
#include "store/connection.hpp"

namespace archive {

struct Initialised {
    int from = 0, to = 0;      // numbers of the schema; from 0: there was none
    bool has_adopted = false;  // the database of the first system
    std::size_t adopted_objects = 0, adopted_rows = 0;
    // Old rows that cannot be adopted (no name, no version, above a limit): how many, and for the
    // first 100 which and why. They remain in first_objects and first_history.
    std::size_t left_behind = 0;
    std::vector<std::string> reasons;
};
// Does nothing when the store is up to date, and continues a run that was interrupted.
//   now     becomes recorded_at of adopted rows
//   error   refused: a newer schema than this program's, or tables of another program
//   throws  store::Failure
[[nodiscard]] base::Result<Initialised> initialise(store::Connection& connection,
                                                   base::Seconds now);

}  // namespace archive
