// SPDX-License-Identifier: MIT
#include "release/job_runner.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <simdjson.h>
#include <system_error>
#include <thread>
#include <utility>

#include "base/json.hpp"
#include "base/log.hpp"
#include "tree/json.hpp"

namespace release {
namespace {

using base::Result;
using store::Access;
using store::Transaction;
using namespace std::chrono_literals;

struct Counter {
    const char* name;
    std::uint64_t& (*of)(Counters&);
};
// In the order in which to_json() writes them.
constexpr std::array all_counters{
    Counter{"looked_at", [](Counters& all) -> auto& { return all.looked_at; }},
    Counter{"compared", [](Counters& all) -> auto& { return all.compared; }},
    Counter{"unchanged", [](Counters& all) -> auto& { return all.unchanged; }},
    Counter{"new", [](Counters& all) -> auto& { return all.added; }},
    Counter{"changed", [](Counters& all) -> auto& { return all.changed; }},
    Counter{"vanished", [](Counters& all) -> auto& { return all.vanished; }},
    Counter{"failed", [](Counters& all) -> auto& { return all.failed; }},
    Counter{"bytes", [](Counters& all) -> auto& { return all.bytes; }},
    Counter{"withdrawn", [](Counters& all) -> auto& { return all.withdrawn; }},
};

std::string to_json(Counters counters) {
    std::string text;
    base::JsonWriter json(text);
    json.begin_object();
    for (const auto& [name, of] : all_counters) json.field(name, of(counters));
    json.key("failures").begin_array();
    for (const auto& [object, reason] : counters.failures)
        json.begin_object()
            .field("class", object.class_name)
            .field("name", object.name)
            .field("reason", reason)
            .end_object();
    json.end_array().end_object();
    return text;
}

// Reads what to_json() wrote.
//   error  malformed
Result<Counters> counters_from_json(std::string_view text) {
    const auto parsed = tree::parse_json(text);
    if (!parsed) return base::fail_at("the result of a part", parsed.error());
    const auto damaged =
        base::fail(base::ErrorKind::malformed, "the result of a part is damaged");
    Counters counters;
    for (const auto& [name, of] : all_counters)
        if (parsed->root[name].get(of(counters)) != simdjson::SUCCESS) return damaged;
    simdjson::dom::array failures;
    if (parsed->root["failures"].get(failures) != simdjson::SUCCESS) return damaged;
    for (const auto failure : failures) {
        std::string_view class_name, name, reason;
        if (failure["class"].get(class_name) != simdjson::SUCCESS ||
            failure["name"].get(name) != simdjson::SUCCESS ||
            failure["reason"].get(reason) != simdjson::SUCCESS)
            return damaged;
        counters.failures.push_back(
            {{std::string(class_name), std::string(name)}, std::string(reason)});
    }
    return counters;
}

// The threads of this process that work on one step.
class WorkerPool {
   public:
    WorkerPool(store::Pool& pool, const JobOptions& options, const JobStep& step,
               const std::stop_token& stop)
        : options_(options), step_(step),
          leases_(pool, step.task, options.lease, options.is_gone),
          on_stop_(stop, [this] { stop_.request_stop(); }) {}

    Result<bool> run() {
        {
            std::vector<std::jthread> threads;
            try {
                for (std::size_t i = 0; i < std::max<std::size_t>(options_.threads, 1); ++i)
                    threads.emplace_back([this, i] { work(options_.worker_name(i)); });
            } catch (const std::system_error& error) {
                fail({base::ErrorKind::unavailable,
                      std::string("a thread could not be started: ") + error.what()});
            }
        }
        if (error_) return tl::unexpected(*error_);
        return !stop_.stop_requested();
    }

   private:
    // A store that fails ends the step: nothing above this loop could do more about it.
    void work(const std::string& worker) {
        const auto done = run_job([&]() -> Result<void> {
            std::optional<Leases::Done> finished;  // and not yet stored
            while (!stop_.stop_requested()) {
                const auto claim = leases_.claim(worker, step_.parts, finished);
                if (std::exchange(finished, std::nullopt)) note_end_of_part();
                if (claim.all_done) return {};
                if (claim.part)
                    finished = work_on(*claim.part, worker);
                else
                    wait_for_others();
            }
            if (finished) (void)leases_.finish(worker, *finished);
            return {};
        });
        if (!done) fail(done.error());
    }

    // Returns nullopt when the part was not finished, or belongs to another worker by now.
    std::optional<Leases::Done> work_on(std::int64_t part, const std::string& worker) {
        bool is_ours = true;
        const auto counters = step_.work(part, [&, renewed = now()]() mutable {
            if (now() - renewed > options_.lease / 3) {
                is_ours = leases_.renew(worker, part);
                renewed = now();
            }
            return is_ours && !stop_.stop_requested();
        });
        if (!counters) fail(counters.error());
        if (counters && is_ours && !stop_.stop_requested())
            return Leases::Done{part, to_json(*counters)};
        if (stop_.stop_requested()) leases_.give_up(worker, part);
        note_end_of_part();
        return std::nullopt;
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

    const JobOptions& options_;
    const JobStep& step_;
    Leases leases_;
    std::mutex mutex_;
    std::condition_variable_any part_ended_;  // of the parts that this process works on
    std::uint64_t ended_parts_ = 0;
    std::optional<base::Error> error_;
    std::stop_source stop_;
    std::stop_callback<std::function<void()>> on_stop_;  // last, since it uses stop_
};

}  // namespace

void Counters::count(const history::Recorded& brought) {
    using history::Status;
    ++looked_at;
    if (brought.status == Status::compared) ++compared;
    if (brought.status == Status::unchanged) ++unchanged;
    if (brought.status == Status::added) ++added;
    if (brought.status == Status::changed) ++changed;
    if (brought.status == Status::vanished) ++vanished;
    if (brought.status == Status::withdrawn) ++withdrawn;
    // Whoever listed an object that is absent made a mistake: those of the build and recorded ones are known.
    const bool is_absent = brought.status == Status::absent;
    if (!is_absent && brought.status != Status::failed) return;
    ++failed;
    if (failures.size() < most_failures)
        failures.push_back({brought.object, is_absent ? "is neither in the build nor recorded"
                                                      : brought.error->text});
}

void Counters::add(Counters other) {
    for (const auto& [name, of] : all_counters) of(*this) += of(other);
    for (auto& failure : other.failures)
        if (failures.size() < most_failures) failures.push_back(std::move(failure));
}

Result<bool> run_step(store::Pool& pool, const JobOptions& options, const JobStep& step,
                      const std::stop_token& stop) {
    return WorkerPool(pool, options, step, stop).run();
}

Counters counted(store::Pool& pool, const std::string& task) {
    Counters all;
    for (const auto& result : store::perform(pool, Access::read, results_of, task)) {
        const auto counters = counters_from_json(result);
        if (counters)
            all.add(*counters);
        else
            base::log::error("what a part of a job counted is left out",
                             {{"reason", counters.error().text}});
    }
    return all;
}

}  // namespace release
