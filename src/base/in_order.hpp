// base/in_order.hpp -- processors, and work that is made on several threads and taken in its order.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace base {

// Returns how many processors there are, at least 1.
[[nodiscard]] inline std::size_t processors() {
    return std::max(1U, std::thread::hardware_concurrency());
}

// Calls make(0) … make(count - 1), several at once, and take(i, what make(i) returned) for each of
// them in turn: in their order, never two at once, on any thread.
//   make    safe from any thread
//   take    returns false to end the work; then what is being made is dropped
//   threads including the caller's, at least 1. With fewer than were asked for, where the system
//           refuses more
//   memory  at most 2 results a thread are made or wait to be taken
//   throws  what make or take threw first
template <class Make, class Take>
void make_in_order(std::size_t threads, std::size_t count, Make&& make, Take&& take) {
    using Made = std::invoke_result_t<Make&, std::size_t>;
    std::mutex mutex;  // guards what follows; held neither by make nor by take
    std::condition_variable taken;
    std::map<std::size_t, Made> waiting;
    std::size_t to_make = 0, to_take = 0;
    bool is_taking = false, is_over = false;
    std::exception_ptr error;

    // Takes what is there, unless another thread does. Requires the lock.
    const auto take_waiting = [&](std::unique_lock<std::mutex>& lock) {
        while (!is_taking && !is_over && !waiting.empty() && waiting.begin()->first == to_take) {
            auto next = waiting.extract(waiting.begin());
            is_taking = true;
            lock.unlock();
            const bool goes_on = take(next.key(), std::move(next.mapped()));
            lock.lock();
            is_taking = false;
            is_over = is_over || !goes_on || ++to_take == count;
            taken.notify_all();
        }
    };
    const auto work = [&] {
        std::unique_lock lock(mutex);
        try {
            for (;;) {
                taken.wait(lock, [&] { return is_over || to_make < to_take + 2 * threads; });
                if (is_over || to_make == count) return;
                const auto i = to_make++;
                lock.unlock();
                auto made = make(i);
                lock.lock();
                waiting.emplace(i, std::move(made));
                take_waiting(lock);
            }
        } catch (...) {
            if (!lock.owns_lock()) lock.lock();
            if (!error) error = std::current_exception();
            is_over = true;
            taken.notify_all();
        }
    };
    if (count == 0) return;
    {
        std::vector<std::jthread> others;
        try {
            for (std::size_t i = 1; i < std::min(threads, count); ++i) others.emplace_back(work);
        } catch (const std::system_error&) {
            // The threads that there are do the work.
        }
        work();
    }
    if (error) std::rethrow_exception(error);
}

}  // namespace base
