// SPDX-License-Identifier: MIT
#include "harvest/background.hpp"

#include <future>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace {

using Numbers = harvest::Background<int, std::string>;

// Counts calls, and lets a test wait for them.
class Calls {
   public:
    void note() {
        const std::lock_guard lock(mutex_);
        ++count_;
        changed_.notify_all();
    }
    void wait_for(int count) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return count_ >= count; });
    }
    int count() {
        const std::lock_guard lock(mutex_);
        return count_;
    }

   private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int count_ = 0;
};

}  // namespace

TEST_CASE(
    "Results come in the order of their jobs, and are announced once until they are taken") {
    Calls made, announced;
    Numbers numbers(
        [&](int number) {
            made.note();
            return std::to_string(number);
        },
        [&] { announced.note(); });
    for (int i = 0; i < 100; ++i) numbers.add(i);
    CHECK(numbers.size() == 100);
    made.wait_for(100);
    CHECK(announced.count() == 1);
    const auto taken = numbers.take();
    REQUIRE(taken.size() == 100);
    CHECK(taken.front() == "0");
    CHECK(taken.back() == "99");
    CHECK(numbers.size() == 0);
    CHECK(numbers.take().empty());

    numbers.add(7);
    announced.wait_for(2);
    CHECK(numbers.take() == std::vector<std::string>{"7"});
}

TEST_CASE("What a job throws is thrown to the one who takes results") {
    Calls announced;
    Numbers numbers([](int) -> std::string { throw std::runtime_error("broken"); },
                    [&] { announced.note(); });
    numbers.add(1);
    announced.wait_for(1);
    CHECK_THROWS_WITH(numbers.take(), "broken");
}
