// serve/metrics.hpp -- the counters of requests that operators watch. monitoring.cpp writes them, and has
// the routes of /metrics and /healthz.
// Safe from any thread: counters are atomics, without locks.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

#include "base/date.hpp"
#include "hub/subscriptions.hpp"
#include "serve/routes.hpp"

namespace serve {

class Metrics {
   public:
    // Counts a request that was answered.
    //   status  below 600
    void count(Route route, int status, std::chrono::steady_clock::duration took);
    // Counts a look-up in the page cache.
    void count_page(bool is_hit) { ++(is_hit ? page_hits_ : page_misses_); }

    // Why the configuration that was read last is not in use, for /healthz; empty: it is.
    void note_rejection(std::string reason);
    [[nodiscard]] std::string rejection() const;

    // Returns the Prometheus text format 0.0.4: requests by route and status (without those that
    // never occurred), a histogram of their durations, and the page cache.
    [[nodiscard]] std::string text() const;

    // Upper bounds of the histogram's buckets, in microseconds.
    static constexpr auto bounds =
        std::to_array<std::int64_t>({100, 250, 500, 1'000, 2'500, 5'000, 10'000, 50'000, 100'000,
                                     500'000, 1'000'000, 5'000'000});

   private:
    using Counter = std::atomic<std::uint64_t>;
    std::array<std::array<Counter, 600>, route_count> requests_{};  // by status
    std::array<Counter, bounds.size() + 1> durations_{};  // of each bucket alone; the last: above
    Counter microseconds_ = 0;
    Counter page_hits_ = 0, page_misses_ = 0;
    mutable std::mutex mutex_;  // guards what follows
    std::string rejection_;
};

// Returns the numbers of a hub in the same format.
[[nodiscard]] std::string metrics_of_hub(const hub::HubNumbers& hub, base::Seconds now);

}  // namespace serve
