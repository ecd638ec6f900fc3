// serve/refreshed_value.hpp -- a value that is loaded again every so often.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/log.hpp"
#include "base/single_flight.hpp"

namespace serve {

// What a store says, which is expensive to load and may be a little old: one caller loads it again when that is due, and
// others take the old value meanwhile. Safe from any thread.
template <class T>
class RefreshedValue {
   public:
    using Time = std::chrono::steady_clock::time_point;
    using Duration = Time::duration;
    using Clock = std::function<Time()>;

    struct Limits {
        // A load begins at most this often, by the first caller who comes when it is due.
        Duration refresh_after;
        // Other callers wait for a running load only when the value that they could take instead
        // is older than this, or absent. By default they never wait.
        Duration wait_after = Duration::max();
        Duration wait_after_failure = Duration::max();  // applies when the last load failed
    };

    struct Reading {
        std::shared_ptr<const T> value;  // nullptr when nothing has been loaded yet
        Duration age{};                  // of the value, counted from the beginning of its load
        bool has_failed = false;         // the last load; `value` is that of an earlier one

        // Returns the value of the last load; nullptr: it failed, or has not ended.
        [[nodiscard]] const T* current() const { return has_failed ? nullptr : value.get(); }
    };

    explicit RefreshedValue(Limits limits, Clock clock)
        : limits_(limits), clock_(std::move(clock)) {}

    // Returns the value, after loading it when that is due and no other thread is doing it.
    //   load  returns optional<T>; without a value, or when it throws, which is logged, the load has failed
    template <class Load>
    [[nodiscard]] Reading get(const Load& load) {
        if (!is_due()) return reading();
        const auto refresh = [&] {
            if (is_due()) refresh_by(load);
            return reading();
        };
        if (const auto fresh = flight_.try_run(0, refresh)) return *fresh;
        return must_wait() ? flight_.run(0, refresh) : reading();
    }

   private:
    [[nodiscard]] bool is_due() const {
        const std::lock_guard lock(mutex_);
        if (!tried_at_) return true;
        const auto now = clock_();
        return now < *tried_at_ || now - *tried_at_ >= limits_.refresh_after;
    }
    [[nodiscard]] bool must_wait() const {
        const auto old = reading();
        const auto limit = old.has_failed ? limits_.wait_after_failure : limits_.wait_after;
        return limit != Duration::max() && (old.value == nullptr || old.age >= limit);
    }
    [[nodiscard]] Reading reading() const {
        const std::lock_guard lock(mutex_);
        return {value_, value_ == nullptr ? Duration{} : clock_() - loaded_at_, has_failed_};
    }

    template <class Load>
    void refresh_by(const Load& load) {
        const auto begun_at = clock_();
        std::shared_ptr<const T> value;
        try {
            if (std::optional<T> loaded = load())
                value = std::make_shared<const T>(std::move(*loaded));
        } catch (const std::exception& failure) {
            base::log::error("cannot reach the store", {{"reason", failure.what()}});
        }
        const std::lock_guard lock(mutex_);
        tried_at_ = begun_at;
        has_failed_ = value == nullptr;
        if (has_failed_) return;
        value_ = std::move(value);
        loaded_at_ = begun_at;
    }

    const Limits limits_;
    const Clock clock_;
    mutable std::mutex mutex_;  // guards what follows; not held while a value is loaded
    std::shared_ptr<const T> value_;
    Time loaded_at_{};              // when the load of value_ began
    std::optional<Time> tried_at_;  // when the last load began that has ended
    bool has_failed_ = false;
    base::SingleFlight<int, Reading> flight_;  // of the one key 0
};

}  // namespace serve
