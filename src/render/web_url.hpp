// render/web_url.hpp -- which URLs may become links.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace render {

// True for http: and https: URLs with something behind "//": nothing else is ever linked.
[[nodiscard]] bool is_web_url(std::string_view url);

}  // namespace render
