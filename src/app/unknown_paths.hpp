// app/unknown_paths.hpp -- classes, paths and curators of the configuration that a build does not have,
// most likely because they are misspelled.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "app/config.hpp"
#include "base/result.hpp"
#include "source/source.hpp"

namespace app {

struct UnknownPath {
    std::string place;   // "[names] Gene"
    std::string remark;  // what the build lacks, with what was probably meant
    bool operator==(const UnknownPath&) const = default;
};

// Returns what neither the models nor the objects have of [names], [important], [minor], [ignore],
// [successor], [classes], [curators], [authors] and [mentions], classes and people first. Looks at up to 200 objects of a
// class, spread over it, and at about 1,000 in all, and only where the models do not have a path.
// Says nothing of classes that the build skips.
//   error  unavailable: an object cannot be loaded, because the build cannot be reached
//   cost   a walk over the list of objects, if the models lack a path
[[nodiscard]] base::Result<std::vector<UnknownPath>> unknown_paths(const source::Source& build,
                                                                   const Config& config);

}  // namespace app
