// SPDX-License-Identifier: MIT
#include "base/byte_budget.hpp"

#include <string>
#include <thread>

#include "support/catch.hpp"

using base::ByteBudget;
using namespace std::chrono_literals;

namespace {

// Returns once so many callers wait, or after two minutes, so that a defect fails the test.
void wait_for_callers(const ByteBudget& budget, std::size_t callers) {
    const auto deadline = std::chrono::steady_clock::now() + 2min;
    while (budget.waiting() != callers && std::chrono::steady_clock::now() < deadline)
        std::this_thread::yield();
}

}  // namespace

TEST_CASE("Callers have no more bytes together than the budget") {
    ByteBudget budget({.bytes = 10, .wait_at_most = 0ms});
    auto first = budget.take(6);
    const auto second = budget.take(4);
    REQUIRE((first && second));
    CHECK(budget.taken() == 10);
    CHECK(!budget.take(1));
    first.reset();
    const auto third = budget.take(6);
    CHECK(third);
    CHECK(!budget.take(1));
}

TEST_CASE("A share that was moved is given back once") {
    ByteBudget budget({.bytes = 10, .wait_at_most = 0ms});
    {
        auto share = budget.take(6);
        REQUIRE(share);
        const auto moved = std::move(*share);
        share.reset();
        CHECK(moved.bytes() == 6);
        CHECK(budget.taken() == 6);
    }
    CHECK(budget.taken() == 0);
}

TEST_CASE("A caller that asks for more than the budget has it alone") {
    ByteBudget budget({.bytes = 10, .wait_at_most = 0ms});
    auto small = budget.take(1);
    CHECK(!budget.take(11));
    small.reset();
    const auto large = budget.take(11);
    CHECK(large);
    CHECK(!budget.take(1));
}

TEST_CASE("A caller waits until another one gives its share back") {
    ByteBudget budget({.bytes = 10, .wait_at_most = 10min});
    auto share = budget.take(10);
    std::jthread waiting([&] { CHECK(budget.take(10)); });
    wait_for_callers(budget, 1);
    share.reset();
}

TEST_CASE("Callers come in their order, so that many small shares do not keep a large one away") {
    ByteBudget budget({.bytes = 10, .wait_at_most = 10min});
    auto share = budget.take(10);
    std::string order;
    {
        std::jthread large([&] {
            const auto own = budget.take(9);
            order += "large ";
        });
        wait_for_callers(budget, 1);
        std::jthread small([&] {
            const auto own = budget.take(2);
            order += "small ";
        });
        wait_for_callers(budget, 2);
        share.reset();
    }
    CHECK(order == "large small ");
    CHECK(budget.waiting() == 0);
}

TEST_CASE("As many callers as allowed wait, and the others are refused at once") {
    ByteBudget budget({.bytes = 10, .waiting = 1, .wait_at_most = 10min});
    auto share = budget.take(10);
    std::jthread waiting([&] { CHECK(budget.take(10)); });
    wait_for_callers(budget, 1);
    CHECK(!budget.take(1));
    share.reset();
}
