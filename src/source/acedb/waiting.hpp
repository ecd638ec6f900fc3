// source/waiting.hpp -- waiting for descriptors no longer than was agreed.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

namespace source::acedb {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;

enum class Await { reading, writing };

// True when the descriptor can be read (or is at its end) or written; false when it can't until
// `deadline`. A deadline that has passed: a look.
[[nodiscard]] bool wait_for(int descriptor, Await what, Deadline deadline);

// True when there is something to read now, be it the end.
[[nodiscard]] inline bool is_readable(int descriptor) {
    return wait_for(descriptor, Await::reading, Deadline::min());
}

// What poll(2) takes: milliseconds until then, rounded up, at least 0.
[[nodiscard]] int milliseconds_until(Deadline deadline);

}  // namespace source::acedb
