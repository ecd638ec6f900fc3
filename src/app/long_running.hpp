// app/long_running.hpp -- commands that run long: how a signal stops them, and how far they are.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "base/result.hpp"
#include "release/job_runner.hpp"
#include "store/pool.hpp"
#include "store/store.hpp"

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

struct Worker {
    std::string_view name;                                 // for the log: "hub"
    std::function<void()> step;                            // takes about half a second at most
    std::function<bool()> is_done = [] { return false; };  // looked at after each step
};
// Calls step() until a signal stops it, it is done, or the files of a SQLite store were deleted, moved or
// replaced: what is written into such files is lost.
//   returns  false: the files are gone, as the log says; the caller must write nothing more
[[nodiscard]] bool run_until_stopped(const Worker& worker, StopSignals& signals,
                                     store::Pool& pool, const store::Url& store);

// Runs a job in another thread, and shows on stderr how far it is: a bar on a terminal, a line a minute elsewhere,
// so that a log stays readable. SIGINT and SIGTERM stop the job, which then
// returns a result that is not finished.
[[nodiscard]] base::Result<release::JobResult> run_with_progress(
    const std::string& what, StopSignals& signals,
    const std::function<base::Result<release::JobResult>(release::Progress&,
                                                         const std::stop_token&)>& job);

}  // namespace app
