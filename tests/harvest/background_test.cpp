// SPDX-License-Identifier: MIT
#include "harvest/background.hpp"

#include <future>
#include <latch>
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
    constexpr int last = 100;
    Calls made, announced;
    std::latch may_end(1);
    Numbers numbers(
        [&](int number) {
            made.note();
            if (number == last) may_end.wait();
            return std::to_string(number);
        },
        [&] { announced.note(); });
    std::vector<std::string> expected;
    for (int i = 0; i <= last; ++i) numbers.add(i);
    for (int i = 0; i < last; ++i) expected.push_back(std::to_string(i));
    CHECK(numbers.size() == 101);
    // While the last job runs, the others have their results.
    made.wait_for(101);
    CHECK(announced.count() == 1);
    CHECK(numbers.take() == expected);
    CHECK(numbers.take().empty());
    CHECK(numbers.size() == 1);

    may_end.count_down();
    announced.wait_for(2);
    CHECK(numbers.take() == std::vector<std::string>{"100"});
    CHECK(numbers.size() == 0);
}

TEST_CASE("What a job throws is thrown to the one who takes results") {
    Calls announced;
    Numbers numbers([](int) -> std::string { throw std::runtime_error("broken"); },
                    [&] { announced.note(); });
    numbers.add(1);
    announced.wait_for(1);
    CHECK_THROWS_WITH(numbers.take(), "broken");
}
