// store/adoption.hpp -- a database of the first system (WormBase 2007-2012) made one of ours.
// Its tables are renamed to first_objects and first_history and kept as they are; what can be
// read is copied. Every step can be run again after a run that was broken off.
// SPDX-License-Identifier: MIT
#pragma once

#include "base/date.hpp"
#include "store/connection.hpp"
#include "store/store.hpp"

namespace store {

// The columns tell whose a table is: ours, the first system's, or somebody else's.
[[nodiscard]] bool is_first_objects(const std::vector<std::string>& columns);
[[nodiscard]] bool is_first_history(const std::vector<std::string>& columns);

// first_objects is there, and not all of it has been copied.
[[nodiscard]] bool adoption_is_unfinished(Connection& connection);

// Renames the first system's tables, if they still have their old names.
//   needs  no table that has the new names already
void set_first_tables_aside(Connection& connection);

// Copies objects and history, all or nothing; counts into `done`.
//   needs   our schema
//   throws  Failure
void adopt(Connection& connection, base::Seconds now, Upgraded& done);

}  // namespace store
