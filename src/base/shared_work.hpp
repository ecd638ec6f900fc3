// base/shared_work.hpp -- a value of many parts that are slow to make, for threads that all need it.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace base {

// Each thread that needs the value makes parts that nobody has begun. So no thread waits for others
// longer than it takes them to finish the parts that they have in progress. Nothing is kept of an attempt
// that throws: the next caller begins another one.
template <class Part>
class SharedWork {
   public:
    explicit SharedWork(std::size_t parts) : count_(parts) {}

    // Makes parts until all have been begun, then waits for those of other threads.
    //   make       Part(std::size_t index); called once for each index, by any of the threads, and
    //              again after an attempt that threw
    //   ends_work  bool(const Part&): no part is begun after this one
    //   returns    all parts; nullopt for those that were never begun. Nothing changes them any more
    //   throws     what `make` throws, to each caller who took part in the attempt
    template <class Make, class EndsWork>
    const std::vector<std::optional<Part>>& run(Make&& make, EndsWork&& ends_work) {
        std::unique_lock lock(mutex_);
        if (attempt_ == nullptr) attempt_ = std::make_shared<Attempt>(count_);
        const auto attempt = attempt_;
        while (attempt->next < count_) make_next(lock, attempt, make, ends_work);
        finished_.wait(lock, [&] { return attempt->in_hand == 0; });
        if (attempt->thrown) std::rethrow_exception(attempt->thrown);
        return attempt->parts;
    }

   private:
    struct Attempt {
        explicit Attempt(std::size_t count) : parts(count) {}
        std::vector<std::optional<Part>> parts;
        std::size_t next = 0, in_hand = 0;
        std::exception_ptr thrown;
    };
    using AttemptPtr = std::shared_ptr<Attempt>;

    template <class Make, class EndsWork>
    void make_next(std::unique_lock<std::mutex>& lock, const AttemptPtr& attempt, Make& make,
                   EndsWork& ends_work) {
        const auto index = attempt->next++;
        ++attempt->in_hand;
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
        attempt->parts[index] = std::move(part);
        if (is_last) attempt->next = count_;
        if (thrown) {
            attempt->thrown = thrown;
            if (attempt_ == attempt) attempt_ = nullptr;
        }
        if (--attempt->in_hand == 0) finished_.notify_all();
    }

    const std::size_t count_;
    std::mutex mutex_;  // guards what follows; not held while a part is made
    std::condition_variable finished_;
    AttemptPtr attempt_;  // nullptr: none is running or complete
};

}  // namespace base
