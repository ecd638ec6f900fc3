// serve/stop_signals.hpp -- SIGTERM, SIGINT, SIGHUP and SIGUSR1 as a value that main waits for.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <csignal>
#include <optional>

namespace serve {

// Blocked from here on in this thread and all that it starts, so that no system call of a
// request is cut short: made before the first thread, lives as long as the program.
class StopSignals {
   public:
    StopSignals();
    ~StopSignals();  // blocked signals that still wait are dropped, then as before
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    // The signal that came, or nullopt when none did in that time. For the main thread's loop:
    // housekeeping goes in between.
    [[nodiscard]] std::optional<int> wait(std::chrono::milliseconds at_most);

   private:
    sigset_t signals_{}, before_{};
};

}  // namespace serve
