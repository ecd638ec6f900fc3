// source/distinct_stamps.hpp -- the stamps of an object, each once. There are few as a rule, but
// an object may have as many as values.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace source {

// Views of what the caller holds.
class DistinctStamps {
   public:
    // An empty one is none.
    void add(std::string_view stamp) {
        if (stamp.empty() || is_recent(stamp)) return;
        if (known_.insert(stamp).second) stamps_.push_back(stamp);
    }
    // In order of first appearance.
    [[nodiscard]] std::vector<std::string_view> take() { return std::move(stamps_); }

   private:
    // Neighbours mostly share a stamp: it is found sooner here than in the set.
    [[nodiscard]] bool is_recent(std::string_view stamp) const {
        constexpr std::size_t most = 8;
        const auto count = static_cast<std::ptrdiff_t>(std::min(most, stamps_.size()));
        const auto end = stamps_.rbegin() + count;
        return std::find(stamps_.rbegin(), end, stamp) != end;
    }

    std::vector<std::string_view> stamps_;
    std::unordered_set<std::string_view> known_;
};

}  // namespace source
