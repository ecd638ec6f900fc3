// render/links.hpp -- which URLs may become links, and what names a place on a page.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace render {

// True for http: and https: URLs with something behind "//": nothing else is ever linked.
[[nodiscard]] bool is_web_url(std::string_view url);

// "-c3": what the place of the third change of a row has behind that of the row.
[[nodiscard]] std::string suffix_of(std::size_t number);

}  // namespace render
