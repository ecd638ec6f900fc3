// history/recorder.hpp -- brings objects up to date with a build: loads them, compares them with
// what is recorded, and records the outcome. A request passes one object, a release job some
// hundred.
// Safe from any thread, in any number of processes: whoever loses a race reads the winner's row.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "history/context.hpp"
#include "tables/objects.hpp"

namespace history {

enum class Status : unsigned char {
    absent,     // neither in the build nor in the store
    compared,   // was compared with this build already, or with a newer one
    unchanged,  // as in the build that it was compared with last, but for what is ignored
    added,      // had no row: first sight, or created
    changed,    // content changed, or came back
    vanished,   // is not in the build any more
    withdrawn,  // an earlier publication of the release changed it, this one does not
    failed,     // could not be read
};

// What became of an object.
struct Recorded {
    ObjectName object;  // as it was asked for
    Status status = Status::absent;
    std::optional<tables::ObjectRow> row;  // as it is recorded now; nullopt: absent or failed
    std::optional<ObjectName> spelling;    // the build's; nullopt: not in the build
    std::optional<base::Error> error;      // failed: why
    bool wrote_history = false;            // rows were written: older pages are out of date
    bool computed = false;                 // the object was loaded, or found to be gone
};

// A transaction that records objects is ended once it has run that long.
struct LongestWrite {
    std::chrono::milliseconds awaited{14};  // another process may be waiting for it
    std::chrono::milliseconds alone{14};    // no other process is
};

// Brings objects up to date with the build (ARCHITECTURE.md, "The life of a request").
//   previous  the kept index of the release before; may be nullptr
//   names     as the build spells them, or as they are recorded
//   returns   what became of each, in the order of names
//   number    of the build, as a job knows it; 0: that which it has or gets
//   error     unavailable: the build cannot be read; conflict: the build has no number and gets none
//             (tables/releases.hpp) or has another one, or a race was lost ten times. What was written
//             until then stays
//   throws    store::Failure
//   memory    the trees of all the objects at once: pass some hundred, or some megabytes
[[nodiscard]] base::Result<std::vector<Recorded>> bring_up_to_date(
    const Context& context, const source::Source& build, const source::Source* previous,
    std::span<const ObjectName> names, LongestWrite longest_write = {}, std::int64_t number = 0);

// Says that a job cannot go on: its release was published again or forgotten since it began.
[[nodiscard]] tl::unexpected<base::Error> overtaken(const Release& release);

}  // namespace history
