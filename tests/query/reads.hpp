// What reads of a store need besides the store, for tests without a HistoryService.
// SPDX-License-Identifier: MIT
#pragma once

#include "query/histories.hpp"
#include "support/catch.hpp"
#include "support/recording.hpp"
#include "support/small_build.hpp"

namespace query {

class Reads {
   public:
    Reads(store::Pool& pool, const history::Settings& settings)
        : pool_(pool), settings_(settings) {}

    //   build  nullptr: none is available
    [[nodiscard]] ReadContext of(source::Build build) {
        return {pool_, settings_, shared_, {std::move(build), nullptr}};
    }

    // Returns the rows of an object up to a release, none if it is not recorded.
    std::vector<tables::Row> rows(const ObjectName& name, const Release& current,
                                  const PageRequest& request = {}) {
        const auto build = std::make_shared<support::SmallBuild>(
            current.version, base::format_date(current.released_on));
        return read(of(build), [&](const ReadView& now) {
            const history::Identity identity{support::row_of(now.transaction, name), name};
            if (!identity.row) return std::vector<tables::Row>();
            auto history = load_history(now, identity, request);
            REQUIRE(history);
            return std::move(history->rows);
        });
    }

   private:
    store::Pool& pool_;
    const history::Settings& settings_;
    SharedReads shared_;
};

}  // namespace query
