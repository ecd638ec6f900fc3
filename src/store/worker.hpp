// store/worker.hpp -- what programs share that work in steps over the store, any number of them at once: hubs and
// harvesters.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <string_view>

#include "base/date.hpp"
#include "base/log.hpp"
#include "store/pool.hpp"

namespace store {

// Returns the time of the store; replaced in tests.
using Clock = std::function<base::Seconds(Transaction&)>;
using SteadyTime = std::chrono::steady_clock::time_point;

// The program keeps it longer than its workers live. All belong to one thread.
struct WorkerContext {
    Pool& pool;
    Clock clock;                         // for everything that is written
    std::function<SteadyTime()> steady;  // for what the program itself waits for
    std::mt19937_64 random{[] {
        std::random_device seed;
        return (std::uint64_t{seed()} << 32U) ^ seed();
    }()};

    // Returns a number for a claim that nobody has used, as far as 62 random bits can promise it.
    [[nodiscard]] std::int64_t new_claim() {
        return static_cast<std::int64_t>(random() >> 2U) + 1;
    }
    // Run function(Transaction&, arguments..., the time of the store) as perform() does.
    template <class Function, class... Arguments>
    auto read(Function&& function, const Arguments&... arguments) const {
        return perform_now(Access::read, function, arguments...);
    }
    template <class Function, class... Arguments>
    auto write(Function&& function, const Arguments&... arguments) const {
        return perform_now(Access::write, function, arguments...);
    }
    // Calls work(time that is left) until the time is over or `goes_on()` says no.
    template <class GoesOn, class Work>
    void repeat(std::chrono::milliseconds at_most, GoesOn goes_on, Work work) {
        const auto end = steady() + at_most;
        for (auto now = steady(); now < end && goes_on(); now = steady())
            work(std::chrono::ceil<std::chrono::milliseconds>(end - now));
    }

   private:
    template <class Function, class... Arguments>
    auto perform_now(Access access, Function& function, const Arguments&... arguments) const {
        return perform(pool, access, [&](Transaction& transaction) {
            return function(transaction, arguments..., clock(transaction));
        });
    }
};

// Does a part of a step: what one worker cannot write must not keep the others from their work.
//   returns  false if the store could not be used, which is logged
template <class Work>
bool attempt(std::string_view program, Work work) {
    try {
        work();
        return true;
    } catch (const Failure& failure) {
        base::log::error(std::string(program) + " cannot use the store",
                         {{"error", failure.what()}});
        return false;
    }
}

// Writes one of several things. If something in it cannot be written, that must not keep back the others.
//   complaint  for the log: "the entries of a feed cannot be recorded"
//   returns    false if it was not written
//   throws     Failure: the store cannot be used at all now
template <class Write>
bool is_written(std::string_view complaint, std::string_view url, Write write) {
    try {
        write();
        return true;
    } catch (const Failure& failure) {
        const auto& kind = failure.kind();
        if (kind.transient || kind.in_doubt || kind.lost_connection || kind.needs_operator) throw;
        base::log::error(complaint, {{"url", url}, {"error", failure.what()}});
        return false;
    }
}

}  // namespace store
