// query/in_flight.hpp -- of those who are about to compute the same, one does and others wait.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <mutex>
#include <set>
#include <string>

namespace query {

// One thread computes an object, others wait for it.
class InFlight {
   public:
    class Turn {
       public:
        Turn(InFlight& flight, std::string key) : flight_(flight), key_(std::move(key)) {
            std::unique_lock lock(flight_.mutex_);
            flight_.done_.wait(lock, [&] { return flight_.keys_.insert(key_).second; });
        }
        ~Turn() {
            const std::lock_guard lock(flight_.mutex_);
            flight_.keys_.erase(key_);
            flight_.done_.notify_all();
        }
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;

       private:
        InFlight& flight_;
        std::string key_;
    };

   private:
    std::mutex mutex_;
    std::condition_variable done_;
    std::set<std::string> keys_;
};

}  // namespace query
