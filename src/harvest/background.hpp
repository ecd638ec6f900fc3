// harvest/background.hpp -- a thread that turns jobs into results while its owner goes on.
// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace harvest {

// Its functions belong to one thread at a time. Results are made one after the other, in the order of their jobs.
template <class Job, class Result>
class Background {
   public:
    //   make     called on the thread of this object
    //   on_made  called on that thread when a result is ready and none was waiting
    //   throws   std::system_error: the system gives no thread
    Background(std::function<Result(Job)> make, std::function<void()> on_made)
        : make_(std::move(make)), on_made_(std::move(on_made)),
          thread_([this](const std::stop_token& ended) { work(ended); }) {}
    // Waits for the job that is in work; the others are dropped.
    ~Background() = default;
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;

    void add(Job job) {
        {
            const std::lock_guard lock(mutex_);
            jobs_.push_back(std::move(job));
        }
        ++open_;
        changed_.notify_all();
    }
    // How many were added whose results have not been taken.
    [[nodiscard]] std::size_t size() const { return open_; }

    // Returns the results that are made, without waiting.
    //   throws  what make threw
    [[nodiscard]] std::vector<Result> take() {
        const std::lock_guard lock(mutex_);
        if (error_) std::rethrow_exception(error_);
        auto results = std::exchange(results_, {});
        open_ -= results.size();
        return results;
    }

   private:
    void work(const std::stop_token& ended) {
        std::unique_lock lock(mutex_);
        while (changed_.wait(lock, ended, [this] { return !jobs_.empty(); }) &&
               !ended.stop_requested()) {
            auto job = std::move(jobs_.front());
            jobs_.pop_front();
            lock.unlock();
            make_one(std::move(job));
            lock.lock();
        }
    }
    void make_one(Job job) {
        bool is_first = false;
        try {
            auto result = make_(std::move(job));
            const std::lock_guard lock(mutex_);
            is_first = results_.empty();
            results_.push_back(std::move(result));
        } catch (...) {
            const std::lock_guard lock(mutex_);
            is_first = true;
            error_ = std::current_exception();
        }
        if (is_first) on_made_();
    }

    const std::function<Result(Job)> make_;
    const std::function<void()> on_made_;
    std::size_t open_ = 0;  // of the owner's thread
    std::mutex mutex_;      // guards what follows
    std::condition_variable_any changed_;
    std::deque<Job> jobs_;
    std::vector<Result> results_;
    std::exception_ptr error_;
    std::jthread thread_;  // last: it uses the others, and ends first
};

}  // namespace harvest
