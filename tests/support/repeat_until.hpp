// Repeats a step until something is so.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

#include "support/catch.hpp"

namespace support {

// Longer than what a test waits for takes on a machine that is busy with other things.
inline constexpr std::chrono::seconds long_enough{120};

// Calls step() until condition() holds; fails the test when that takes too long.
template <class Condition, class Step>
void repeat_until(Condition condition, Step step) {
    const auto give_up = std::chrono::steady_clock::now() + long_enough;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > give_up) FAIL("the test did not get there");
        step();
    }
}

}  // namespace support
