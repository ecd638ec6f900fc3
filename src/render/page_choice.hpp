// render/page_choice.hpp -- one of several pages that a reader may have meant. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace render {

struct PageChoice {
    std::string text;  // any bytes; shown on one line, cut after 120 bytes
    std::string url;   // below base_url: "/history?class=…"
    bool operator==(const PageChoice&) const = default;
};

}  // namespace render
