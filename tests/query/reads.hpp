// What reads of a store need besides the store, for tests without a HistoryService.
// SPDX-License-Identifier: MIT
#pragma once

#include "query/context.hpp"

namespace query {

class Reads {
   public:
    Reads(store::Pool& pool, const history::Settings& settings)
        : pool_(pool), settings_(settings) {}

    //   build  nullptr: none is available
    [[nodiscard]] ReadContext of(source::Build build) {
        return {pool_,
                settings_,
                release_cache_,
                counted_rows_,
                unreadable_,
                budget_,
                {std::move(build), nullptr}};
    }

   private:
    store::Pool& pool_;
    const history::Settings& settings_;
    ReleaseCache release_cache_;
    CountedRowsCache counted_rows_{base::system_clock_now};
    UnreadableRows unreadable_;
    base::ByteBudget budget_{{}};
};

}  // namespace query
