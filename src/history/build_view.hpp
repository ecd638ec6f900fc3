// history/build_view.hpp -- what a build says of an object, for a recording and for a re-publication:
// its content, what that means for its history, and whether the build before lacks it.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "history/context.hpp"
#include "tables/rows.hpp"

namespace history {

// The caller keeps all that it refers to alive.
struct BuildView {
    const Context& context;
    const source::Source& build;
    const source::Source* previous;  // the kept index of the release before; nullptr: none

    [[nodiscard]] const Release& current() const { return build.release(); }

    // Loads the object; without a spelling it is not in the build.
    //   error  what loading met
    [[nodiscard]] base::Result<After> load(const std::optional<ObjectName>& spelling,
                                           const ObjectName& recorded) const;

    // Returns the release of the kept index if that lacks this object of the build, else an empty
    // text.
    //   error  what the look-up met
    [[nodiscard]] base::Result<std::string> absent_from(const ObjectName& spelling) const;

    // Calls history::decide() with the settings, the models and the evidence of the build, and fills in
    // what renames are found by (tables::Row::content).
    //   error  what sampling the build (rule C4) or a look-up in an index met
    [[nodiscard]] base::Result<Outcome> decide(const Before& before, const After& after,
                                               const tables::Releases& releases) const;

   private:
    // Returns tables::Row::content.
    [[nodiscard]] base::Result<std::string> content_of(const tables::Row& row,
                                                       const Before& before,
                                                       const After& after) const;
    [[nodiscard]] base::Result<compare::Evidence> evidence_for(
        const Before& before, const tables::Releases& releases) const;
    [[nodiscard]] bool is_of_the_build(std::string_view timestamp) const;
};

// Says what people call the objects that changes name, which of them the release created or lost, and
// what the changes say in a few words (references.cpp).
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
