// compare/first_sight.hpp -- reads a history from timestamps, for objects without a known earlier
// tree (rule C4).
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
    base::Date after;  // only nodes dated later than this day count
    std::vector<base::Release>
        releases;  // known releases in their order; the last is the current one
    std::function<bool(std::string_view stamp)>
        is_loading;  // whether the build itself wrote this timestamp
};

// What one release added, according to its timestamps.
struct Sighting {
    base::Release release;
    std::vector<Change> changes;  // 1 or more, all added; subtrees of the same release only
    bool operator==(const Sighting&) const = default;
};

// Assigns values, and tags without values below them, to the first release dated on or after their
// timestamp; to the current one when all are earlier. The date of a value is its own timestamp, that
// of a tag is the earliest value below it. Opaque and missing timestamps, those of is_loading, and
// days up to `after` count as old. Comments belong to the node above them.
//   returns  sightings with changes, in the order of releases; none when no release is known
//   cost     O(nodes * log releases)
[[nodiscard]] std::vector<Sighting> read_timestamps(const std::vector<tree::Node>& nodes,
                                                    const Evidence& evidence);

}  // namespace compare
