// SPDX-License-Identifier: MIT
#include "serve/access_control.hpp"
#include "serve/world.hpp"

using namespace world;
using serve::client_of;
using serve::RateLimiter;
using namespace std::chrono_literals;

namespace {

const std::chrono::steady_clock::time_point start{};

bool may(RateLimiter& limiter, std::string_view address, std::chrono::milliseconds after = 0ms) {
    return !limiter.count_request(address, start + after);
}

}  // namespace

TEST_CASE("An IPv4 address is a client, and so is an IPv6 network of 64 bits") {
    CHECK(client_of("192.0.2.1") != client_of("192.0.2.2"));
    CHECK(client_of("::ffff:192.0.2.1") == client_of("192.0.2.1"));
    CHECK(client_of("2001:db8:1:2::1") == client_of("2001:db8:1:2:ffff::9"));
    CHECK(client_of("2001:db8:1:2::1") != client_of("2001:db8:1:3::1"));
    CHECK(client_of("") == client_of(""));
    CHECK(client_of(std::string(1000, 'x')).size() <= 64);
}

TEST_CASE("A client may send a burst and then requests at its rate") {
    RateLimiter limiter({.per_minute = 60, .burst = 3});
    CHECK(may(limiter, "a"));
    CHECK(may(limiter, "a"));
    CHECK(may(limiter, "a"));
    CHECK(limiter.count_request("a", start) == 1s);
    CHECK(may(limiter, "b"));
    CHECK_FALSE(may(limiter, "a", 900ms));
    CHECK(may(limiter, "a", 1000ms));
    CHECK_FALSE(may(limiter, "a", 1001ms));
    for (int i = 0; i < 3; ++i) CHECK(may(limiter, "a", 1h));
    CHECK_FALSE(may(limiter, "a", 1h));
}

TEST_CASE("The time to wait is given in whole seconds, whatever the clock seems to do") {
    RateLimiter limiter({.per_minute = 2, .burst = 1});
    CHECK(may(limiter, "a", 40s));
    CHECK(limiter.count_request("a", start + 40s) == 30s);
    CHECK_FALSE(may(limiter, "a", 1s));
    CHECK(limiter.count_request("a", start + 69500ms) == 1s);
    CHECK(may(limiter, "a", 71s));
}

TEST_CASE("Above the number of remembered clients, the one that asked longest ago is forgotten") {
    RateLimiter limiter({.per_minute = 1, .burst = 1, .most_clients = 2});
    CHECK(may(limiter, "a"));
    CHECK(may(limiter, "b"));
    CHECK_FALSE(may(limiter, "a"));
    CHECK(may(limiter, "c"));
    CHECK_FALSE(may(limiter, "a"));
    CHECK(may(limiter, "b"));
}

TEST_CASE("A client above its rate gets 429 and the time to wait, and others are answered") {
    auto settings = settings_with();
    settings.limits = {.per_minute = 6, .burst = 2};
    World world(settings);
    CHECK(world.get(plain).status == 200);
    CHECK(world.get(plain).status == 200);
    const auto refused = world.get(plain);
    CHECK(refused.status == 429);
    CHECK(refused.field("Retry-After") == "10");
    CHECK(says(refused, "Try again in 10 seconds."));
    CHECK(refused.field("Cache-Control") == "no-store");
    CHECK(world.open("/nowhere").status == 429);
    auto other = request_for("/rss?" + plain);
    other.client_address = "198.51.100.1";
    CHECK(world.site.answer(other).status == 200);
    for (const auto* address : {"/healthz", "/metrics", "/style.css"})
        CHECK(world.open(address).status == 200);
    world.tick += 10s;
    CHECK(world.get(plain).status == 200);
    CHECK(world.get(plain).status == 429);
}
