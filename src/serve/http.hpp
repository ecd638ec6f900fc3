// serve/http.hpp -- a request and its answer, as plain values.
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace serve {

// Why a request gets no page here: a status and one sentence for people (no SQL, path or host).
struct Refusal {
    int status = 400;
    std::string text;
    std::string location = {};  // 301 only: the absolute URL that has it
    long retry_after = 0;       // 429 only: seconds
    bool operator==(const Refusal&) const = default;
};

// A value, or the refusal that is sent in its place.
template <class T>
using Answered = tl::expected<T, Refusal>;
[[nodiscard]] inline tl::unexpected<Refusal> refuse(int status, std::string text) {
    return tl::unexpected<Refusal>(Refusal{status, std::move(text), {}});
}
[[nodiscard]] inline tl::unexpected<Refusal> refuse(Refusal refusal) {
    return tl::unexpected<Refusal>(std::move(refusal));
}

struct Request {
    std::string method = "GET";
    std::string path;   // decoded, below base_url's path: "/rss"; empty: not below it
    std::string query;  // as it came, without '?'
    std::map<std::string, std::string, std::less<>> fields;  // names in lower case
    std::string peer;                                        // address of the client, for the log
    std::optional<Refusal> fault;  // why the request can't be read; sent in place of an answer

    // Value of a field; empty when it did not come.
    [[nodiscard]] std::string_view field(std::string_view name) const;
};

// Bodies are shared with the page cache, never copied.
using Body = std::shared_ptr<const std::string>;

struct Response {
    int status = 200;
    std::vector<std::pair<std::string, std::string>> fields;  // without Content-Length
    Body body;                                                // nullptr: none
    bool send_body = true;  // false for HEAD: the length is told, the bytes are not sent
    bool kept = false;      // the page came from the cache; for the log

    // Value of a field by its exact name; empty when there is none.
    [[nodiscard]] std::string_view field(std::string_view name) const;
};

[[nodiscard]] std::string_view reason_of(int status);

// The head of a CGI answer: "Status: 200 OK", the fields, Content-Length where there is a body,
// an empty line. Field values are of our making and hold no line ends.
[[nodiscard]] std::string head_of(const Response& response);

}  // namespace serve
