// SPDX-License-Identifier: MIT
#include "source/acedb/session.hpp"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <poll.h>

namespace source::acedb {

std::string in_seconds(std::chrono::milliseconds time) {
    return fmt::format("{:g} s", std::chrono::duration<double>(time).count());
}

int milliseconds_until(Deadline deadline) {
    using std::chrono::milliseconds;
    const auto now = Clock::now();
    if (deadline <= now) return 0;
    constexpr milliseconds longest = std::chrono::hours(1);  // callers look at the clock again
    return static_cast<int>(
        std::min(std::chrono::ceil<milliseconds>(deadline - now), longest).count());
}

bool wait_for(int descriptor, Await what, Deadline deadline) {
    pollfd waited{descriptor, static_cast<short>(what == Await::reading ? POLLIN : POLLOUT), 0};
    for (;;) {
        const int ready = ::poll(&waited, 1, milliseconds_until(deadline));
        // If poll fails, read or write will report why.
        if (ready > 0 || (ready < 0 && errno != EINTR)) return true;
        if (Clock::now() >= deadline) return false;
    }
}

}  // namespace source::acedb
