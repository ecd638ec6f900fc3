// query/visible.hpp -- which recorded objects are seen as of the current release: one that was
// warmed before it is switched to, or rolled back from, is nobody's business yet.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "query/as_of.hpp"
#include "query/history_page.hpp"
#include "query/query.hpp"

namespace query {

// What among() is given rows of, from `objects` alone.
inline constexpr std::string_view found_columns = "SELECT oid, class, name, label, ace_version";

class Visible {
   public:
    //   reading  outlives it
    //   throws   Failure
    Visible(store::Transaction& transaction, const ReadContext& reading);

    // Those that the build has, or that a release up to the current one has recorded, in their
    // order, called what they are called now; a label is empty where nothing tells it.
    //   found   rows of found_columns
    //   throws  Failure
    //   cost    nothing where nothing newer was recorded; else their rows are looked up, 64
    //           objects a query, and those that have none in the build
    [[nodiscard]] std::vector<Named> among(store::Transaction& transaction,
                                           std::span<const store::Row> found) const;

   private:
    const ReadContext& reading_;
    AsOf now_;
};

}  // namespace query
