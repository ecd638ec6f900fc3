// release/mass_change.hpp -- finds paths that a release changed in most objects of a class, as a
// change of the models does: one remark instead of thirty thousand changes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "source/source.hpp"
#include "store/pool.hpp"
#include "tables/mass_changes.hpp"

namespace release {

using tables::MassChange;

struct MassChangeSettings {
    unsigned percent = 50;              // of a class's objects must have changed; 0: never
    std::uint64_t fewest_objects = 20;  // smaller classes have no mass change
};

// Finds the mass changes among the recorded rows of the build's release, whoever recorded them.
//   only     this class; empty: all
//   returns  by class and path; of a class at most 5,000 paths are looked at, as no model has more
//            Rows that cannot be read are logged and do not count
//   throws   store::Failure
//   cost     reads each changed row of the release, a thousand at a time
[[nodiscard]] std::vector<MassChange> find_mass_changes(store::Pool& pool,
                                                        const source::Source& build,
                                                        const std::string& only,
                                                        const MassChangeSettings& settings);

}  // namespace release
