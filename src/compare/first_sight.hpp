// compare/first_sight.hpp -- a history read from timestamps alone, for objects of which no
// earlier tree is known (rule C4).
// Pure. Safe from any thread when is_loading is.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "base/release.hpp"
#include "compare/change.hpp"
#include "tree/object.hpp"

namespace compare {

struct Evidence {
    base::Date after;                     // nodes dated later than this day count
    std::vector<base::Release> releases;  // known ones in their order; the last is the current
    std::function<bool(std::string_view stamp)> is_loading;  // a stamp of the build's own
};

// What one release added, by its timestamps.
struct Sighting {
    base::Release release;
    std::vector<Change> changes;  // 1 or more, all added; subtrees of the same release only
    bool operator==(const Sighting&) const = default;
};

// Values and tags without values below, each laid into the first release dated on or after its
// stamp (later than all: the current one). A value is dated by its own stamp, leaf or not; a
// tag by the earliest value below it. Old are: opaque and missing stamps, those is_loading
// names, and days up to `after`. Comments go with the node they stand below.
//   returns  in the order of releases; those without changes are left out; nothing when no
//            release is known
//   cost     O(nodes * log releases)
[[nodiscard]] std::vector<Sighting> read_timestamps(const std::vector<tree::Node>& nodes,
                                                    const Evidence& evidence);

}  // namespace compare
