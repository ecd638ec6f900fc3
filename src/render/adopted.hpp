// render/adopted.hpp -- HTML of the first system, shown without trusting any of it.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "render/html.hpp"
#include "render/site.hpp"
#include "tables/rows.hpp"

namespace render {

// Appends what `foreign` shows: <br>, and <a href="…"> whose URL is http or https, written anew
// with nothing but that; end tags of such links. Everything else is text, other tags included.
//   returns  nothing; `html` is balanced after it, however `foreign` was
//   cost     O(n)
void add_allowed(Html& html, std::string_view foreign);

// Appends the notes of an adopted row so: what feeds and pages both call, so that neither shows a
// user where the site hides them.
void add_adopted(Html& html, const tables::Row& row, const Site& site);

// `foreign` with the day of each timestamp alone: "(2007-07-30_10:00:00_wormpub)" becomes
// "(2007-07-30)".
//   cost  O(n)
[[nodiscard]] std::string without_users(std::string_view foreign);

}  // namespace render
