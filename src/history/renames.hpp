// history/renames.hpp -- finds the other name of an object that a release created, or that vanished
// in it (rule C9). Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "history/build_view.hpp"
#include "tables/renames.hpp"

namespace history {

// The objects of a class that may be one under two names: the release created exactly one with this
// content, and the others vanished in it and had the content before.
struct RenameGroup {
    ObjectName created;
    std::string signature;

    struct Vanished {
        std::int64_t oid = 0;
        ObjectName object;
        std::optional<tables::Rename> noted;  // what the table holds of it
    };
    std::vector<Vanished> vanished;

    // True when they are one pair.
    [[nodiscard]] bool is_rename() const { return vanished.size() == 1; }
};

// An object that a release created, or that vanished in it, and its other name (rule C9).
struct RenameCase {
    bool is_gone = false;
    ObjectName object;
    std::string signature;  // of the content that was created or vanished
    std::int64_t oid = 0;   // 0: it has no row yet

    std::shared_ptr<RenameGroup> group;  // nullptr: its content belongs to no group
    // The table holds the object as one that vanished with another content: of this group, which
    // has lost it.
    std::optional<tables::Rename> outdated;
    std::shared_ptr<RenameGroup> left;

    // The other end of the rename; nullopt: it is none.
    [[nodiscard]] std::optional<ObjectName> renamed() const;
};
// Returns nullopt when the object neither vanished nor was created.
[[nodiscard]] std::optional<RenameCase> rename_case(const Before& before, const After& after);

// Fills in the groups. What the objects had before the release decides, whether they have been
// recorded in it or not: so the order of recording makes no difference.
//   rows    are_replaced: a re-publication is computed
//   error   what loading or a look-up in the build met
//   throws  store::Failure
//   cost    a few queries for 64 cases
[[nodiscard]] base::Result<void> find_renames(
    const BuildView& view, std::span<RenameCase* const> cases, const tables::Releases& releases,
    tables::RowsOfRelease rows = tables::RowsOfRelease::count);

// Notes the other name in the row of a release that created the object or lost it.
void note_rename(tables::Row& row, const RenameCase& rename);

// Returns what the table renames holds of an object that vanished; nullopt: nothing.
[[nodiscard]] std::optional<tables::Rename> rename_row(const RenameCase& rename,
                                                       const std::string& version);

// Writes the groups of these cases to the table, in the transaction that has written their rows,
// and mends the rows that were recorded before a group was complete: an older build may have been
// recorded since, and have given one more object the content, or taken it from one.
//   throws  store::Failure; duplicate: somebody else has changed a group since it was read. Roll
//           back and read again
void write_renames(store::Transaction& transaction, const std::string& version,
                   std::span<const RenameCase* const> cases);
// Notes in the groups what write_renames() has written. Call it after the commit.
void renames_are_written(const std::string& version, std::span<const RenameCase* const> cases);

}  // namespace history
