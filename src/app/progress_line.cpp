// SPDX-License-Identifier: MIT
// Before everything else: fmt calls a function compare(), which our namespace of that name hides.
#include <fmt/format.h>

#include "app/progress_line.hpp"

#include <algorithm>
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

std::string words_of(std::chrono::seconds left) {
    if (left < 100s) return fmt::format("{} s left", left.count());
    if (left < 100min) return fmt::format("{} min left", left.count() / 60);
    return fmt::format("{} h left", left.count() / 3600);
}

}  // namespace

std::string bar_of(std::string_view what, const Step& step) {
    constexpr double width = 20;
    const auto done = static_cast<double>(step.done);
    const auto seconds = static_cast<double>(step.since_start.count()) / 1000;
    const auto rate = seconds > 0 ? done / seconds : 0;
    if (step.all == 0) return fmt::format("{}  {:.0f}/s", what, rate);
    const auto part = std::min(done / static_cast<double>(step.all), 1.0);
    const auto filled = static_cast<std::size_t>(part * width);
    auto line = fmt::format("{}  [{:<20}] {:5.1f} %  {:.0f}/s", what, std::string(filled, '#'),
                            part * 100, rate);
    if (rate > 0 && step.done < step.all)
        line += "  " + words_of(std::chrono::seconds(static_cast<std::int64_t>(
                           static_cast<double>(step.all - step.done) / rate)));
    return line;
}

ProgressLine::ProgressLine(std::string what)
    : what_(std::move(what)), is_terminal_(::isatty(2) == 1), start_(steady_clock::now()),
      shown_(start_) {}

ProgressLine::~ProgressLine() {
    if (is_terminal_) tell("\r\x1b[K");
}

void ProgressLine::show(std::uint64_t done, std::uint64_t all) {
    const auto now = steady_clock::now();
    const auto line = bar_of(
        what_, {done, all, std::chrono::duration_cast<std::chrono::milliseconds>(now - start_)});
    if (is_terminal_) {
        tell(fmt::format("\r{}\x1b[K", line));
    } else if (now - shown_ >= 1min) {
        base::log::warning("progress", {{"job", line}});
        shown_ = now;
    }
}

base::Result<release::JobResult> run_with_progress(
    const std::string& what, StopSignals& signals,
    const std::function<base::Result<release::JobResult>(release::Progress&,
                                                         const std::stop_token&)>& job) {
    release::Progress progress;
    ProgressLine line(what);
    std::stop_source stop;
    const std::jthread watcher([&](const std::stop_token& ended) {
        // As soon as the job has ended: a short one takes less time than the wait below.
        const std::stop_callback wake(
            ended, [thread = ::pthread_self()] { ::pthread_kill(thread, SIGUSR1); });
        while (!ended.stop_requested()) {
            if (signals.wait(100ms) && !ended.stop_requested()) stop.request_stop();
            line.show(progress.done, progress.all);
        }
    });
    return job(progress, stop.get_token());
}

}  // namespace app
