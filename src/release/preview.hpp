// release/preview.hpp -- predicts what a release job would record, from the indexes of two builds
// alone: it loads no object and writes nothing. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "release/prewarm.hpp"
#include "source/source.hpp"

namespace release {

// The objects of a class, or those of them that a list names.
struct ClassPreview {
    std::string class_name;
    std::uint64_t same = 0;     // same bytes as before: nothing will be recorded
    std::uint64_t differ = 0;   // will be compared; new timestamps alone record nothing
    std::uint64_t created = 0;  // will be recorded as new
    std::uint64_t gone = 0;     // will be recorded as vanished, where they have a row
    std::uint64_t unknown = 0;  // will be compared: a running database does not say what differs
    [[nodiscard]] std::uint64_t objects() const { return same + differ + created + unknown; }
    bool operator==(const ClassPreview&) const = default;
};

// Returns the classes in the order of their names. Without a previous build every object counts
// as `created`: it is a first sight, and its history is read from its timestamps (rule C4).
//   previous  the kept index of the release before; may be nullptr
//   error     the first that a look-up met
//   cost      a walk over both indexes; for a list, a look-up each
[[nodiscard]] base::Result<std::vector<ClassPreview>> preview(const source::Source& build,
                                                              const source::Source* previous,
                                                              const Selection& what);

}  // namespace release
