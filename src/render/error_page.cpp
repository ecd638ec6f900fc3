// SPDX-License-Identifier: MIT
#include "render/error_page.hpp"

#include "base/utf8.hpp"
#include "render/text.hpp"

namespace render {
namespace {

std::string escaped(std::string_view text) {
    std::string html;
    append_html(html, text);
    return html;
}

}  // namespace

std::string error_page(int status, std::string_view title, std::string_view text,
                       const Site& site) {
    const auto heading = std::to_string(status) + " " + escaped(plain_line(title));
    return "<!DOCTYPE html>\n<html lang=\"" + escaped(site.language) +
           "\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta name=\"viewport\" content=\"width=device-width\">\n"
           "<meta name=\"robots\" content=\"noindex\">\n<title>" +
           heading + " - " + escaped(plain_line(site.title)) + "</title>\n</head>\n<body>\n<h1>" +
           heading + "</h1>\n<p>" + escaped(text) + "</p>\n<p>" +
           escaped(plain_line(site.title)) + "</p>\n</body>\n</html>\n";
}

std::string error_text(int status, std::string_view title, std::string_view text) {
    return std::to_string(status) + " " + plain_line(title) + "\n\n" + base::legal_text(text) +
           "\n";
}

}  // namespace render
