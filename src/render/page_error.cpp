// SPDX-License-Identifier: MIT
#include "base/utf8.hpp"
#include "render/page_parts.hpp"
#include "render/pages.hpp"
#include "render/text.hpp"

namespace render {

std::string error_page(int status, std::string_view title, std::string_view text,
                       const Site& site, const Templates& templates) {
    Variables variables;
    variables.text("status", std::to_string(status))
        .text("reason", plain_line(title))
        .text("explanation", std::string(text));
    const Frame frame{.file = "error.mustache",
                      .title = std::to_string(status) + " " + std::string(title),
                      .feeds = {},
                      .noindex = true,
                      .search_text = {}};
    return framed(frame, variables, site, templates);
}

std::string error_text(int status, std::string_view title, std::string_view text) {
    return std::to_string(status) + " " + plain_line(title) + "\n\n" + base::legal_text(text) +
           "\n";
}

}  // namespace render
