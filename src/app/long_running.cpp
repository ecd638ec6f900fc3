// SPDX-License-Identifier: MIT
// Before any header with the namespace compare, which would hide a function of fmt.
#include <fmt/format.h>

#include "app/long_running.hpp"

#include <algorithm>
#include <future>
#include <pthread.h>
#include <unistd.h>
#include <utility>

#include "app/print.hpp"
#include "base/log.hpp"

namespace app {
namespace {

bool has_moved(store::Pool& pool) {
    try {
        // The connection that wrote last: others may have been opened since, to other files.
        return pool.lease(store::Access::write)->has_moved();
    } catch (const store::Failure&) {
        return false;  // whoever uses the store says why
    }
}

using namespace std::chrono_literals;
using std::chrono::steady_clock;

std::string words_of(double seconds) {
    if (seconds < 100) return fmt::format("{:.0f} s left", seconds);
    if (seconds < 6000) return fmt::format("{:.0f} min left", seconds / 60);
    return fmt::format("{:.0f} h left", seconds / 3600);
}

// Returns "WS188  [#####               ]  25.0 %  12345/s  2 min left".
//   all  0 while it is not known
std::string bar_of(std::string_view what, double done, double all,
                   std::chrono::duration<double> since_start) {
    const auto rate = since_start.count() > 0 ? done / since_start.count() : 0;
    if (all == 0) return fmt::format("{}  {:.0f}/s", what, rate);
    constexpr double width = 20;
    const auto part = std::min(done / all, 1.0);
    const std::string filled(static_cast<std::size_t>(part * width), '#');
    auto line = fmt::format("{}  [{:<20}] {:5.1f} %  {:.0f}/s", what, filled, part * 100, rate);
    if (rate > 0 && done < all) line += "  " + words_of((all - done) / rate);
    return line;
}

}  // namespace

StopSignals::StopSignals() {
    sigemptyset(&signals_);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals_, signal);
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

bool run_until_stopped(const Worker& worker, StopSignals& signals, store::Pool& pool,
                       const store::Url& store) {
    for (;;) {
        worker.step();
        if (signals.wait(std::chrono::milliseconds(0))) return true;
        if (store.engine == store::Engine::sqlite && has_moved(pool)) {
            base::log::error(
                std::string(worker.name) +
                    " stopped: the files of the store were deleted, moved or replaced",
                {{"store", store.path.string()}});
            return false;
        }
        if (worker.is_done()) return true;
    }
}

base::Result<release::JobResult> run_with_progress(
    const std::string& what, StopSignals& signals,
    const std::function<base::Result<release::JobResult>(release::Progress&,
                                                         const std::stop_token&)>& job) {
    release::Progress progress;
    std::stop_source stop;
    auto result = std::async(std::launch::async, [&] { return job(progress, stop.get_token()); });
    const bool is_terminal = ::isatty(2) == 1;
    const auto start = steady_clock::now();
    auto shown = start;
    while (result.wait_for(100ms) != std::future_status::ready) {
        if (signals.wait(0ms)) stop.request_stop();
        const auto now = steady_clock::now();
        const auto line = bar_of(what, static_cast<double>(progress.done),
                                 static_cast<double>(progress.all), now - start);
        if (is_terminal) {
            tell(fmt::format("\r{}\x1b[K", line));
        } else if (now - shown >= 1min) {
            base::log::warning("progress", {{"job", line}});
            shown = now;
        }
    }
    if (is_terminal) tell("\r\x1b[K");
    return result.get();
}

}  // namespace app
