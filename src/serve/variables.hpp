// serve/variables.hpp -- CGI variables (RFC 3875) as a request, whoever brought them.
// Pure. Safe from any thread. Values are hostile bytes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "serve/http.hpp"

namespace serve {

// How the path of a page is found.
enum class Via : unsigned char {
    fastcgi,  // REQUEST_URI's path below base_url's: https://x.org/changes + /rss
    cgi,      // the program stands for one page: /cgi-bin/rss is /rss, wherever it lies
};

inline constexpr std::size_t longest_path = 2048;   // bytes as they came; above: 414
inline constexpr std::size_t longest_field = 8192;  // above: 400

// The path of base_url: "https://x.org/changes" has "/changes", "https://x.org" has "".
[[nodiscard]] std::string base_path_of(std::string_view base_url);

// The page of a path: "/rss" of "/changes/rss" below "/changes", "/" of "/changes" itself; ""
// when it is not below it.
// /db/rss is itself wherever the site lies: the old site's links stand at the root of the host.
[[nodiscard]] std::string path_below(std::string_view path, std::string_view base_path);

//   variables  "NAME=value" strings behind a nullptr: environ, or FCGX_Request::envp
//   returns    a request with the fields that a route reads; `fault` set where the target can't
//              be read. The path is path_below(base_path).
[[nodiscard]] Request request_of(const char* const* variables, std::string_view base_path,
                                 Via via);

}  // namespace serve
