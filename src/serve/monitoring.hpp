// serve/metrics.hpp -- what operators count of requests, and its text for Prometheus.
// Safe from any thread: counters are atomics, without locks.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "serve/desk.hpp"

namespace serve {

// What was asked for, as the label `route` tells it.
enum class Route : unsigned char {
    none,  // no such page, or a request that can't be read
    home,
    feed,
    archive,
    history,
    difference,
    release,
    release_archive,
    opml,
    suggest,
    file,
    old_link,
    health,
    metrics,
};
inline constexpr std::size_t route_count = 14;
[[nodiscard]] std::string_view name_of(Route route);

class Metrics {
   public:
    // A request was answered.
    void count(Route route, int status, std::chrono::steady_clock::duration took);
    // A page was looked for in the cache.
    void count_page(bool kept) { ++(kept ? pages_kept_ : pages_made_); }

    // The rest of what is told, as it stands.
    struct Facts {
        std::optional<history::Release> release;
        bool store_up = false;
        std::optional<history::StoreCounts> counts;  // nullopt: not known (yet)
        Effort effort;
        std::uint64_t cache_bytes = 0;
    };
    // Prometheus text format 0.0.4: requests by route and status, those that never came left
    // out; a histogram of times; the page cache; facts.
    [[nodiscard]] std::string text(const Facts& facts) const;

    // The statuses that are sent; another is counted as the last.
    static constexpr std::array<int, 13> statuses = {200, 226, 301, 304, 400, 401, 404,
                                                     405, 414, 429, 500, 503, 0};
    // Upper ends of the classes of the histogram, in microseconds.
    static constexpr std::array<std::int64_t, 12> ends = {100,     250,     500,       1'000,
                                                          2'500,   5'000,   10'000,    50'000,
                                                          100'000, 500'000, 1'000'000, 5'000'000};

   private:
    using Counter = std::atomic<std::uint64_t>;
    void append_requests(std::string& text) const;
    void append_times(std::string& text) const;

    std::array<std::array<Counter, statuses.size()>, route_count> requests_{};
    std::array<Counter, ends.size() + 1> times_{};  // of each class alone; the last: above all
    Counter microseconds_ = 0;
    Counter pages_kept_ = 0, pages_made_ = 0;
};

}  // namespace serve
