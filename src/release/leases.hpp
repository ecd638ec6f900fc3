// release/leases.hpp -- the table `parts`: which worker works on which part of a job. A lease
// ends when it expires, or at once when its worker's process is known to have died; then another
// worker claims the part. Leases are measured by the clock of the store, not by those of hosts. The
// clocks of a cluster's nodes may differ by less than the length of a lease; when they differ by
// more, two may work on a part, which takes time and changes no row.
// Safe from any thread, in any number of processes.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "store/pool.hpp"

namespace release {

// Returns the name by which all processes know a worker: "HOST BOOT PID START NUMBER". `number`
// distinguishes the workers of a process.
[[nodiscard]] std::string worker_name(std::size_t number);
// Returns whether the worker ran on this host since it booted, and its process has ended.
[[nodiscard]] bool is_gone(const std::string& worker);

// A lease that ends later than this from now was written by a clock that was wrong, and has ended.
inline constexpr std::chrono::minutes longest_lease{2};

using IsGone = std::function<bool(const std::string& worker)>;

class Leases {
   public:
    //   pool    must outlive the object
    //   task    at most 160 bytes; equal tasks have the same parts
    //   length  at most longest_lease
    Leases(store::Pool& pool, std::string task, std::chrono::seconds length, IsGone is_gone)
        : pool_(pool), task_(std::move(task)), length_(length), is_gone_(std::move(is_gone)) {}

    struct Claim {
        std::optional<std::int64_t> part;
        bool all_done = false;  // no part is left to work on or to wait for
    };
    struct Done {
        std::int64_t part;
        std::string result;
    };
    // Claims the lowest part of 0 … parts - 1 that nobody works on, and finishes another one in the same
    // transaction.
    //   worker    works on one part at a time: a part that it holds already is returned again
    //   finished  as by finish()
    //   throws    store::Failure, as all functions below
    [[nodiscard]] Claim claim(const std::string& worker, std::int64_t parts,
                              const std::optional<Done>& finished = std::nullopt);

    // Return false when the lease had expired and another worker has claimed the part.
    [[nodiscard]] bool renew(const std::string& worker, std::int64_t part);
    [[nodiscard]] bool finish(const std::string& worker, const Done& finished);
    // Ends the lease, so that others can claim the part at once.
    void give_up(const std::string& worker, std::int64_t part);

   private:
    [[nodiscard]] bool finish(store::Transaction& transaction, const std::string& worker,
                              const Done& finished) const;

    store::Pool& pool_;
    const std::string task_;
    const std::chrono::seconds length_;
    const IsGone is_gone_;
};

// Returns the results of the parts of a task that are done.
[[nodiscard]] std::vector<std::string> results_of(store::Transaction& transaction,
                                                  const std::string& task);

// Returns when the last one expires of the leases that have neither expired nor lost their worker (RFC
// 3339); nullopt: there are none.
[[nodiscard]] std::optional<std::string> active_until(store::Transaction& transaction);

// Deletes leases that expired more than a week ago. The leases of parts that are done stay that
// long, since a worker that comes late must see that nothing is left.
void delete_expired_leases(store::Transaction& transaction);

// Deletes all leases, and with them the record of what jobs have done.
void delete_leases(store::Transaction& transaction);

// Notes the end of a whole task. Workers that wait see that nothing is left; who begins the task anew works on all of it.
//   returns  whether all of its parts are done
[[nodiscard]] bool end_task(store::Transaction& transaction, const std::string& task,
                            std::int64_t parts);
void begin_task(store::Transaction& transaction, const std::string& task);

}  // namespace release
