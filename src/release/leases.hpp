// release/leases.hpp -- who does which part of a job: claimed through the store, for a time.
// A part whose owner has died is claimed by another when its lease has run out, or at once when
// it is known to be dead. Clocks of hosts may differ by less than the lease; when they differ by
// more a part may be worked on twice, which costs time and changes no row.
// Safe from any thread, in any number of processes.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/date.hpp"
#include "store/pool.hpp"

namespace release {

// One worker, as others see it: "HOST BOOT PID START NUMBER". `number` tells the workers of a
// process apart.
[[nodiscard]] std::string worker_name(std::size_t number);
// On this host, since this boot, and its process is no more.
[[nodiscard]] bool is_gone(const std::string& worker);

struct LeaseTerms {
    std::string task;  // at most 160 bytes; equal tasks have the same parts
    base::Clock clock;
    std::chrono::seconds length{30};
    std::function<bool(const std::string& worker)> is_gone = release::is_gone;
    std::function<std::string(std::size_t number)> name = worker_name;
};

class Leases {
   public:
    // `pool` outlives it.
    Leases(store::Pool& pool, LeaseTerms terms) : pool_(pool), terms_(std::move(terms)) {}

    struct Claim {
        std::optional<std::int64_t> part;
        bool all_done = false;  // there is nothing left to wait for
    };
    // The lowest part of 0 … parts - 1 that nobody works on.
    //   worker  works on one part at a time: one that it holds already is given again
    //   throws  Failure, as all that follow
    [[nodiscard]] Claim claim(const std::string& worker, std::int64_t parts);

    // False: the lease had run out, and another has taken the part.
    [[nodiscard]] bool renew(const std::string& worker, std::int64_t part);
    [[nodiscard]] bool finish(const std::string& worker, std::int64_t part,
                              const std::string& result);
    // Not finished, and free for others at once.
    void give_up(const std::string& worker, std::int64_t part);

   private:
    [[nodiscard]] std::string expiry() const;

    store::Pool& pool_;
    LeaseTerms terms_;
};

// The results of the parts of a task that are done.
[[nodiscard]] std::vector<std::string> results_of(store::Transaction& transaction,
                                                  const std::string& task);

// Leases that ran out before `before`, of tasks that nobody will ask about: those that are done
// stay that long, since a worker that comes late must see that nothing is left.
void forget_leases(store::Transaction& transaction, base::Seconds before);

}  // namespace release
