// SPDX-License-Identifier: MIT
// Before everything else: fmt calls a function compare(), which our namespace of that name hides.
#include <fmt/format.h>

#include "app/progress_line.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <pthread.h>
#include <thread>
#include <unistd.h>

#include "app/print.hpp"
#include "base/log.hpp"

namespace app {
namespace {

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

// Shows a bar on a terminal, and a line a minute elsewhere, until the job ends.
void show_progress(const std::string& what, StopSignals& signals,
                   const release::Progress& progress, const std::stop_token& ended,
                   std::stop_source& stop) {
    const bool is_terminal = ::isatty(2) == 1;
    const auto start = steady_clock::now();
    auto shown = start;
    // As soon as the job has ended: a short one takes less time than the wait below.
    const std::stop_callback wake(
        ended, [thread = ::pthread_self()] { ::pthread_kill(thread, SIGUSR1); });
    while (!ended.stop_requested()) {
        if (signals.wait(100ms) && !ended.stop_requested()) stop.request_stop();
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
}

}  // namespace

base::Result<release::JobResult> run_with_progress(
    const std::string& what, StopSignals& signals,
    const std::function<base::Result<release::JobResult>(release::Progress&,
                                                         const std::stop_token&)>& job) {
    release::Progress progress;
    std::stop_source stop;
    const std::jthread watcher([&](const std::stop_token& ended) {
        show_progress(what, signals, progress, ended, stop);
    });
    return job(progress, stop.get_token());
}

}  // namespace app
