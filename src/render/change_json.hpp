// render/change_json.hpp -- changes as JSON, for programs (docs/protocols.md).
// Pure. Safe from any thread. If the site hides curators, users and opaque timestamps are left
// out.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "compare/change.hpp"
#include "query/tree_at.hpp"
#include "render/site.hpp"

namespace render {

// Returns {"op":…,"path":[…],"before":[…],"after":[…]}.
[[nodiscard]] std::string change_json(const compare::Change& change, const Site& site);

// Writes a member of any text: U+FFFD takes the place of what is not legal (base/utf8).
void write_text(base::JsonWriter& json, std::string_view key, std::string_view text);

// Writes the members that say when a node was written, and by whom unless the site hides that.
void write_stamp(base::JsonWriter& json, std::string_view stamp, const Site& site);

// Two releases of an object compared, for /diff and `varve diff`:
// {"class","name","from","to","kind","changes":[…]} and a line end.
//   most_bytes  of the changes, about; "left_out" says how many more there are
[[nodiscard]] std::string difference_json(
    const query::Difference& difference, const Site& site,
    std::size_t most_bytes = std::numeric_limits<std::size_t>::max());

}  // namespace render
