// app/progress_line.hpp -- shows on stderr how far a long command is: a bar on a terminal, a line a
// minute elsewhere, so that a log stays readable.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "app/stop_signals.hpp"
#include "base/result.hpp"
#include "release/job_runner.hpp"

namespace app {

// Runs a job, and shows its progress from another thread. SIGINT and SIGTERM stop the job, which then
// returns a result that is not finished.
[[nodiscard]] base::Result<release::JobResult> run_with_progress(
    const std::string& what, StopSignals& signals,
    const std::function<base::Result<release::JobResult>(release::Progress&,
                                                         const std::stop_token&)>& job);

}  // namespace app
