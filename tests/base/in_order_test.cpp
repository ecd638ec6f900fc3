// SPDX-License-Identifier: MIT
#include "base/in_order.hpp"

#include <atomic>
#include <stdexcept>

#include "support/catch.hpp"

TEST_CASE("What threads make is taken in its order, and few results wait for it") {
    for (std::size_t threads = 1; threads <= 8; ++threads) {
        std::atomic<std::size_t> begun = 0;
        std::size_t most_ahead = 0;
        std::vector<std::size_t> taken;
        base::make_in_order(
            threads, 500,
            [&](std::size_t i) {
                ++begun;
                return i * i;
            },
            [&](std::size_t i, std::size_t square) {
                CHECK(square == i * i);
                most_ahead = std::max(most_ahead, begun - taken.size());
                taken.push_back(i);
                return true;
            });
        REQUIRE(taken.size() == 500);
        CHECK(std::ranges::is_sorted(taken));
        CHECK(most_ahead <= 2 * threads);
    }
}

TEST_CASE("Work in order ends where it is not wanted any more, and with the first exception") {
    const auto same = [](std::size_t i) { return i; };
    std::size_t taken = 0;
    base::make_in_order(4, 1000, same,
                        [&](std::size_t i, std::size_t) { return ++taken, i < 20; });
    CHECK(taken == 21);
    const auto take = [](std::size_t, std::size_t) { return true; };
    const auto fail = [](std::size_t i) {
        if (i == 30) throw std::runtime_error("made badly");
        return i;
    };
    CHECK_THROWS_WITH(base::make_in_order(4, 1000, fail, take), "made badly");
    CHECK_THROWS_WITH(base::make_in_order(1, 1000, same,
                                          [](std::size_t, std::size_t) -> bool {
                                              throw std::runtime_error("taken badly");
                                          }),
                      "taken badly");
    base::make_in_order(4, 0, fail, take);
}
