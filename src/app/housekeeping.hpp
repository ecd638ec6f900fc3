// app/housekeeping.hpp -- what a server does beside answering: it looks for a new build twice a
// second and writes hits once a minute, in a thread of its own.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "app/rooms.hpp"

namespace app {

class Housekeeping {
   public:
    // `rooms` outlives it.
    explicit Housekeeping(Rooms& rooms);
    ~Housekeeping();  // waits until has_ended(), and writes the hits that are left
    Housekeeping(const Housekeeping&) = delete;
    Housekeeping& operator=(const Housekeeping&) = delete;

    // Until the first look is over, or `at_most`: a first index may take longer.
    void wait_for_first_look(std::chrono::seconds at_most);

    // Takes no further look. A look that goes on can't be stopped: it may be making an index.
    void stop();
    [[nodiscard]] bool has_ended();
    [[nodiscard]] bool ends_within(std::chrono::milliseconds at_most);

    // Now, from any thread; what is not written is noted in the log.
    void flush_hits() const;

   private:
    void run(const std::stop_token& stop);
    void look() const;

    Rooms& rooms_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    bool looked_ = false, ended_ = false;
    std::jthread thread_;  // last: it uses the others
};

}  // namespace app
