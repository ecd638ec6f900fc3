// serve/cgi.hpp -- CGI (RFC 3875): its variables as a request, which FastCGI sends too, and
// the response of a program that a web server starts for one request.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "serve/http.hpp"

namespace serve {

// Which protocol brought the variables. It decides where the path of a request comes from.
enum class Protocol : unsigned char {
    fastcgi,  // the whole path of REQUEST_URI: /changes/rss
    cgi,      // the program stands for one page: /cgi-bin/rss is /rss, whatever its folder
};

// Returns the path of base_url: "/changes" for "https://x.org/changes", "" for "https://x.org".
[[nodiscard]] std::string base_path_of(std::string_view base_url);

// Returns the path relative to base_path: "/rss" for "/changes/rss" below "/changes", "/" for
// "/changes" itself; "" when the path is outside of it.
// /db/rss stays as it is, because the first system had that page at the root of its host.
[[nodiscard]] std::string path_below(std::string_view path, std::string_view base_path);

struct Variable {
    std::string_view name, value;
};

// Returns the request that CGI variables describe. Names and values may contain any bytes. Pure.
//   returns    a request with those fields that some route reads; `error` is set when the path or
//              a field cannot be accepted, and 500 when the web server passes no path.
[[nodiscard]] Request request_of(std::span<const Variable> variables, Protocol protocol);
// Does the same for "NAME=value" strings, then a nullptr: environ.
[[nodiscard]] Request request_of(const char* const* variables, Protocol protocol);

// True when a web server started this process for one request: GATEWAY_INTERFACE is set, and
// descriptor 0 is not a listening socket (mod_fcgid sets the variable too, but passes a socket).
// The arguments of the process are then words of the query, chosen by the client: ignore them.
[[nodiscard]] bool started_as_cgi(const char* const* variables);

// Takes what was read of the body of a POST request. Sets body_error where it is not as long as
// CONTENT_LENGTH says. Without that variable any length is right: FastCGI marks the end itself.
void set_body(Request& request, std::string body);

// Writes the response to the request that `variables` describe. Reads a request body of up to
// longest_dropped_body bytes; that of other methods than POST is discarded.
//   input, output  the descriptors that the web server passed
//   returns        false when the response could not be written completely
[[nodiscard]] bool answer_cgi(const char* const* variables, int input, int output,
                              const std::function<Response(const Request&)>& answer);

}  // namespace serve
