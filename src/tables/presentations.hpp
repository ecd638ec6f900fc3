// tables/presentations.hpp -- since when readers see what they see: for Last-Modified. A presentation
// is what decides how a site shows its history besides the rows: the release and build served, the
// configuration, the templates and the program. `meta` has the newest presentation of each site.
// Verbs throw store::Failure.
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

#include "base/date.hpp"
#include "store/pool.hpp"

namespace tables {

struct Presentation {
    std::string site;    // 16 hex digits: which of the sites over this store
    std::string digest;  // 32 hex digits: of all that decides
    // Returns the name of its row in `meta`.
    [[nodiscard]] std::string name() const;
};

// Returns the newest presentation of each site, by name, and since when readers see the history as
// it is shown now: since it became the newest one, or since the last note_rewrite().
[[nodiscard]] std::map<std::string, base::Seconds> presentations(store::Transaction& transaction);

// Makes this the newest presentation of its site, from now on, unless it is already. Requires a
// writing transaction.
void record_presentation(store::Transaction& transaction, const Presentation& presentation,
                         base::Seconds now);

// Moves the write generation on, and notes that every page may have other bytes from now on although
// no row of it was recorded: rows were deleted or replaced, or are shown in another way. Readers see
// that from the next second on, so that pages of this second have another date. Requires a writing
// transaction.
void note_rewrite(store::Transaction& transaction, base::Seconds now);

}  // namespace tables
