// app/stop_signals.hpp -- SIGTERM, SIGINT, SIGHUP and SIGUSR1 as values that the main thread waits
// for, and how long a stop may take.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace app {

// Blocks these signals in this thread and all threads that it starts, so that no signal interrupts
// a system call of a request. Create it before the first thread and keep it until the end.
class StopSignals {
   public:
    StopSignals();
    ~StopSignals();  // discards pending signals and restores the previous mask
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    // Returns the next signal, or nullopt when none arrived in that time. Meant for the loop of
    // the main thread, which does its housekeeping in between.
    [[nodiscard]] std::optional<int> wait(std::chrono::milliseconds at_most);

   private:
    sigset_t signals_{}, before_{};
};

// Calls `end` in a thread of its own, unless it is destroyed within `at_most`.
class StopLimit {
   public:
    StopLimit(std::chrono::milliseconds at_most, std::function<void()> end);

   private:
    std::mutex mutex_;
    std::condition_variable_any stopped_;
    std::jthread thread_;  // last: it uses the others, and ends first
};

}  // namespace app
