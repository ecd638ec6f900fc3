// SPDX-License-Identifier: MIT
#include "base/single_flight.hpp"

#include <atomic>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>

#include "support/catch.hpp"

using namespace std::chrono_literals;
using base::Result;

namespace {

constexpr int many = 16;

// Runs `body` in many threads at once and waits for all of them.
template <class Body>
void in_threads(Body body) {
    std::vector<std::jthread> threads;
    for (int i = 0; i < many; ++i) threads.emplace_back([=] { body(i); });
}

// Returns once the condition holds, or after two minutes, so that a defect fails the test.
template <class Condition>
void wait_until(const Condition& condition) {
    const auto deadline = std::chrono::steady_clock::now() + 2min;
    while (!condition() && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
}

// A key that equals all others and counts the comparisons: SingleFlight makes one for each
// caller that finds a computation running, and that caller then waits for its result.
struct CountedKey {
    std::atomic<int>* comparisons;
    bool operator==(const CountedKey&) const {
        ++*comparisons;
        return true;
    }
};

// A computation that has begun and goes on until it is released, so that a test can call in the
// meantime.
class Pause {
   public:
    void enter() {
        entered_.count_down();
        released_.wait();
    }
    void wait_until_entered() { entered_.wait(); }
    void release() { released_.count_down(); }

   private:
    std::latch entered_{1}, released_{1};
};

}  // namespace

TEST_CASE("One of many callers for a key computes, and the others share its result") {
    base::SingleFlight<CountedKey, int> flight;
    std::atomic<int> computed = 0, joined = 0, wrong = 0;
    const CountedKey key{&joined};
    in_threads([&](int) {
        const int got = flight.run(key, [&] {
            wait_until([&] { return joined == many - 1; });
            return ++computed;
        });
        if (got != 1) ++wrong;
    });
    CHECK(computed == 1);
    CHECK(wrong == 0);
    CHECK(flight.run(key, [] { return 77; }) == 77);  // nothing is kept
}

TEST_CASE("Different keys are computed at the same time") {
    base::SingleFlight<int, int> flight;
    Pause pause;
    int slow_result = 0;
    std::jthread slow([&] {
        slow_result = flight.run(1, [&] {
            pause.enter();
            return 1;
        });
    });
    pause.wait_until_entered();
    CHECK(flight.run(2, [] { return 2; }) == 2);
    CHECK(flight.try_run(3, [] { return 3; }) == 3);
    CHECK_FALSE(flight.try_run(1, [] { return 4; }));
    pause.release();
    slow.join();
    CHECK(slow_result == 1);
    CHECK(flight.try_run(1, [] { return 5; }) == 5);
}

TEST_CASE("An exception reaches all waiting callers, and the next caller computes again") {
    base::SingleFlight<CountedKey, int> flight;
    std::atomic<int> joined = 0, thrown = 0;
    const CountedKey key{&joined};
    in_threads([&](int) {
        try {
            (void)flight.run(key, [&]() -> int {
                wait_until([&] { return joined == many - 1; });
                throw std::runtime_error("broken");
            });
        } catch (const std::runtime_error&) {
            ++thrown;
        }
    });
    CHECK(thrown == many);
    CHECK(flight.run(key, [] { return 1; }) == 1);
}

TEST_CASE("A versioned value is made once per version") {
    base::VersionedValue<int, std::string> value;
    int made = 0;
    const auto make = [&] { return std::to_string(++made); };
    CHECK(value.get(1, make) == "1");
    CHECK(value.get(1, make) == "1");
    CHECK(value.get(2, make) == "2");
    CHECK(value.get(2, make, [](const std::string& kept) { return kept != "2"; }) == "3");
    CHECK(value.get(2, make) == "3");
}

TEST_CASE("An error or exception of a versioned value is not kept") {
    base::VersionedValue<int, int> value;
    const auto fails = []() -> Result<int> {
        return base::fail(base::ErrorKind::unavailable, "no");
    };
    REQUIRE_FALSE(value.get(1, fails));
    CHECK(value.get(1, fails).error().text == "no");
    CHECK_THROWS_AS(value.get(1, []() -> int { throw std::runtime_error("broken"); }),
                    std::runtime_error);
    CHECK(value.get(1, [] { return 5; }) == 5);
    CHECK(value.get(1, fails) == 5);
}

TEST_CASE("The value of an older version does not replace that of a newer one") {
    base::VersionedValue<int, int> value;
    Pause pause;
    int slow_result = 0;
    std::jthread slow([&] {
        slow_result = *value.get(1, [&] {
            pause.enter();
            return 10;
        });
    });
    pause.wait_until_entered();
    CHECK(value.get(2, [] { return 20; }) == 20);
    pause.release();
    slow.join();
    CHECK(slow_result == 10);
    CHECK(value.get(2, [] { return 99; }) == 20);
}
