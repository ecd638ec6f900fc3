// serve/http.hpp -- a request and its answer, as plain values.
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace serve {

struct Request {
    std::string method = "GET";
    std::string path;    // decoded, below base_url's path: "/rss"
    std::string query;   // as it came, without '?'
    std::map<std::string, std::string, std::less<>> fields;  // names in lower case
    std::string peer;    // address of the client, for the log
};

// Bodies are shared with the page cache, never copied.
using Body = std::shared_ptr<const std::string>;

struct Response {
    int status = 200;
    std::vector<std::pair<std::string, std::string>> fields;  // without Content-Length
    Body body;                   // nullptr: none
    bool send_body = true;       // false for HEAD: the length is told, the bytes are not sent
};

[[nodiscard]] std::string_view reason_of(int status);

}  // namespace serve
