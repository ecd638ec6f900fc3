// serve/limiter.hpp -- how often one client may ask: a token bucket for each address.
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

// What time has passed since some moment. Passed in, so that a test can stop it.
using Ticks = std::function<std::chrono::steady_clock::time_point()>;

struct Limits {
    double per_minute = 0;             // requests that a client may go on making; 0: any number
    double burst = 60;                 // requests that it may make at once, 1 and more
    std::size_t most_clients = 65536;  // remembered; of more, who asked longest ago is forgotten
};

// The client that an address stands for: an IPv4 address as a whole, an IPv6 address by its
// first 64 bits, which is what one household or host has; an IPv4 address written as IPv6 is
// the same client. What is no address stands for itself.
[[nodiscard]] std::string client_of(std::string_view address);

class Limiter {
   public:
    explicit Limiter(Limits limits) : limits_(limits) {}

    // Takes a request of this address into account.
    //   returns  nullopt: it may be answered; else how long to wait, 1 s and more
    //   cost     O(1); one lock
    [[nodiscard]] std::optional<std::chrono::seconds> refuse(
        std::string_view address, std::chrono::steady_clock::time_point now);

   private:
    struct Bucket {
        std::string client;
        double tokens = 0;  // 0 … burst
        std::chrono::steady_clock::time_point filled;
    };
    Bucket& bucket_of(std::string client, std::chrono::steady_clock::time_point now);

    const Limits limits_;
    std::mutex mutex_;           // guards what follows
    std::list<Bucket> buckets_;  // who asked last is first; most_clients at most
    std::unordered_map<std::string_view, std::list<Bucket>::iterator>
        by_client_;  // views of them
};

}  // namespace serve
