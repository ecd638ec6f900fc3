// SPDX-License-Identifier: MIT
#include "app/store_watch.hpp"

#include <utility>

namespace app {
namespace {

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

}  // namespace app
