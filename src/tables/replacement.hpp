// tables/replacement.hpp -- the table replacements: what a release that was published again
// makes of objects and their rows. Written beside the tables, in force for all objects at once
// by one statement on `releases`, and moved into place from then on.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tables/tables.hpp"

namespace tables {

struct Replacement {
    std::string version, digest;  // of the build that was published again
    ObjectRow object;             // its oid, signature, label and last_modified are to be
    // The row of the release; none: the release has none of it. One of the same revision as the
    // stored row is that row: it stands as it is.
    std::optional<Row> row;
    std::optional<std::string> tree;  // packed_tree(); none: the stored one stands
};

// Lays it over one that is there.
//   throws  Failure, as all that follow
void put(store::Transaction& transaction, const Replacement& replacement);

// Lays what is in force and not yet in place over a row as it was read from the table. Of a
// release later than `current` only the fact that it was compared there.
//   cost  a query for each release that is being replaced
void lay_replacement_over(store::Transaction& transaction, ObjectRow& row, const Release& current,
                          const Releases& releases);

// Rows that are in force in place of those in the table, or beside them.
//   error  malformed: notes that are no notes
//   cost   nothing while no release is being replaced
[[nodiscard]] base::Result<std::vector<Row>> replaced_rows(store::Transaction& transaction,
                                                           const ObjectRow& object,
                                                           const Releases& releases);

// Moves what is in force for an object into the tables themselves. Readers see no difference.
//   keep   trees of an object, 0: all
//   error  malformed: notes that are no notes
[[nodiscard]] base::Result<void> move_into_place(store::Transaction& transaction,
                                                 std::int64_t oid, std::size_t keep,
                                                 const Releases& releases);

// The objects whose replacement row says that they vanished and `object` is their new name.
[[nodiscard]] std::vector<ObjectName> replaced_into(store::Transaction& transaction,
                                                    const std::string& version,
                                                    const std::string& digest,
                                                    const ObjectName& object);

}  // namespace tables
