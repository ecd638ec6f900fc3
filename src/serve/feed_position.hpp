// serve/feed_position.hpp -- how much of a feed its subscribers have, and which rows they lack.
// A position is made of rows alone: neither a reload of the configuration nor an upgrade changes it.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/history_page.hpp"

namespace serve {

// Returns the position of a document, at most 128 bytes of ASCII: the release of its newest row, when the
// last one was recorded, how many there are in the whole feed, and a digest of which ones it shows.
//   page  the newest rows of the feed: those of the document, and maybe older ones
//   most  rows of a document
[[nodiscard]] std::string position_of(const query::HistoryPage& page, std::size_t most);

// What a document has that the one at a position had not.
struct NewRows {
    // All rows of the document; also where it cannot be told which of them are new, so that a subscriber gets
    // some twice rather than one never: rows whose transactions ended in another order than they were recorded
    // in, or a release that was replaced twice between two looks.
    bool all = false;
    std::vector<std::size_t> rows =
        {};  // otherwise the indexes in the page of those that are new
    bool operator==(const NewRows&) const = default;
};
// Returns what is new. New are rows of later releases, rows that were recorded later, and rows with another
// revision. Rows that are gone are no news: a site that was rolled back, a release that was forgotten.
//   page     as above; with as many older rows as the document has, it is known more often what is new
//   since    as position_of() returned it; any other text means that all is new
//   returns  nullopt: nothing
[[nodiscard]] std::optional<NewRows> rows_since(const query::HistoryPage& page, std::size_t most,
                                                std::string_view since);

}  // namespace serve
