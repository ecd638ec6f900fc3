// harvest/workers.hpp -- what the workers of a harvester share.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <random>

#include "harvest/options.hpp"
#include "store/pool.hpp"

namespace harvest {

// The harvester keeps it longer than its workers live. All belong to one thread.
struct WorkerContext {
    store::Pool& pool;
    const HarvestOptions& options;
    std::mt19937_64 random;

    // Returns a random number of 62 bits for a new claim.
    [[nodiscard]] std::int64_t new_claim() {
        return static_cast<std::int64_t>(random() >> 2U) + 1;
    }
};

// Returns whether a failure means that the store cannot be used at all now.
[[nodiscard]] inline bool is_out_of_reach(const store::Failure& failure) {
    const auto& kind = failure.kind();
    return kind.transient || kind.in_doubt || kind.lost_connection || kind.needs_operator;
}

}  // namespace harvest
