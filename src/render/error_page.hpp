// render/error_page.hpp -- the short page behind an error status.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "render/feed.hpp"

namespace render {

// A whole HTML 5 page: nothing of it is loaded from elsewhere, no style, no script.
//   title  the status in words, "Not Found"; text: one sentence for people. Any bytes.
[[nodiscard]] std::string error_page(int status, std::string_view title, std::string_view text,
                                     const Site& site);

// The same for clients that want no HTML: "404 Not Found", an empty line, the sentence.
[[nodiscard]] std::string error_text(int status, std::string_view title, std::string_view text);

}  // namespace render
