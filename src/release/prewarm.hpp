// release/prewarm.hpp -- the release job: brings the objects of a build up to date before anybody
// asks for them, on any number of threads, processes and hosts, while the site answers requests.
// SPDX-License-Identifier: MIT
#pragma once

#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "release/job_runner.hpp"

namespace release {

// Which objects.
struct Everything {};
struct OfClass {
    std::string class_name;  // as the build spells it
};
using Objects = std::vector<ObjectName>;
using Selection = std::variant<Everything, OfClass, Objects>;

// Brings the selection up to date with the build. A job that was stopped, killed or failed goes on
// where it was when it is run again, and the outcome is that of one run.
//   stop    ends the job after the transactions that are running
//   error   unavailable: build or store can't be read or written; conflict: the release is
//           recorded with other content
//   threads one job a process
//   memory  some megabytes a thread, whatever the size of the build
[[nodiscard]] base::Result<JobResult> prewarm(const ReleaseJob& job, const Selection& selection,
                                              Progress& progress, const std::stop_token& stop);

}  // namespace release
