// SPDX-License-Identifier: MIT
#include "serve/rate_limiter.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace serve {

namespace {

constexpr std::size_t longest_client = 64;

std::string text_of(const unsigned char* bytes, std::size_t count) {
    return {reinterpret_cast<const char*>(bytes), count};
}

}  // namespace

std::string client_of(std::string_view address) {
    constexpr std::array<unsigned char, 12> mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    const std::string text(address.substr(0, longest_client));
    std::array<unsigned char, 16> bytes{};
    if (::inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) return text_of(bytes.data(), 4);
    if (::inet_pton(AF_INET6, text.c_str(), bytes.data()) != 1) return text;
    if (std::equal(mapped.begin(), mapped.end(), bytes.begin()))
        return text_of(bytes.data() + mapped.size(), 4);
    return text_of(bytes.data(), 8);
}

RateLimiter::Bucket& RateLimiter::bucket_of(std::string client,
                                            std::chrono::steady_clock::time_point now) {
    if (const auto known = by_client_.find(client); known != by_client_.end()) {
        buckets_.splice(buckets_.begin(), buckets_, known->second);
        return buckets_.front();
    }
    if (buckets_.size() >= limits_.most_clients) {
        by_client_.erase(buckets_.back().client);
        buckets_.pop_back();
    }
    buckets_.push_front({std::move(client), limits_.burst, now});
    by_client_.emplace(buckets_.front().client, buckets_.begin());
    return buckets_.front();
}

std::optional<std::chrono::seconds> RateLimiter::count_request(
    std::string_view address, std::chrono::steady_clock::time_point now) {
    if (limits_.per_minute <= 0) return std::nullopt;
    const double per_second = limits_.per_minute / 60;
    const std::lock_guard lock(mutex_);
    Bucket& bucket = bucket_of(client_of(address), now);
    // Threads read the clock before they wait for the lock, so time may seem to go back.
    const std::chrono::duration<double> passed = now - bucket.filled_at;
    if (passed.count() > 0) {
        bucket.tokens = std::min(limits_.burst, bucket.tokens + passed.count() * per_second);
        bucket.filled_at = now;
    }
    if (bucket.tokens >= 1) {
        bucket.tokens -= 1;
        return std::nullopt;
    }
    const auto wait = std::ceil((1 - bucket.tokens) / per_second);
    return std::chrono::seconds(static_cast<long>(std::max(1.0, wait)));
}

}  // namespace serve
