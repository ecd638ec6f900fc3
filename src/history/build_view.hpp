// history/build_view.hpp -- what a build says of an object: its content, what that means for its history, and what the
// build before had of it.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

    // Returns ObjectRow::bytes of the object in the kept index of the release before; nullopt: there is none.
    //   error  what the look-up met
    [[nodiscard]] base::Result<std::optional<std::int64_t>> bytes_before(
        const ObjectName& name) const;

    // Calls history::decide() with the settings, the models and the evidence of the build.
    //   error  what sampling the build (rule C4) met
    [[nodiscard]] base::Result<Outcome> decide(const Before& before, const After& after,
                                               const tables::Releases& releases) const;
};

// Says what people call the objects that changes name, and which of them the release created or lost.
// Fills in notes.references of rows that decide() has made. Safe from any thread.
// What it finds depends on the builds and on whether the index of the one before is kept, but for two
// kinds of objects that are called what the store calls them: those of a running database, which would
// have to be asked for each, and those that are gone.
//   error   unavailable: a look-up in an index failed
//   throws  store::Failure
//   cost    for each of at most 200 objects of a row two look-ups in indexes, and a load if its class
//           has a path in [names] and the label is not cached; a query for 64 that the store knows
[[nodiscard]] base::Result<void> describe(const BuildView& view,
                                          std::span<tables::Row* const> rows);

// Of about 1,000 objects spread over a build, those that are not recorded and not new.
struct FirstSightSample {
    std::size_t objects = 0;
    std::size_t reported = 0;  // objects that would get rows
    // In how many of these each user's timestamps are, most first.
    std::vector<std::pair<std::string, std::size_t>> users;
};

// Predicts how much the first sight of a build would report (rule C4): so much that its timestamps
// hardly come from curators? Writes nothing.
//   error   unavailable: an object cannot be loaded, because the build cannot be reached
//   throws  store::Failure
//   cost    a query for 64 objects; loads those that are not recorded
[[nodiscard]] base::Result<FirstSightSample> sample_first_sight(const BuildView& view);

}  // namespace history
