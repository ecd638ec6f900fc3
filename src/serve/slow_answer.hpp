// serve/slow_answer.hpp -- what is dear to ask, asked for once in a while by one thread.
// For this room only. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include "serve/desk.hpp"

namespace serve {

template <class T>
class SlowAnswer {
   public:
    explicit SlowAnswer(std::chrono::seconds good_for) : good_for_(good_for) {}

    // Nobody waits for another's asking: who comes meanwhile gets what was known before it.
    //   ask      for the value; returns Asked<T>
    //   returns  nullopt: not known yet, or it could not be told when it was asked for last
    template <class Ask>
    [[nodiscard]] std::optional<T> of(Ask&& ask, std::chrono::steady_clock::time_point now) {
        const std::unique_lock turn(turn_, std::try_to_lock);
        if (!turn.owns_lock() || !is_due(now)) return known();
        auto told = std::forward<Ask>(ask)();
        const std::lock_guard lock(mutex_);
        asked_at_ = now;
        known_ = told ? std::optional<T>(std::move(*told)) : std::nullopt;
        return known_;
    }

   private:
    [[nodiscard]] bool is_due(std::chrono::steady_clock::time_point now) const {
        return !asked_at_ || now - *asked_at_ >= good_for_;
    }
    [[nodiscard]] std::optional<T> known() {
        const std::lock_guard lock(mutex_);
        return known_;
    }

    const std::chrono::seconds good_for_;
    std::mutex turn_;  // held while asking; guards asked_at_
    std::optional<std::chrono::steady_clock::time_point> asked_at_;
    std::mutex mutex_;  // guards known_; never held while asking
    std::optional<T> known_;
};

}  // namespace serve
