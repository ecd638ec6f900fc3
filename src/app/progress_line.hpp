// app/progress_line.hpp -- shows on stderr how far a long command is: a bar on a terminal, a line a
// minute elsewhere, so that a log stays readable.
// One thread at a time.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "app/stop_signals.hpp"
#include "base/result.hpp"
#include "release/job_runner.hpp"

namespace app {

struct Step {
    std::uint64_t done = 0, all = 0;  // all: 0 while it is not known
    std::chrono::milliseconds since_start{};
};

// "[#####               ]  25.0 %  12,345/s  2 min left". Pure.
[[nodiscard]] std::string bar_of(std::string_view what, const Step& step);

class ProgressLine {
   public:
    explicit ProgressLine(std::string what);
    ~ProgressLine();  // clears the bar
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    // To be called several times a second.
    void show(std::uint64_t done, std::uint64_t all);

   private:
    std::string what_;
    bool is_terminal_;
    std::chrono::steady_clock::time_point start_, shown_;
};

// Runs a job, and shows its progress from another thread. SIGINT and SIGTERM stop the job, which then
// returns a result that is not finished.
[[nodiscard]] base::Result<release::JobResult> run_with_progress(
    const std::string& what, StopSignals& signals,
    const std::function<base::Result<release::JobResult>(release::Progress&,
                                                         const std::stop_token&)>& job);

}  // namespace app
