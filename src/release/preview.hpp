// release/preview.hpp -- what a release job would find, told by the indexes of two builds alone:
// no object is loaded and nothing is written.
// Pure but for the indexes it reads. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "release/warm.hpp"
#include "source/source.hpp"

namespace release {

// Of a class, or of the objects of a list that are of it.
struct ClassPreview {
    std::string class_name;
    std::uint64_t same = 0;     // bytes as before: nothing is recorded
    std::uint64_t differ = 0;   // looked at; what was only stamped anew records nothing
    std::uint64_t created = 0;  // recorded as new
    std::uint64_t gone = 0;     // recorded as vanished, where they have a row
    [[nodiscard]] std::uint64_t objects() const { return same + differ + created; }
    bool operator==(const ClassPreview&) const = default;
};

// By class, in the order of names. Without a previous build everything is `created`: seen for
// the first time, and its history read from its timestamps.
//   previous  the kept index of the release before; may be nullptr
//   error     what a look-up met
//   cost      a walk over both indexes; for a list, a look-up each
[[nodiscard]] base::Result<std::vector<ClassPreview>> preview(const source::Source& build,
                                                              const source::Source* previous,
                                                              const Selection& what);

}  // namespace release
