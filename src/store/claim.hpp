// store/claim.hpp -- queues in tables: a row is due at a time, and a worker claims it for a while.
// A claim lasts longer than the work, so it is never renewed. When a worker dies, its rows are due again when their
// claims end; what it did without writing so is done again.
// Functions throw Failure. Times are those of the store's clock. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/date.hpp"
#include "store/dialect.hpp"
#include "store/pool.hpp"

namespace store {

// A table whose rows have an integer as their key, `claim` (0: none) and the time when they are due (RFC 3339; empty:
// never), or when their claim ends.
struct Queue {
    std::string_view table, due;
    std::string_view key = "id";
};

// A row of a queue as it was read.
struct QueuedRow {
    std::int64_t id = 0;
    std::string due = {};
    std::int64_t claim = 0;
};

// How long a claim lasts: longer than what is done with it takes, waiting included.
inline constexpr std::chrono::seconds claim_lasts{60};

// A time that is due by every clock.
inline constexpr std::string_view due_at_once = "1970-01-01T00:00:00Z";

// Claims a row that is still as it was read.
//   claim  a number above 0 that no other claim has
[[nodiscard]] inline bool claim_row(Transaction& transaction, const Queue& queue,
                                    const QueuedRow& row, std::int64_t claim, base::Seconds now) {
    const std::string due(queue.due);
    return transaction.execute("UPDATE " + std::string(queue.table) + " SET " + due +
                                   " = ?, claim = ? WHERE " + std::string(queue.key) +
                                   " = ? AND " + due + " = ? AND claim = ?",
                               {Value{base::format_rfc3339(now + claim_lasts)}, Value{claim},
                                Value{row.id}, Value{row.due}, Value{row.claim}}) == 1;
}

// Claims rows that are still as they were read.
//   due      values with a QueuedRow `row`
//   returns  those that are claimed, with their claim, in their order
template <class Due>
[[nodiscard]] std::vector<Due> claim_each(Transaction& transaction, const Queue& queue,
                                          std::vector<Due> due, std::int64_t claim,
                                          base::Seconds now) {
    std::vector<Due> claimed;
    for (auto& each : due) {
        if (!claim_row(transaction, queue, each.row, claim, now)) continue;
        each.row.claim = claim;
        claimed.push_back(std::move(each));
    }
    return claimed;
}

// Returns whether a row still has this claim, and keeps others from the row until the transaction ends.
[[nodiscard]] inline bool has_claim(Transaction& transaction, const Queue& queue, std::int64_t id,
                                    std::int64_t claim) {
    const auto rows = transaction.query("SELECT claim FROM " + std::string(queue.table) +
                                            " WHERE " + std::string(queue.key) + " = ?" +
                                            std::string(for_update(transaction.engine())),
                                        {Value{id}});
    return !rows.empty() && rows.front().integer(0) == claim;
}

// Returns SQL that makes rows due and ends their claims; a row that is due already keeps its place. A condition
// follows. Two values: twice when they are due.
[[nodiscard]] inline std::string make_due_sql(const Queue& queue) {
    const std::string due(queue.due);
    return "UPDATE " + std::string(queue.table) + " SET " + due + " = ?, claim = 0 WHERE (" +
           due + " = '' OR " + due + " > ?) AND ";
}

// Ends a claim.
//   due      when the row is due again; nullopt: never
//   returns  false: the claim had ended, and the row stays as it is
inline bool end_claim(Transaction& transaction, const Queue& queue, std::int64_t id,
                      std::int64_t claim, std::optional<base::Seconds> due) {
    return transaction.execute("UPDATE " + std::string(queue.table) + " SET " +
                                   std::string(queue.due) + " = ?, claim = 0 WHERE " +
                                   std::string(queue.key) + " = ? AND claim = ?",
                               {Value{due ? base::format_rfc3339(*due) : std::string()},
                                Value{id}, Value{claim}}) == 1;
}

// Makes due what is further ahead than anything that is written: a clock that was ahead wrote it.
//   returns  how many rows
inline std::int64_t correct_due(Transaction& transaction, const Queue& queue,
                                std::chrono::seconds furthest, base::Seconds now) {
    const std::string due(queue.due);
    return transaction.execute(
        "UPDATE " + std::string(queue.table) + " SET " + due + " = ?, claim = 0 WHERE " + due +
            " > ?",
        {Value{base::format_rfc3339(now)}, Value{base::format_rfc3339(now + furthest)}});
}

}  // namespace store
