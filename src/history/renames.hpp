// history/renames.hpp -- finds the other name of an object that a release created, or that vanished
// in it (rule C9). Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>

#include "history/build_view.hpp"
#include "tables/renames.hpp"

namespace history {

// An object that a release created, or that vanished in it, and its other name (rule C9).
struct RenameCase {
    bool is_gone = false;
    ObjectName object;
    std::string signature;  // of the content that came or went

    std::optional<ObjectName> created;  // the only object that was created with this content
    std::optional<ObjectName> renamed;  // the other end of the rename; nullopt: it is none
};
// Returns nullopt when the object neither vanished nor was created.
[[nodiscard]] std::optional<RenameCase> rename_case(const Before& before, const After& after);

// Fills in `created` and `renamed`. What the objects had before the release decides, whether
// they have been recorded in it or not: so the order of recording makes no difference.
//   digest  of a re-publication that is being computed; empty: of recorded rows
//   error   what loading or a look-up in the build met
//   throws  store::Failure
[[nodiscard]] base::Result<void> find_renames(const BuildView& view,
                                              std::span<RenameCase* const> cases,
                                              const std::string& digest);

// Notes the other name in the row of a release that created the object or lost it.
void note_rename(tables::Row& row, const RenameCase& rename);

// Returns what the table renames holds of an object that vanished; nullopt: nothing.
[[nodiscard]] std::optional<tables::Rename> rename_row(const RenameCase& rename,
                                                       const std::string& version,
                                                       std::int64_t oid);

}  // namespace history
