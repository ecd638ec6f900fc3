// render/difference_json.hpp -- two releases of an object compared, as JSON (docs/schema.md).
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "query/query.hpp"
#include "render/site.hpp"

namespace render {

// {"class","name","from","to","kind","changes":[…]} and a line end, for /diff and `varve diff`.
// Users of stamps are left out where the site hides them.
[[nodiscard]] std::string difference_json(const query::Difference& difference, const Site& site);

}  // namespace render
