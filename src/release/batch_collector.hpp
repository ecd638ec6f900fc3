// release/batch_collector.hpp -- collects names until they make a batch, and has the recorder
// bring each batch up to date. One thread at a time.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "history/recorder.hpp"
#include "release/job_runner.hpp"

namespace release {

// A batch has at most this many objects, and at most this many bytes of the build or one object.
struct BatchLimits {
    std::size_t objects;
    std::uint64_t bytes;
};

class BatchCollector {
   public:
    using Count = std::function<void(Counters&, const history::Recorded&)>;

    // `context`, `build`, `previous` (may be nullptr) and `progress` must outlive the collector.
    BatchCollector(const history::Context& context, const source::Source& build,
                   const source::Source* previous, history::LongestWrite longest_write,
                   BatchLimits limits, Progress& progress)
        : context_(context), build_(build), previous_(previous), longest_write_(longest_write),
          limits_(limits), progress_(progress) {}

    // Counts an object that needs no comparison. Returns false when the part must end.
    bool pass(const KeepGoing& keep_going);
    void count_bytes(std::uint64_t bytes) { counters_.bytes += bytes; }
    void count_unchanged() { counters_.count_unchanged(); }
    void count_compared() { counters_.count_compared(); }
    // Replaces how an outcome is counted.
    void count_with(Count count) { count_ = std::move(count); }

    // Adds an object, and records the batch when it is full. Returns false when the part must
    // end, after an error or since keep_going() says so.
    //   throws  store::Failure
    bool add(ObjectName name, std::uint64_t bytes, const KeepGoing& keep_going);

    // Records the rest.
    //   returns  what came of all objects
    //   error    the first that a batch met
    [[nodiscard]] base::Result<Counters> end(const KeepGoing& keep_going);

   private:
    bool record_batch();

    const history::Context& context_;
    const source::Source& build_;
    const source::Source* previous_;
    history::LongestWrite longest_write_;
    BatchLimits limits_;
    Progress& progress_;
    std::vector<ObjectName> names_;
    std::uint64_t bytes_ = 0, passed_ = 0;
    Count count_ = [](Counters& counters, const history::Recorded& one) { counters.count(one); };
    Counters counters_;
    std::optional<base::Error> error_;
};

}  // namespace release
