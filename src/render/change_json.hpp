// render/change_json.hpp -- changes as JSON, for programs (docs/protocols.md).
// Pure. Safe from any thread. If the site hides curators, users and opaque timestamps are left
// out.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "compare/change.hpp"
#include "query/query.hpp"
#include "render/site.hpp"

namespace render {

// Appends {"op":…,"path":[…],"before":[…],"after":[…]}.
void append_change_json(std::string& json, const compare::Change& change, const Site& site);

// Appends a JSON string, whatever bytes `text` has.
void append_json_text(std::string& json, std::string_view text);

// Two releases of an object compared, for /diff and `varve diff`:
// {"class","name","from","to","kind","changes":[…]} and a line end.
[[nodiscard]] std::string difference_json(const query::Difference& difference, const Site& site);

}  // namespace render
