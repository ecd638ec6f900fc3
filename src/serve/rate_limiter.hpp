// serve/rate_limiter.hpp -- limits how often one client may send requests: a token bucket for each
// address.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace serve {

// A clock that tests can stop.
using SteadyClock = std::function<std::chrono::steady_clock::time_point()>;

struct RateLimits {
    double per_minute = 0;             // requests that a client may make on average; 0: unlimited
    double burst = 60;                 // requests that it may make at once, 1 or more
    std::size_t most_clients = 65536;  // remembered; the least recent one is dropped for another
};

// Returns the client that an address belongs to: a whole IPv4 address, or the first 64 bits of an
// IPv6 address, which one household or host has. An IPv4 address written as IPv6 is the same
// client. A text that is not an address stands for itself.
[[nodiscard]] std::string client_of(std::string_view address);

class RateLimiter {
   public:
    explicit RateLimiter(RateLimits limits) : limits_(limits) {}

    // Counts a request from this address.
    //   returns  nullopt when the request is allowed; otherwise how long to wait, 1 s or more
    //   cost     O(1); one lock
    [[nodiscard]] std::optional<std::chrono::seconds> count_request(
        std::string_view address, std::chrono::steady_clock::time_point now);

   private:
    struct Bucket {
        std::string client;
        double tokens = 0;  // 0 … burst
        std::chrono::steady_clock::time_point filled_at;
    };
    Bucket& bucket_of(std::string client, std::chrono::steady_clock::time_point now);

    const RateLimits limits_;
    std::mutex mutex_;           // guards what follows
    std::list<Bucket> buckets_;  // most recent client first; most_clients at most
    std::unordered_map<std::string_view, std::list<Bucket>::iterator>
        by_client_;  // views into buckets_
};

}  // namespace serve
