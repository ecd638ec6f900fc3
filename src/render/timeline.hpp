// render/timeline.hpp -- the releases of a history as a small picture.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tables/rows.hpp"

namespace render {

// Returns inline SVG without style or script: a time axis with a bar for each release. The height
// of a bar shows the number of changes, and the bar links to the row, #VERSION. Releases too close
// to each other share a bar; there are at most 100 bars.
//   rows       newest first
//   from, end  the rows on this part of the page: bars link only to these
//   returns    empty if there are no rows; at most 20 KB, and the most when all bars link
[[nodiscard]] std::string timeline_of(const std::vector<tables::Row>& rows, std::size_t from,
                                      std::size_t end);

}  // namespace render
