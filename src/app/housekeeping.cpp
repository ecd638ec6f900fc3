// SPDX-License-Identifier: MIT
#include "app/housekeeping.hpp"

#include <exception>

#include "base/log.hpp"

namespace app {

using namespace std::chrono_literals;

Housekeeping::Housekeeping(Rooms& rooms)
    : rooms_(rooms), thread_([this](const auto& stop) { run(stop); }) {}

Housekeeping::~Housekeeping() {
    stop();
    thread_.join();
    flush_hits();
}

void Housekeeping::wait_for_first_look(std::chrono::seconds at_most) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, at_most, [this] { return looked_; });
}

void Housekeeping::stop() { thread_.request_stop(); }

bool Housekeeping::has_ended() { return ends_within(0ms); }

bool Housekeeping::ends_within(std::chrono::milliseconds at_most) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, at_most, [this] { return ended_; });
}

void Housekeeping::run(const std::stop_token& stop) {
    auto next_flush = std::chrono::steady_clock::now() + 60s;
    while (!stop.stop_requested()) {
        look();
        if (std::chrono::steady_clock::now() >= next_flush) {
            flush_hits();
            next_flush += 60s;
        }
        std::unique_lock lock(mutex_);
        looked_ = true;
        changed_.notify_all();
        changed_.wait_for(lock, stop, 500ms, [] { return false; });
    }
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
}

void Housekeeping::look() const {
    try {
        rooms_.current->look();
    } catch (const std::exception& error) {
        // Whatever a build does to its reader, the one before it is served on.
        base::log::warning("build not judged", {{"error", error.what()}});
    }
}

void Housekeeping::flush_hits() const {
    try {
        rooms_.ledger->flush_hits();
    } catch (const std::exception& error) {
        base::log::warning("hits not written", {{"error", error.what()}});
    }
}

}  // namespace app
