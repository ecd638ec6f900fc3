// SPDX-License-Identifier: MIT
#include "serve/stop_signals.hpp"

#include <pthread.h>

namespace serve {

StopSignals::StopSignals() {
    sigemptyset(&signals_);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) sigaddset(&signals_, signal);
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
}

StopSignals::~StopSignals() {
    while (wait(std::chrono::milliseconds(0))) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<int> StopSignals::wait(std::chrono::milliseconds at_most) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(at_most);
    const timespec limit{.tv_sec = seconds.count(),
                         .tv_nsec = std::chrono::nanoseconds(at_most - seconds).count()};
    // An interruption by a signal that is none of ours counts as "none came": the caller's loop
    // comes back at once.
    const int signal = sigtimedwait(&signals_, nullptr, &limit);
    return signal > 0 ? std::optional(signal) : std::nullopt;
}

}  // namespace serve
