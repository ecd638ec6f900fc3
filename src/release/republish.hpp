// release/republish.hpp -- re-publication: computes the rows of a release that was published
// again with other content anew, against the trees of the release before, and shows them to
// readers all at once.
// SPDX-License-Identifier: MIT
#pragma once

#include <stop_token>

#include "base/result.hpp"
#include "release/job_runner.hpp"

namespace release {

// Replaces the rows of the build's release. Until all are computed, readers see the old ones;
// from then on they see the new ones, which the job then moves into the tables. A job that was
// stopped, killed or failed goes on where it was when it is run again with this build; run with
// another build before readers see the new rows, it begins anew.
//   job      build: as it is published again, whole and accepted by all other rules.
//            open_kept is asked for the index of the build that is recorded under this version;
//            without it every object is looked at
//   returns  counters of the objects compared in this release: added had no row in `objects`, in
//            a class that was prewarmed; changed have a new row of the release, or another one
//   error    refused: the release is not recorded, or not the newest, or has another date, or is
//            recorded with this very content; unavailable: build or store can't be read or
//            written
//   threads  one job a process; others may work on the same re-publication
//   memory   some megabytes a thread, and a bit for each object
[[nodiscard]] base::Result<JobResult> republish(const ReleaseJob& job, Progress& progress,
                                                const std::stop_token& stop);

}  // namespace release
