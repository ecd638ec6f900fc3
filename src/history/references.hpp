// history/references.hpp -- what people call the objects that changes name, which of them the release
// created or lost, and what the changes say in a few words.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "base/result.hpp"
#include "history/build_view.hpp"
#include "tables/rows.hpp"

namespace history {

// Fills in notes.references and notes.headline of rows that decide() has made. Safe from any thread.
// What it finds depends on the builds and on whether the index of the one before is kept, but for two
// kinds of objects that are called what the store calls them: those of a running database, which would
// have to be asked for each, and those that are gone.
//   error   unavailable: a look-up in an index failed
//   throws  store::Failure
//   cost    for each of at most 200 objects of a row two look-ups in indexes, and a load if its class
//           has a path in [names] and the label is not cached; a query for 64 that the store knows
[[nodiscard]] base::Result<void> describe(const BuildView& view,
                                          std::span<tables::Row* const> rows);

}  // namespace history
