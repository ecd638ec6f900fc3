// SPDX-License-Identifier: MIT
#include "app/stop_signals.hpp"

#include <pthread.h>

#include <utility>

namespace app {

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
    // An interruption by another signal counts as no signal: the caller's loop waits again.
    const int signal = sigtimedwait(&signals_, nullptr, &limit);
    return signal > 0 ? std::optional(signal) : std::nullopt;
}

StopLimit::StopLimit(std::chrono::milliseconds at_most, std::function<void()> end)
    : thread_([this, at_most, end = std::move(end)](const std::stop_token& stopped) {
          std::unique_lock lock(mutex_);
          stopped_.wait_for(lock, stopped, at_most, [] { return false; });
          if (!stopped.stop_requested()) end();
      }) {}

}  // namespace app
