// render/adopted.hpp -- HTML of the first system, shown without trusting any of it.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "render/html.hpp"

namespace render {

// Appends what `foreign` shows: <br>, and <a href="…"> whose URL is http or https, written anew
// with nothing but that; end tags of such links. Everything else is text, other tags included.
//   returns  nothing; `html` is balanced after it, however `foreign` was
//   cost     O(n)
void add_allowed(Html& html, std::string_view foreign);

}  // namespace render
