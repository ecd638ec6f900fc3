// SPDX-License-Identifier: MIT
#include "app/stop_signals.hpp"

#include <atomic>
#include <future>

#include "support/catch.hpp"

using namespace std::chrono_literals;

TEST_CASE("A stop that takes longer than its limit is ended") {
    std::promise<void> end;
    const app::StopLimit limit(0ms, [&] { end.set_value(); });
    // Long enough for any machine; without it a limit that ends nothing would hang the test.
    CHECK(end.get_future().wait_for(60s) == std::future_status::ready);
}

TEST_CASE("A stop within its limit is left alone") {
    std::atomic<bool> is_ended = false;
    {
        const app::StopLimit limit(1h, [&] { is_ended = true; });
    }
    CHECK_FALSE(is_ended);
}
