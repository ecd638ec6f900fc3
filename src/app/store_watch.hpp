// app/store_watch.hpp -- notices that the store of a command that runs for long is no longer where it was.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>

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

}  // namespace app
