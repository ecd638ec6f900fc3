// release/stage.hpp -- numbered parts worked off by threads, each part once in the world.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <stop_token>

#include "base/result.hpp"
#include "release/leases.hpp"
#include "release/tally.hpp"

namespace release {

// What a part's work does now and then: keeps its lease, and asks whether to go on. False: stop,
// the part has been given up or is another's now.
using GoOn = std::function<bool()>;

struct Stage {
    LeaseTerms terms;
    std::int64_t parts = 0;
    std::size_t threads = 1;
    // What came of a part; that it was ended early is known to whoever ended it.
    std::function<base::Result<Tally>(std::int64_t part, const GoOn& go_on)> work;
};

// Works off the parts that nobody else does, and waits for those of others.
//   returns  whether all of them are done (false: stopped)
//   error    the first that a part met; a store that fails is unavailable
[[nodiscard]] base::Result<bool> run(store::Pool& pool, const Stage& stage,
                                     const std::stop_token& stop);

}  // namespace release
