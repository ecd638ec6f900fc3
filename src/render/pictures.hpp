// render/pictures.hpp -- small pictures as inline SVG without style or script: bars of releases and fetches, the heat map
// of classes, the track of mentions. The same numbers are in a folded table below each. Positions are in percent, so that
// text keeps its size at any width.
// Pure. Safe from any thread. Everything is escaped.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "query/histories.hpp"
#include "query/release_contents.hpp"
#include "render/pages.hpp"
#include "render/site.hpp"
#include "render/variables.hpp"

namespace render {

// More columns do not fit on a phone.
inline constexpr std::size_t most_columns = 60;

// -- releases

// Sets the pictures of the newest releases: bars and heat_map; has_stamps, if a bar shows histories that were read
// from timestamps; pictured ("the newest 60") if they do not show all.
//   most       releases that are pictured, with details; at most 60
//   has_table  the bars have the same numbers as a table, folded
void add_release_pictures(Variables& variables, const query::ReleaseList& releases,
                          std::size_t most, bool has_table, const Site& site);

// A bar for each release: objects whose history was read from timestamps, objects created, changed and
// vanished on top of each other. Each bar links to its release.
//   newest   newest first; at most 60
//   returns  empty if no bar would be there; at most 25 KB with usual addresses, and the table
[[nodiscard]] std::string release_bars(std::span<const query::ListedRelease> newest,
                                       bool has_table, const Site& site);

// A row for each of the classes of which most objects were touched, one for all others, and one for
// the helper classes; the stronger the colour of a cell, the more objects. Below it the same as a table.
//   needs    as above, with details
//   returns  HTML; empty if no cell would be coloured
[[nodiscard]] std::string heat_map(std::span<const query::ListedRelease> newest,
                                   const compare::Ranking& ranking);

// -- the history of an object

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
// "unchanged"
[[nodiscard]] std::string_view word_of(Stretch::State state);
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
//   from, end  the rows on this page: bars link only to these
//   returns    empty if there are less than two rows; at most 25 KB, and the most when all bars link
[[nodiscard]] std::string history_strip(const std::vector<tables::Row>& rows,
                                        const query::FollowedReleases& followed, std::size_t from,
                                        std::size_t end);

// Returns a picture below the strip of the history, with the same columns: a mark for each entry that mentions the
// object in the release that was the newest one then, or one mark with their number where there are many.
//   returns  empty without mentions or releases; at most 20 KB
[[nodiscard]] std::string mention_track(const query::History& history,
                                        const query::FollowedReleases& followed);

// -- a source feed

// Returns a bar for each fetch, as high as the time since the one before; empty: there are not two of them.
//   events  newest first
[[nodiscard]] std::string fetch_picture(const std::vector<FetchEvent>& events);

}  // namespace render
