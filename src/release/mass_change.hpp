// release/mass_change.hpp -- places that a release changed in most objects of a class, as a
// change of the models does: one remark instead of thirty thousand.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/release.hpp"
#include "base/result.hpp"
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

// By class and place: how many objects changed there. Of a class at most most_places, those that
// came first; a model has no more.
using Places = std::map<std::string, std::map<std::string, std::uint64_t>>;
inline constexpr std::size_t most_places = 5000;

// Where the recorded rows of a release say that objects changed, whoever recorded them and when.
//   only    this class; empty: all
//   error   malformed: notes that are no notes
//   throws  Failure
//   cost    a look at each changed row of the release, a thousand at a time
[[nodiscard]] base::Result<Places> places_changed(store::Pool& pool, const std::string& version,
                                                  const std::string& only);

// In the order of class and place. Pure.
[[nodiscard]] std::vector<MassChange> mass_changes_in(
    const Places& changed, const std::vector<source::ClassCount>& classes,
    const MassChangeSettings& settings);

// Written twice they stand once.
//   throws  Failure
void record(store::Transaction& transaction, const base::Release& release,
            const std::vector<MassChange>& changes);

}  // namespace release
