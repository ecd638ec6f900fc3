// render/release_pictures.hpp -- what the newest releases did, as small pictures.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>

#include "query/release_list.hpp"
#include "render/site.hpp"

namespace render {

// A bar for each release: objects whose history was read from timestamps, objects created, changed and
// vanished on top of each other (render/stacked_bars.hpp). Each bar links to its release.
//   newest   newest first; at most 60
//   returns  empty if no bar would be there; at most 20 KB with usual addresses
[[nodiscard]] std::string release_bars(std::span<const query::ListedRelease> newest,
                                       const Site& site);
// Returns whether a bar shows histories that were read from timestamps.
[[nodiscard]] bool has_stamps(std::span<const query::ListedRelease> newest);
// The same as a table, folded.
[[nodiscard]] std::string release_table(std::span<const query::ListedRelease> newest);

// A row for each of the classes of which most objects were touched, one for all others, and one for
// the helper classes; the stronger the colour of a cell, the more objects. Below it the same as a table.
//   needs    as above, with details
//   returns  HTML; empty if no cell would be coloured
[[nodiscard]] std::string heat_map(std::span<const query::ListedRelease> newest,
                                   const compare::Ranking& ranking);

}  // namespace render
