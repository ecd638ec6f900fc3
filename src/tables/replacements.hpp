// tables/replacements.hpp -- the table replacements: what a release that was published again
// makes of objects and their rows. It is written without any effect, put in force for all objects
// at once by one statement on `releases`, and moved into the other tables after that. All verbs
// throw store::Failure.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tables/objects.hpp"
#include "tables/renames.hpp"
#include "tables/rows.hpp"

namespace tables {

struct Replacement {
    std::string version, digest;  // of the build that was published again
    ObjectRow object;             // its oid, and its new signature, label and last_modified
    // The row of the release; nullopt: the release has none of it. The stored row stands as it is
    // when its revision is the same.
    std::optional<Row> row;
    std::optional<std::string> tree;  // packed_tree(); nullopt: the stored one stands
    std::optional<Rename> rename;     // of an object that vanished
};

// Writes them in place of earlier ones of these objects.
void put_replacements(store::Transaction& transaction, std::span<const Replacement> replacements);

// Lays replacements that are in force and not yet moved into place over rows as they were read
// from the table. Of a release later than `current` only the fact that the object was compared
// in it.
//   cost  a query for 64 rows and release that is being replaced
void lay_replacements_over(store::Transaction& transaction, std::span<ObjectRow* const> rows,
                           const Release& current, const Releases& releases);

// Returns the rows that are in force in place of those in the table, or in addition to them.
//   error  malformed: notes that are no notes
//   cost   nothing while no release is being replaced
[[nodiscard]] base::Result<std::vector<Row>> replaced_rows(store::Transaction& transaction,
                                                           const ObjectRow& object,
                                                           const Releases& releases);

// Moves what is in force for an object into the other tables. Readers see no difference.
//   keep   trees of an object, 0: all
//   error  malformed: notes that are no notes
[[nodiscard]] base::Result<void> move_into_place(store::Transaction& transaction,
                                                 std::int64_t oid, std::size_t keep,
                                                 const Releases& releases);

}  // namespace tables
