// release/forget.hpp -- deletes what is recorded of releases, a class or an object, on an
// operator's order. Runs while the site answers requests, in small transactions.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <variant>

#include "base/result.hpp"
#include "release/job_runner.hpp"
#include "tables/forgetting.hpp"

namespace release {

struct WholeRelease {
    std::string version;
    bool with_later = false;  // and all releases after it
};
struct WholeClass {
    std::string class_name;  // as it is recorded
};
using Forgettable = std::variant<WholeRelease, WholeClass, ObjectName>;

// Counts what forget() would delete. Of releases: their rows and trees, and the objects of which
// nothing else is known.
//   error   absent: nothing of that name is recorded; conflict: a later release is recorded, an
//           earlier one is being forgotten, no tree is kept of what an object had before
//           (Settings::keep_trees), or a release job would record the class or the object again
//   throws  store::Failure
//   cost    reads rows and trees without their contents: some seconds for a million objects
[[nodiscard]] base::Result<tables::Deleted> count_forgettable(store::Pool& pool,
                                                              const Forgettable& what);

struct ForgetJob {
    history::Context context;
    // A transaction ends once it has run for this long; its commit takes about as long again.
    std::chrono::milliseconds longest_write{3};
};

// Deletes it, and counts what this run deleted. A job that was stopped, killed or failed goes on
// when it is run again. Several may run at once.
//
// A class or an object is deleted with all that belongs to it.
//
// A release is deleted as if it had never been recorded, with all later ones: their rows would say
// what changed since a release that nobody knows. An object goes back to its newest tree of an
// earlier release, and is compared from there on. One that was seen first in these releases is deleted. Until the job has ended, no build gets a number, and
// jobs that record one of the releases fail.
//   error   as of count_forgettable(); malformed: a stored tree is damaged; unavailable: the store failed
[[nodiscard]] base::Result<JobResult> forget(const ForgetJob& job, const Forgettable& what,
                                             Progress& progress, const std::stop_token& stop);

}  // namespace release
