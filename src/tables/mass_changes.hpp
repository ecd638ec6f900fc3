// tables/mass_changes.hpp -- the table mass_changes and the column history.quiet: read for what a feed
// shows, and written by jobs from the rows that they count. All functions throw store::Failure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/pool.hpp"
#include "tables/rows.hpp"

namespace tables {

// A place that a release changed in most objects of a class, as a change of the models does.
struct MassChange {
    std::string version;
    std::string class_name;
    std::string place;          // compare::place_of, never empty
    std::uint64_t objects = 0;  // that changed there
    std::uint64_t of = 0;       // that the class has in that release
    bool operator==(const MassChange&) const = default;
};

// Returns true when any release has any.
[[nodiscard]] bool has_mass_changes(store::Transaction& transaction);

// Returns those of the rows' releases and classes, by class, version and place. What lies in no tag
// (texts, members of a KeySet) is no place of a model and never among them.
//   returns  at most 10,000 of a class; changes at places beyond them are listed one by one
//   cost     one query a class; none when no row can have any
[[nodiscard]] std::vector<MassChange> mass_changes_of(store::Transaction& transaction,
                                                      const std::vector<Row>& rows);
// Returns those of a release, by class and place; at most 10,000.
//   class_name  of this class; empty: of all
[[nodiscard]] std::vector<MassChange> mass_changes_in(store::Transaction& transaction,
                                                      const std::string& version,
                                                      const std::string& class_name = {});

// Why a changed row says nothing of its object alone, as the last job of its release found.
enum class Quiet : unsigned char {
    no,    // it does say something, or no job has ended yet
    mass,  // all of it happened to most objects of the class
    echo   // all else follows from other objects (compare::Rank::echo)
};
// The value of the column `quiet`: "", "mass" or "echo". An unknown one is read as `no`.
[[nodiscard]] std::string_view name_of(Quiet quiet);
[[nodiscard]] Quiet quiet_named(std::string_view name);

struct ChangedRow {
    std::int64_t sid = 0;
    std::string class_name;
    Notes notes;
    Quiet quiet = Quiet::no;
};
struct ChangedRows {
    std::vector<ChangedRow> rows;
    std::optional<ObjectName> last;  // that was looked at; nullopt: there are no more
};
// Returns rows of kind `changed` of a release, behind an object, by class and name; at most `most`, less
// those that cannot be read, which `on_unreadable` gets.
[[nodiscard]] ChangedRows changed_rows(store::Transaction& transaction,
                                       const std::string& version, const ObjectName& after,
                                       std::size_t most, const OnUnreadable& on_unreadable);
// Writes the column `quiet` of rows.
void set_quiet(store::Transaction& transaction, Quiet quiet, std::span<const std::int64_t> sids);
// Makes these the mass changes of a release.
//   class_name  of this class, as all of them are; empty: of all
void replace_mass_changes(store::Transaction& transaction, const std::string& version,
                          const std::string& class_name, std::span<const MassChange> changes);

}  // namespace tables
