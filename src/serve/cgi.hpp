// serve/cgi.hpp -- plain CGI (RFC 3875): one request from the environment, one answer.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "serve/http.hpp"

namespace serve {

// True when a web server started this process for one request: GATEWAY_INTERFACE is set, and
// descriptor 0 is no listening socket (it is one under mod_fcgid, which sets the variable too).
// The command line then holds words of the query, written by whoever asked: not to be read.
[[nodiscard]] bool started_as_cgi(const char* const* variables);

// Descriptors that the web server gave.
struct Streams {
    int input = 0;
    int output = 1;
};

// Answers the request that `variables` describe. A request's body is read up to 256 KB and
// thrown away.
//   returns  false when it could not be written whole
[[nodiscard]] bool answer_cgi(const char* const* variables, Streams streams,
                              const std::function<Response(const Request&)>& answer);

}  // namespace serve
