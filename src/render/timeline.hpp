// render/timeline.hpp -- the releases of a history as a small picture.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tables/rows.hpp"

namespace render {

// Inline SVG without style or script: a time axis, and on it a bar for each release, as high as
// much changed in it; a bar links to the row, #VERSION. Releases that lie so close that they
// would stand on each other share one, at most 100 there are.
//   rows       newest first
//   from, end  the rows that are on the page: only to these the bars link
//   returns    empty when there are none; at most 20 KB, and never more than with all rows there
[[nodiscard]] std::string timeline_of(const std::vector<tables::Row>& rows, std::size_t from,
                                      std::size_t end);

}  // namespace render
