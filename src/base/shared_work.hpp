// base/shared_work.hpp -- a value of many parts that are slow to make, for threads that all need it.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace base {

// Each thread that needs the value makes parts that nobody has begun. So no thread waits for others
// longer than it takes them to finish the parts that they have in hand.
template <class Part>
class SharedWork {
   public:
    explicit SharedWork(std::size_t parts) : parts_(parts) {}

    // Makes parts until all have been begun, then waits for those of other threads.
    //   make       Part(std::size_t index); called once for each index, by any of the threads
    //   ends_work  bool(const Part&): no part is begun after this one
    //   returns    all parts; nullopt for those that were never begun. Nothing changes them any more
    //   throws     what `make` throws, to each caller
    template <class Make, class EndsWork>
    const std::vector<std::optional<Part>>& run(Make&& make, EndsWork&& ends_work) {
        std::unique_lock lock(mutex_);
        while (next_ < parts_.size()) make_next(lock, make, ends_work);
        finished_.wait(lock, [this] { return in_hand_ == 0; });
        if (thrown_) std::rethrow_exception(thrown_);
        return parts_;
    }

   private:
    template <class Make, class EndsWork>
    void make_next(std::unique_lock<std::mutex>& lock, Make& make, EndsWork& ends_work) {
        const auto index = next_++;
        ++in_hand_;
        lock.unlock();
        std::optional<Part> part;
        std::exception_ptr thrown;
        bool is_last = true;
        try {
            part.emplace(make(index));
            is_last = ends_work(*part);
        } catch (...) {
            thrown = std::current_exception();
        }
        lock.lock();
        parts_[index] = std::move(part);
        if (thrown) thrown_ = thrown;
        if (is_last) next_ = parts_.size();
        if (--in_hand_ == 0) finished_.notify_all();
    }

    std::mutex mutex_;  // guards what follows; not held while a part is made
    std::condition_variable finished_;
    std::vector<std::optional<Part>> parts_;
    std::size_t next_ = 0, in_hand_ = 0;
    std::exception_ptr thrown_;
};

}  // namespace base
