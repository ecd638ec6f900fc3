// SPDX-License-Identifier: MIT
#include "base/shared_work.hpp"

#include <latch>
#include <stdexcept>
#include <thread>

#include "support/catch.hpp"

namespace {

using Work = base::SharedWork<int>;

constexpr auto never = [](int) { return false; };

int fail_to_make(std::size_t /*index*/) { throw std::runtime_error("no more memory"); }

}  // namespace

TEST_CASE("Shared work that threw is begun again by the next caller") {
    Work work(3);
    CHECK_THROWS_AS(work.run(fail_to_make, never), std::runtime_error);

    const auto& parts =
        work.run([](std::size_t index) { return static_cast<int>(index); }, never);
    CHECK(parts == std::vector<std::optional<int>>{0, 1, 2});
}

TEST_CASE("Each caller who takes part in shared work learns that a part threw") {
    Work work(2);
    std::latch both_have_one(2);
    const auto take_part = [&] {
        const auto make = [&](std::size_t index) {
            both_have_one.arrive_and_wait();
            return index == 0 ? fail_to_make(index) : 1;
        };
        CHECK_THROWS_AS(work.run(make, never), std::runtime_error);
    };
    std::jthread other(take_part);
    take_part();
}
