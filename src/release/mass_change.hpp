// release/mass_change.hpp -- finds places that a release changed in most objects of a class, as a
// change of the models does: one remark instead of thirty thousand changes; and the objects of which nothing else
// changed.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compare/tag_paths.hpp"
#include "source/source.hpp"
#include "store/pool.hpp"
#include "tables/mass_changes.hpp"

namespace release {

using tables::MassChange;

struct MassChangeSettings {
    unsigned percent = 50;              // of a class's objects must have changed; 0: never
    std::uint64_t fewest_objects = 20;  // smaller classes have no mass change

    // Returns how many objects of a class may change at a place before that is a mass change.
    //   of  that the class has
    [[nodiscard]] constexpr std::uint64_t most_before(std::uint64_t of) const {
        return percent > 0 && of >= fewest_objects ? of * percent / 100 : UINT64_MAX;
    }
};

// Finds the mass changes among the recorded rows of the build's release, and writes the column `quiet` of these
// rows (tables::Quiet).
//   only     this class; empty: all
//   ranking  with the models of the build: which changes are echoes
//   returns  by class and place; of a class at most 5,000 places are counted, as no model has more
//            Rows that cannot be read are logged and do not count
//   throws   store::Failure
//   cost     reads each changed row of the release, a thousand at a time, and keeps 24 bytes of it and once the places
//            where rows changed together; writes the rows whose column changes
[[nodiscard]] std::vector<MassChange> find_mass_changes(store::Pool& pool,
                                                        const source::Source& build,
                                                        const std::string& only,
                                                        const compare::Ranking& ranking,
                                                        const MassChangeSettings& settings);

}  // namespace release
