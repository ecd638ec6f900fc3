// serve/monitoring.hpp -- what operators watch: counters of requests, /metrics for Prometheus and
// /healthz. This header has the counters; routes.hpp declares the routes.
// Safe from any thread: counters are atomics, without locks.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "base/date.hpp"
#include "harvest/feeds.hpp"
#include "hub/subscriptions.hpp"
#include "query/release_contents.hpp"
#include "serve/routes.hpp"

namespace serve {

class Metrics {
   public:
    // Counts a request that was answered.
    void count(Route route, int status, std::chrono::steady_clock::duration took);
    // Counts a look-up in the page cache.
    void count_page(bool is_hit) { ++(is_hit ? page_hits_ : page_misses_); }

    // Why the configuration that was read last is not in use, for /healthz; empty: it is.
    void note_rejection(std::string reason);
    [[nodiscard]] std::string rejection() const;

    // Values that are not counted here.
    struct Gauges {
        std::optional<base::Release> release;
        bool store_up = false;
        bool store_writable = false;
        bool source_up = false;
        std::optional<query::StoreCounts> store;  // nullopt: unknown
        std::optional<hub::HubNumbers> hub = {};  // nullopt: unknown, or the site has no hub
        std::optional<harvest::HarvestNumbers> harvest =
            {};                          // nullopt: unknown, or there is no source feed
        base::Seconds now{};             // for the ages of what the hub and harvesters have to do
        std::uint64_t computations = 0;  // objects loaded and compared for a request
        std::uint64_t store_retries = 0;  // transactions that were retried
        std::uint64_t cache_bytes = 0;
    };
    // Returns the Prometheus text format 0.0.4: requests by route and status (without those that
    // never occurred), a histogram of their durations, the page cache, and the gauges.
    [[nodiscard]] std::string text(const Gauges& gauges) const;

    // The statuses that Varve sends; any other is counted as the last.
    static constexpr std::array statuses = {200, 202, 301, 302, 304, 400, 401, 404,
                                            405, 413, 414, 415, 429, 500, 503, 0};
    // Upper bounds of the histogram's buckets, in microseconds.
    static constexpr auto bounds =
        std::to_array<std::int64_t>({100, 250, 500, 1'000, 2'500, 5'000, 10'000, 50'000, 100'000,
                                     500'000, 1'000'000, 5'000'000});

   private:
    using Counter = std::atomic<std::uint64_t>;
    void append_requests(std::string& text) const;
    void append_durations(std::string& text) const;

    std::array<std::array<Counter, statuses.size()>, route_count> requests_{};
    std::array<Counter, bounds.size() + 1> durations_{};  // of each bucket alone; the last: above
    Counter microseconds_ = 0;
    Counter page_hits_ = 0, page_misses_ = 0;
    mutable std::mutex mutex_;  // guards what follows
    std::string rejection_;
};

}  // namespace serve
