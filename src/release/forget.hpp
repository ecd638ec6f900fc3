// release/forget.hpp -- deletes what is recorded of a release, a class or an object, on an
// operator's order. Runs while the site answers requests, in small transactions; not while a
// release job runs.
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

// Counts what forget() would delete. Of releases: their rows, and the objects of which nothing else
// is known.
//   error   absent: nothing of that name is recorded; conflict: a later release is recorded, a release
//           job is running, or the rows of a re-publication are still being moved into their tables
//   throws  store::Failure
//   cost    reads the whole store: some seconds for a million objects
[[nodiscard]] base::Result<tables::Deleted> count_forgettable(store::Pool& pool,
                                                              const Forgettable& what);

struct ForgetJob {
    history::Context context;
    JobOptions options = {};
    // A transaction ends once it has run for this long; its commit takes about as long again.
    std::chrono::milliseconds longest_write{3};
};

// Deletes it, and counts what this run deleted. A job that was stopped, killed or failed goes on
// when it is run again.
//
// A class or an object is deleted with all that belongs to it. Its class no longer counts as
// prewarmed.
//
// A release is deleted as if it had never been recorded: an object whose newest tree was of that
// release goes back to the tree before, and is compared from there on. Without an older tree it is
// deleted or, where rows of other releases remain, is a first sight again from the newest of them
// on. The newest release goes first: the rows of a later one would say what changed since a release
// that nobody knows.
//   error   absent: the release is not recorded; conflict: a later one is; malformed: a stored tree is
//           damaged; unavailable: the store failed
[[nodiscard]] base::Result<JobResult> forget(const ForgetJob& job, const Forgettable& what,
                                             Progress& progress, const std::stop_token& stop);

}  // namespace release
