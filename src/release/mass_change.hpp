// release/mass_change.hpp -- places that a release changed in most objects of a class, as a
// change of the models does: one remark instead of thirty thousand.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/release.hpp"
#include "release/tally.hpp"
#include "source/source.hpp"
#include "store/pool.hpp"

namespace release {

struct MassChangeSettings {
    unsigned percent = 50;              // more than so many of a class's objects; 0: never
    std::uint64_t fewest_objects = 20;  // smaller classes have none
};

struct MassChange {
    std::string class_name;
    std::string place;          // compare::place_of
    std::uint64_t objects = 0;  // that changed there
    std::uint64_t of = 0;       // that the class has in the build
    bool operator==(const MassChange&) const = default;
};

// In the order of class and place. Pure.
[[nodiscard]] std::vector<MassChange> mass_changes_in(
    const Tally& tally, const std::vector<source::ClassCount>& classes,
    const MassChangeSettings& settings);

// Where the recorded rows of a release say that objects changed, whoever recorded them and when:
// only `places` of the tally counts here.
//   only    this class; empty: all
//   error   malformed: notes that are no notes
//   throws  Failure
//   cost    a look at each changed row of the release, a thousand at a time
[[nodiscard]] base::Result<Tally> places_changed(store::Pool& pool, const std::string& version,
                                                 const std::string& only);

// Written twice they stand once.
//   throws  Failure
void record(store::Transaction& transaction, const base::Release& release,
            const std::vector<MassChange>& changes);

}  // namespace release
