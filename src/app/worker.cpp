// SPDX-License-Identifier: MIT
#include "app/worker.hpp"

#include <utility>

#include "base/log.hpp"

namespace app {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::minutes look_every{1};

}  // namespace

StoreWatch::StoreWatch(store::Pool& pool, Clock clock)
    : pool_(pool), clock_(std::move(clock)), look_at_(clock_() + look_every) {}

bool StoreWatch::has_moved() {
    const auto now = clock_();
    if (now < look_at_) return false;
    look_at_ = now + look_every;
    try {
        // The connection that wrote last: others may have been opened since, to other files.
        return pool_.lease(store::Access::write)->has_moved();
    } catch (const store::Failure&) {
        return false;  // whoever uses the store says why
    }
}

bool run_until_stopped(const Worker& worker, StopSignals& signals, StoreWatch watch,
                       const Config& config) {
    for (;;) {
        worker.step();
        const auto signal = signals.wait(0ms);
        if (signal) return true;
        if (watch.has_moved()) {
            base::log::error(
                std::string(worker.name) +
                    " stopped: the files of the store were deleted, moved or replaced",
                {{"store", config.store.path.string()}});
            return false;
        }
        if (worker.is_done()) return true;
    }
}

}  // namespace app
