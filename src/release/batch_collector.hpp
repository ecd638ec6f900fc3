// release/gathering.hpp -- names gathered until they are a batch, and brought up to date then.
// One thread at a time.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "history/batch.hpp"
#include "release/stage.hpp"
#include "release/tally.hpp"

namespace release {

// A batch has as many objects or bytes, or is one object.
struct BatchLimits {
    std::size_t objects;
    std::uint64_t bytes;
};

class Gathering {
   public:
    // All outlive it. `done` counts the objects that were dealt with.
    Gathering(const history::Context& desk, const source::Source& build,
              const source::Source* previous, history::BatchSettings settings, BatchLimits limits,
              std::atomic<std::uint64_t>& done)
        : desk_(desk), build_(build), previous_(previous), settings_(std::move(settings)),
          limits_(limits), done_(done) {}

    // Counts an object that needs no look; false: the part ends here.
    bool pass(const GoOn& go_on);
    void count_bytes(std::uint64_t bytes) { tally_.bytes += bytes; }
    void count_unchanged() { tally_.note_unchanged(); }
    // From then on an object that is nowhere counts as failed: whoever named it mistook it.
    void expect_all() { expects_all_ = true; }

    // False: the part ends here, for an error or since it is not to go on.
    //   throws  store::Failure
    bool add(ObjectName name, std::uint64_t bytes, const GoOn& go_on);

    // The rest brought up to date, and what came of all.
    //   error   the first that a batch met
    [[nodiscard]] base::Result<Tally> end(const GoOn& go_on);

   private:
    bool flush();
    [[nodiscard]] history::Brought judged(history::Brought brought) const;

    const history::Context& desk_;
    const source::Source& build_;
    const source::Source* previous_;
    history::BatchSettings settings_;
    BatchLimits limits_;
    std::atomic<std::uint64_t>& done_;
    std::vector<ObjectName> names_;
    std::uint64_t bytes_ = 0, passed_ = 0;
    bool expects_all_ = false;
    Tally tally_;
    std::optional<base::Error> error_;
};

}  // namespace release
