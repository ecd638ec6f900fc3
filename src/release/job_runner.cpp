// SPDX-License-Identifier: MIT
#include "release/stage.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

namespace release {
namespace {

using base::Result;
using namespace std::chrono_literals;

// One run of a stage in this process.
class Crew {
   public:
    Crew(store::Pool& pool, const Stage& stage, const std::stop_token& stop)
        : stage_(stage), leases_(pool, stage.terms),
          ended_(stop, [this] { stop_.request_stop(); }) {}

    Result<bool> run() {
        {
            std::vector<std::jthread> threads;
            try {
                for (std::size_t i = 0; i < std::max<std::size_t>(stage_.threads, 1); ++i)
                    threads.emplace_back([this, i] { work(stage_.terms.name(i)); });
            } catch (const std::system_error& error) {
                fail({base::Kind::unavailable,
                      std::string("a thread could not be started: ") + error.what()});
            }
        }
        if (error_) return tl::unexpected(*error_);
        return !stop_.stop_requested();
    }

   private:
    // The loop in which a failing store ends: nothing above knows more to do about it.
    void work(const std::string& worker) {
        try {
            while (!stop_.stop_requested() && work_once(worker)) continue;
        } catch (const store::Failure& failure) {
            fail({base::Kind::unavailable, std::string("the store failed: ") + failure.what()});
        } catch (const std::exception& error) {
            fail({base::Kind::unavailable, error.what()});
        }
    }

    // False: all parts are done.
    bool work_once(const std::string& worker) {
        const auto claim = leases_.claim(worker, stage_.parts);
        if (claim.all_done) return false;
        if (!claim.part) {
            wait_for_others();
            return true;
        }
        bool is_ours = true;
        const auto tally = stage_.work(*claim.part, [&, renewed = now()]() mutable {
            if (now() - renewed > stage_.terms.length / 3) {
                is_ours = leases_.renew(worker, *claim.part);
                renewed = now();
            }
            return is_ours && !stop_.stop_requested();
        });
        if (!tally) fail(tally.error());
        if (stop_.stop_requested())
            leases_.give_up(worker, *claim.part);
        else if (is_ours)
            (void)leases_.finish(worker, *claim.part, to_json(*tally));
        note_end_of_part();
        return true;
    }

    static std::chrono::steady_clock::time_point now() {
        return std::chrono::steady_clock::now();
    }

    void wait_for_others() {
        std::unique_lock lock(mutex_);
        const auto seen = ended_parts_;
        part_ended_.wait_for(lock, stop_.get_token(), 200ms,
                             [&] { return ended_parts_ != seen; });
    }

    void note_end_of_part() {
        const std::lock_guard lock(mutex_);
        ++ended_parts_;
        part_ended_.notify_all();
    }

    void fail(base::Error error) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::move(error);
        stop_.request_stop();
    }

    const Stage& stage_;
    Leases leases_;
    std::mutex mutex_;
    std::condition_variable_any part_ended_;  // of those in this process
    std::uint64_t ended_parts_ = 0;
    std::optional<base::Error> error_;
    std::stop_source stop_;
    std::stop_callback<std::function<void()>> ended_;  // last: it uses stop_
};

}  // namespace

Result<bool> run(store::Pool& pool, const Stage& stage, const std::stop_token& stop) {
    return Crew(pool, stage, stop).run();
}

}  // namespace release
