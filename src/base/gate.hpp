// base/gate.hpp -- bounds work that takes much time or memory. A few callers work at the same time, a few
// more wait for their turn, and the gate refuses all others at once, so that the other threads stay
// free for what is quick.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>

namespace base {

class Gate {
   public:
    struct Limits {
        std::size_t admitted = 1;                      // requests that wait or compute, 1 or more
        std::size_t computing = 1;                     // of them; 1 or more
        std::chrono::milliseconds wait_at_most{5000};  // for a turn
    };
    // Returns the limits of a server: at most half of its threads are admitted, and no more compute
    // than there are halves of processors; one of each at least.
    //   processors  0: unknown, so one computes
    [[nodiscard]] static Limits limits_of(std::size_t threads, std::size_t processors);

    explicit Gate(Limits limits) : limits_(limits) {}

    // Ends what a caller holds.
    struct Leave {
        Gate* gate = nullptr;
        void operator()(std::size_t* count) const;
    };
    // What a caller holds until it is destroyed; nullptr: it was refused. The gate outlives it.
    using Pass = std::unique_ptr<std::size_t, Leave>;

    // Admits the caller. Never waits.
    //   returns  nullptr when as many as allowed are admitted
    [[nodiscard]] Pass admit();
    // Waits for the caller's turn to compute. Requires that it is admitted, and that it holds no
    // turn.
    //   returns  nullptr when none came in wait_at_most
    [[nodiscard]] Pass wait_for_turn();

    [[nodiscard]] std::size_t admitted() const;  // callers

   private:
    const Limits limits_;
    mutable std::mutex mutex_;  // guards what follows
    std::condition_variable has_turn_;
    std::size_t admitted_ = 0, computing_ = 0;
};

}  // namespace base
