// store/import_mark.hpp -- the mark that a store bears while an import fills it: a row of
// `meta` whose number one import alone knows and moves on with each of its transactions. From
// it each transaction tells whether it was done before (its commit was in doubt), and whether
// another import has taken over.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "store/archive.hpp"
#include "store/pool.hpp"

namespace store {

inline constexpr std::string_view import_mark_name = "importing";

[[nodiscard]] bool import_is_unfinished(Connection& connection);

class ImportMark {
   public:
    explicit ImportMark(Pool& pool);

    // Sets the mark in an empty store, or takes over the one that a broken-off import left and
    // clears its rows.
    //   error   refused: rows of somebody's in the store, or a mark and Leftovers::refuse
    //   throws  Failure
    [[nodiscard]] base::Result<void> set(Leftovers leftovers);

    // Runs fn(Transaction&) as one step of the import: exactly once, though its commit be in
    // doubt.
    //   error   conflict: another import has taken over
    //   throws  Failure; whatever fn throws
    template <class F>
    [[nodiscard]] base::Result<void> step(F fn) {
        const auto before = ticket_;
        const auto mine = perform(pool_, Access::write, [&](Transaction& transaction) {
            const auto turn = turn_of(transaction, before);
            if (turn == Turn::now) fn(transaction);
            return turn != Turn::lost;
        });
        if (!mine) return taken_over();
        ++ticket_;
        return {};
    }

    // Deletes every row of every table but `meta`, in steps of 4,000.
    [[nodiscard]] base::Result<void> clear_rows();

    // The last step: the store is like any other from here on.
    [[nodiscard]] base::Result<void> remove();

   private:
    enum class Turn { now, done_before, lost };
    static Turn turn_of(Transaction& transaction, std::int64_t ticket);
    static tl::unexpected<base::Error> taken_over();

    Pool& pool_;
    std::int64_t ticket_;  // the mark's value after the last step
};

}  // namespace store
