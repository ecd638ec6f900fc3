// SPDX-License-Identifier: MIT
#include "app/stop_signals.hpp"

#include <atomic>
#include <latch>

#include "support/catch.hpp"

using namespace std::chrono_literals;

TEST_CASE("A stop that takes longer than its limit is ended") {
    std::latch is_ended(1);
    const app::StopLimit limit(0ms, [&] { is_ended.count_down(); });
    is_ended.wait();
}

TEST_CASE("A stop within its limit is left alone") {
    std::atomic<bool> is_ended = false;
    {
        const app::StopLimit limit(1h, [&] { is_ended = true; });
    }
    CHECK_FALSE(is_ended);
}
