// render/release_pictures.hpp -- what the newest releases did, as small pictures.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>

#include "query/release_list.hpp"
#include "render/site.hpp"

namespace render {

// Inline SVG without style or script, the oldest release at the left. Positions are in percent, so that
// text keeps its size at any width.

// A bar for each release: objects created, changed and vanished on top of each other. Each bar links to
// its release.
//   newest   newest first; at most 60
//   returns  empty if no bar would be there; at most 20 KB with usual addresses
[[nodiscard]] std::string release_bars(std::span<const query::ListedRelease> newest,
                                       const Site& site);

// A row for each of the classes of which most objects were touched, and one for all others; the
// stronger the colour of a cell, the more objects. Below it the same as a table.
//   needs, returns  as above, with details
[[nodiscard]] std::string heat_map(std::span<const query::ListedRelease> newest);

}  // namespace render
