// base/byte_budget.hpp -- bounds the memory that callers take at the same time. Each of them says how
// many bytes it is about to take, and waits while the others have too many.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

namespace base {

class ByteBudget {
   public:
    struct Limits {
        std::size_t bytes = 512 << 20;  // of all callers together
        // Callers who wait at the same time. The others are refused at once, because each of those who
        // wait keeps a thread.
        std::size_t waiting = std::numeric_limits<std::size_t>::max();
        std::chrono::milliseconds wait_at_most{5000};
    };
    explicit ByteBudget(Limits limits) : limits_(limits) {}

    // What a caller has until it is destroyed. The budget outlives it.
    class Share {
       public:
        Share(Share&& other) noexcept
            : budget_(std::exchange(other.budget_, nullptr)), bytes_(other.bytes_) {}
        Share(const Share&) = delete;
        Share& operator=(const Share&) = delete;
        Share& operator=(Share&&) = delete;
        ~Share();
        [[nodiscard]] std::size_t bytes() const { return bytes_; }

       private:
        friend class ByteBudget;
        Share(ByteBudget* budget, std::size_t bytes) : budget_(budget), bytes_(bytes) {}
        ByteBudget* budget_;
        std::size_t bytes_;
    };

    // Reserves bytes. First come, first served; a request above the limit waits until nothing else is
    // reserved.
    //   returns  nullopt when they are not free within wait_at_most, or as many as allowed wait
    [[nodiscard]] std::optional<Share> take(std::size_t bytes);

    [[nodiscard]] std::size_t taken() const;    // bytes
    [[nodiscard]] std::size_t waiting() const;  // callers

   private:
    const Limits limits_;
    mutable std::mutex mutex_;  // guards what follows
    std::condition_variable changed_;
    std::size_t taken_ = 0;
    std::size_t last_number_ = 0;
    std::deque<std::size_t> queue_;  // the numbers of those who wait, in their order
};

}  // namespace base
