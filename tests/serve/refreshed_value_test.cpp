// SPDX-License-Identifier: MIT
#include "serve/refreshed_value.hpp"

#include <atomic>
#include <latch>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/catch.hpp"

using namespace std::chrono_literals;

namespace {

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

struct StoppedClock {
    std::atomic<std::chrono::steady_clock::duration> at = std::chrono::steady_clock::duration(1h);
    auto function() {
        return [this] { return std::chrono::steady_clock::time_point(at.load()); };
    }
    void advance(std::chrono::steady_clock::duration by) { at = at.load() + by; }
};

using Refreshed = serve::RefreshedValue<int>;
std::optional<int> failed() { return std::nullopt; }

}  // namespace

TEST_CASE("A refreshed value is loaded at most once per interval") {
    StoppedClock clock;
    Refreshed value({.refresh_after = 10s}, clock.function());
    int loads = 0;
    const auto load = [&] { return std::optional(++loads); };
    CHECK(*value.get(load).value == 1);
    clock.advance(9s);
    CHECK(*value.get(load).value == 1);
    CHECK(value.get(load).age == 9s);
    clock.advance(1s);
    CHECK(*value.get(load).value == 2);
    clock.advance(-5s);  // a clock can be put back
    CHECK(*value.get(load).value == 3);
}

TEST_CASE("A failed load keeps the old value and is repeated when it is due") {
    StoppedClock clock;
    Refreshed value({.refresh_after = 10s}, clock.function());
    const auto first = value.get(failed);
    CHECK(first.value == nullptr);
    CHECK(first.has_failed);
    CHECK(value.get([] { return std::optional(1); }).value == nullptr);  // not due yet
    clock.advance(10s);
    CHECK(*value.get([] { return std::optional(1); }).value == 1);
    clock.advance(10s);
    const auto later = value.get(failed);
    CHECK(*later.value == 1);
    CHECK(later.age == 10s);
    CHECK(later.has_failed);
    clock.advance(10s);
    const auto broken =
        value.get([]() -> std::optional<int> { throw std::runtime_error("broken"); });
    CHECK(broken.has_failed);
    CHECK(*broken.value == 1);
    CHECK(broken.current() == nullptr);
    CHECK(value.get([] { return std::optional(2); }).has_failed);
    clock.advance(10s);
    const auto again = value.get([] { return std::optional(2); });
    CHECK(*again.value == 2);
    CHECK_FALSE(again.has_failed);
}

TEST_CASE("While one thread loads, the others get the old value") {
    StoppedClock clock;
    Refreshed value({.refresh_after = 10s}, clock.function());
    Pause pause;
    const auto slow_load = [&] {
        pause.enter();
        return std::optional(2);
    };
    CHECK(*value.get([] { return std::optional(1); }).value == 1);
    clock.advance(10s);
    int slow_result = 0;
    std::jthread slow([&] { slow_result = *value.get(slow_load).value; });
    pause.wait_until_entered();
    CHECK(*value.get([] { return std::optional(3); }).value == 1);
    pause.release();
    slow.join();
    CHECK(slow_result == 2);
}

TEST_CASE("Callers wait for a load when the old value is older than they accept") {
    StoppedClock clock;
    Refreshed value({.refresh_after = 1s, .wait_after = 5s, .wait_after_failure = 60s},
                    clock.function());
    std::atomic<int> loads = 0, wrong = 0;
    const auto all_get = [&](int expected) {
        constexpr int many = 16;
        std::latch begun(many);
        std::vector<std::jthread> threads;
        for (int i = 0; i < many; ++i)
            threads.emplace_back([&] {
                begun.count_down();
                const auto got = value.get([&] {
                    begun.wait();
                    return std::optional(++loads);
                });
                if (got.value == nullptr || *got.value != expected) ++wrong;
            });
    };
    all_get(1);  // none yet: all wait for the first load
    clock.advance(5s);
    all_get(2);
    CHECK(loads == 2);
    CHECK(wrong == 0);
    clock.advance(5s);
    CHECK(value.get(failed).has_failed);
    clock.advance(5s);
    Pause pause;
    std::jthread slow([&] {
        (void)value.get([&] {
            pause.enter();
            return failed();
        });
    });
    pause.wait_until_entered();
    CHECK(*value.get(failed).value == 2);  // 10 s old: good enough while loads fail
    pause.release();
}

TEST_CASE("A load that throws releases the waiting callers") {
    StoppedClock clock;
    Refreshed value({.refresh_after = 1s, .wait_after = 1s}, clock.function());
    Pause pause;
    bool has_failed = false, was_told = false;
    std::jthread slow([&] {
        has_failed = value
                         .get([&]() -> std::optional<int> {
                             pause.enter();
                             throw std::runtime_error("broken");
                         })
                         .has_failed;
    });
    pause.wait_until_entered();
    std::jthread waits([&] { was_told = value.get(failed).has_failed; });
    pause.release();
    slow.join();
    waits.join();
    CHECK(has_failed);
    CHECK(was_told);
}
