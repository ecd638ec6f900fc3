// release/job_runner.hpp -- runs a job on threads, processes and hosts together. It has numbered
// parts; a worker claims a part through the table `parts`, works on it, and stores what it counted.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "history/recorder.hpp"
#include "release/leases.hpp"
#include "release/mass_change.hpp"
#include "source/source.hpp"
#include "tables/forgetting.hpp"

namespace release {

using tree::ObjectName;

// What a job did. A plain value that can be added up and stored as JSON.
struct Counters {
    std::uint64_t looked_at = 0;  // the sum of what follows
    std::uint64_t compared = 0;   // a request or an earlier job had compared it with this build
    std::uint64_t unchanged = 0, added = 0, changed = 0, vanished = 0, failed = 0;
    std::uint64_t withdrawn = 0;  // an earlier publication changed them, this one does not
    std::uint64_t bytes = 0;      // size of the objects in the build
    tables::Deleted deleted;      // by forgetting

    struct Failure {
        ObjectName object;
        std::string reason;
        bool operator==(const Failure&) const = default;
    };
    std::vector<Failure> failures;  // the first most_failures of them

    bool operator==(const Counters&) const = default;

    void count(const history::Recorded& brought);
    void count_unchanged() { ++looked_at, ++unchanged; }
    void count_compared() { ++looked_at, ++compared; }
    void add(Counters other);
};
inline constexpr std::size_t most_failures = 100;

// How far a job is. The job writes it, other threads read it while the job runs.
struct Progress {
    std::atomic<std::uint64_t> done = 0, all = 0;  // objects or parts; all: 0 while not known
};

// The work on a part calls this several times a second: it renews the lease of the part.
// Returns false when the work must end, since the job was stopped or the part belongs to another
// worker by now.
using KeepGoing = std::function<bool()>;

struct JobStep {
    std::string task;  // identifies the step to all workers: equal tasks have the same parts
    std::int64_t parts = 0;
    // Works on part 0 … parts - 1, and returns what it counted. Work that is done twice must have
    // the outcome of work done once.
    std::function<base::Result<Counters>(std::int64_t part, const KeepGoing& keep_going)> work;
};

// How many work on a job, and how the work is cut.
struct JobOptions {
    std::size_t threads = 1;
    // For tests.
    std::uint64_t part_objects = 20'000;  // objects of the build, or oids, in a part
    std::size_t batch_objects = 4096;     // objects that are recorded together
    std::chrono::seconds lease{30};
    IsGone is_gone = release::is_gone;
    std::function<std::string(std::size_t number)> worker_name = release::worker_name;
};

// What a job on a release works with.
struct ReleaseJob {
    history::Context context;
    source::Build build;
    source::Build previous;  // the kept index of the release before; may be nullptr
    JobOptions options = {};
    MassChangeSettings mass_change = {};

    [[nodiscard]] const base::Release& release() const { return build->release(); }
    [[nodiscard]] store::Pool& pool() const { return context.pool; }
};

struct JobResult {
    Counters counters;  // of all parts, whoever worked on them
    std::vector<MassChange> mass_changes = {};
    bool finished = false;  // false: stopped before the end
    // The whole release is recorded now, and was not before: one of all processes that worked on it says so.
    bool newly_recorded = false;
};

// Works on the parts of a step that no other worker has claimed, and waits for those of others. A step
// that was stopped, killed or failed goes on with the parts that are not done.
//   returns  whether all parts are done; false: stopped
//   error    the first that the work on a part returned; unavailable: the store failed
[[nodiscard]] base::Result<bool> run_step(store::Pool& pool, const JobOptions& options,
                                          const JobStep& step, const std::stop_token& stop);

// Returns what all workers have counted in the parts of a task that are done.
//   throws  store::Failure
[[nodiscard]] Counters counted(store::Pool& pool, const std::string& task);

// Runs a whole job.
//   returns  what `job` returns; error unavailable, when it throws
// A job runs on a thread of the caller's, which nothing else watches.
template <class Job>
[[nodiscard]] auto run_job(Job&& job) -> decltype(job()) {
    try {
        return job();
    } catch (const store::Failure& failure) {
        return base::fail(base::ErrorKind::unavailable,
                          std::string("the store failed: ") + failure.what());
    } catch (const std::exception& error) {
        return base::fail(base::ErrorKind::unavailable, error.what());
    }
}

}  // namespace release
