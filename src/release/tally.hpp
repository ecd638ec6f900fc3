// release/tally.hpp -- what a release job did, counted. A plain value that can be added up and
// kept as JSON: parts of a job are done by several threads, processes and hosts.
// Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "history/batch.hpp"

namespace release {

using tree::ObjectName;

struct Tally {
    std::uint64_t looked_at = 0;  // the sum of what follows
    std::uint64_t compared = 0;   // had been compared in this release before the job came
    std::uint64_t unchanged = 0, added = 0, changed = 0, vanished = 0, failed = 0;
    std::uint64_t withdrawn = 0;  // rows that a release published again has no change left for
    std::uint64_t bytes = 0;      // that the objects take in the build

    struct Failure {
        ObjectName object;
        std::string reason;
        bool operator==(const Failure&) const = default;
    };
    std::vector<Failure> failures;  // the first most_failures of them

    bool operator==(const Tally&) const = default;

    void note(const history::Brought& brought);
    void note_unchanged() { ++looked_at, ++unchanged; }
    void add(const Tally& other);
};
inline constexpr std::size_t most_failures = 100;

[[nodiscard]] std::string to_json(const Tally& tally);
//   error  malformed
[[nodiscard]] base::Result<Tally> tally_from_json(std::string_view text);

}  // namespace release
