// app/worker.hpp -- commands that work in steps until they are stopped: hub and harvest.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>
#include <string_view>

#include "app/config.hpp"
#include "app/stop_signals.hpp"
#include "store/pool.hpp"

namespace app {

// Looks once a minute whether the files of a SQLite store were deleted, moved or replaced. What is written into such
// files is lost.
class StoreWatch {
   public:
    using Clock = std::function<std::chrono::steady_clock::time_point()>;
    // Requires that `pool` outlives it.
    explicit StoreWatch(store::Pool& pool, Clock clock = std::chrono::steady_clock::now);

    // Returns whether they were; false between two looks, and while the store cannot be asked.
    [[nodiscard]] bool has_moved();

   private:
    store::Pool& pool_;
    const Clock clock_;
    std::chrono::steady_clock::time_point look_at_;
};

struct Worker {
    std::string_view name;                                 // for the log: "hub"
    std::function<void()> step;                            // takes about half a second at most
    std::function<bool()> is_done = [] { return false; };  // looked at after each step
};
// Calls step() until a signal stops it, or it is done.
//   returns  false: the files of the store are gone, as the log says; the caller must write nothing more
[[nodiscard]] bool run_until_stopped(const Worker& worker, StopSignals& signals, StoreWatch watch,
                                     const Config& config);

}  // namespace app
