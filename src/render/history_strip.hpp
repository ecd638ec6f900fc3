// render/history_strip.hpp -- the releases of a history: what each one did to the object, in words and
// as a small picture.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "query/histories.hpp"
#include "tables/rows.hpp"

namespace render {

// Releases beside each other in which the same became of an object.
struct Stretch {
    enum class State : unsigned char {
        recorded,   // one release: it has a row
        unchanged,  // compared, and the same
        skipped,    // not compared: the next row has the changes of several releases
        absent      // the object had vanished
    };
    State state = State::unchanged;
    std::size_t row = 0;            // of `recorded`: the index of the row
    std::size_t from = 0, end = 0;  // of the releases, newest first
    bool operator==(const Stretch&) const = default;
};
// Returns what became of an object in all of the releases, newest first.
//   rows      newest first; those of other releases are left out
//   releases  newest first
[[nodiscard]] std::vector<Stretch> stretches_of(const std::vector<tables::Row>& rows,
                                                const std::vector<base::Release>& releases);

// "WS186 to WS188"; "WS187 and WS188"; "WS188".
[[nodiscard]] std::string range_of(const std::vector<base::Release>& releases, std::size_t from,
                                   std::size_t end);

// Returns a picture with a column for each of the newest releases: a bar with what was added, replaced
// and removed, which links to its row, #VERSION; a tick where the object was unchanged. Below it the
// same as a table.
//   followed   the releases
//   from, end  the rows on this part of the page: bars link only to these
//   returns    empty if there are less than two rows; at most 25 KB, and the most when all bars link
[[nodiscard]] std::string history_strip(const std::vector<tables::Row>& rows,
                                        const query::FollowedReleases& followed, std::size_t from,
                                        std::size_t end);

}  // namespace render
