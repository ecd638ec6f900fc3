// history/recorded.hpp -- what became of an object that was to be recorded.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <optional>

#include "base/result.hpp"
#include "tables/objects.hpp"

namespace history {

using tree::ObjectName;

enum class Status : unsigned char {
    absent,     // neither in the build nor in the store
    compared,   // was compared in this release already, or in a newer one
    unchanged,  // as in the release it was compared in last, but for what is ignored
    added,      // had no row: first sight, or created
    changed,    // content changed, or came back
    vanished,   // is not in the build any more
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

// An object that cannot be read.
[[nodiscard]] inline Recorded failed(ObjectName object, base::Error error) {
    Recorded result;
    result.object = std::move(object);
    result.status = Status::failed;
    result.error = std::move(error);
    return result;
}

}  // namespace history
