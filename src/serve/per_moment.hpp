// serve/per_moment.hpp -- what many pages of one moment show alike, read once for all of them.
// For this room only. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <future>
#include <mutex>
#include <utility>

#include "serve/desk.hpp"
#include "serve/page_cache.hpp"

namespace serve {

template <class T>
class PerMoment {
   public:
    // The value as of `moment`. The first who asks for it makes it, the others wait for what it
    // gave. An error is theirs too, and is not kept.
    //   make  returns Asked<T>; what it throws, all of them get
    template <class Make>
    [[nodiscard]] Asked<T> of(const history::Moment& moment, Make&& make) {
        std::promise<Asked<T>> promise;
        std::shared_future<Asked<T>> outcome;
        std::uint64_t turn = 0;
        {
            const std::lock_guard lock(mutex_);
            if (outcome_.valid() && same_moment(moment_, moment)) {
                outcome = outcome_;
            } else {
                moment_ = moment;
                outcome_ = promise.get_future().share();
                turn = ++turns_;
            }
        }
        if (turn == 0) return outcome.get();
        try {
            Asked<T> made = std::forward<Make>(make)();
            if (!made) forget(turn);
            promise.set_value(made);
            return made;
        } catch (...) {
            forget(turn);
            promise.set_exception(std::current_exception());
            throw;
        }
    }

   private:
    void forget(std::uint64_t turn) {
        const std::lock_guard lock(mutex_);
        if (turns_ == turn) outcome_ = {};
    }

    std::mutex mutex_;  // guards what follows; not held while a value is made
    history::Moment moment_;
    std::shared_future<Asked<T>> outcome_;  // invalid: there is none
    std::uint64_t turns_ = 0;
};

}  // namespace serve
