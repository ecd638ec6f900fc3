// serve/http.hpp -- an HTTP request and its response, as plain values (RFC 9110).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "render/site.hpp"

namespace serve {

// Why a request is answered with an error or a redirection: a status and one sentence for people
// (it contains no SQL, path or host).
struct HttpError {
    int status = 400;
    std::string text;
    std::string location = {};  // 301, 302 and 303 only: the URL of the page below base_url
    long retry_after = 0;       // 429 only: seconds
    std::vector<render::PageChoice> choices = {};  // 300 only: what the reader may have meant
    std::string allow = "GET, HEAD";               // 405 only: the methods of this address
};

// A value, or the error that is sent in its place.
template <class T>
using Result = tl::expected<T, HttpError>;
[[nodiscard]] inline tl::unexpected<HttpError> fail(int status, std::string text) {
    return tl::unexpected<HttpError>(HttpError{status, std::move(text), {}});
}
[[nodiscard]] inline tl::unexpected<HttpError> fail(HttpError error) {
    return tl::unexpected<HttpError>(std::move(error));
}

// Returns what is before and after the first separator; without one, all of the text and nothing.
[[nodiscard]] std::pair<std::string_view, std::string_view> halves_of(std::string_view text,
                                                                      char separator);

struct Request {
    std::string method = "GET";
    std::string path;   // decoded, below the path of base_url: "/rss"; empty: outside of it
    std::string query;  // as it was received, without '?'
    std::map<std::string, std::string, std::less<>> fields;  // header fields, names in lower case
    std::string client_address;  // as net::text_of() writes it; empty: unknown
    // The token that a reader of a private site sent in the query, which no longer has it: the
    // addresses of a feed repeat it. Never logged; part of the key of a feed that repeats it.
    std::string query_token;
    std::optional<HttpError> error;  // the request cannot be parsed; sent as the response
    std::string body = {};           // of POST; empty for other methods
    // Why the body of POST is not there: a route that needs it sends this.
    std::optional<HttpError> body_error = {};

    // Returns the value of a field; empty when the request has no such field.
    [[nodiscard]] std::string_view field(std::string_view name) const;
};

// Bytes of the longest request body that is kept, for POST only. A longer one is dropped, but read up to
// the second size, so that the client can finish sending it and then read the answer.
inline constexpr std::size_t longest_body = 64 * 1024;
inline constexpr std::size_t longest_dropped_body = 256 * 1024;
// Returns the error of a body that was too long to be kept.
[[nodiscard]] HttpError body_too_long();

// Shared with the page cache, never copied.
using Body = std::shared_ptr<const std::string>;

struct Response {
    int status = 200;
    std::vector<std::pair<std::string, std::string>> fields;  // without Content-Length
    Body body;                                                // nullptr: none
    bool send_body = true;                                    // false for HEAD and 304

    // Returns the value of a field by its exact name; empty when there is no such field.
    [[nodiscard]] std::string_view field(std::string_view name) const;
    // Adds a field, or replaces its value.
    void set_field(std::string_view name, std::string value);
};

// "Not Found"; "Unknown" for a status that Varve never sends.
[[nodiscard]] std::string_view reason_phrase(int status);

// Returns the head of a CGI response (RFC 3875): "Status: 200 OK", the fields, Content-Length where there is a body and
// it is no 304, an empty line. Field values come from this program and contain no line
// breaks.
[[nodiscard]] std::string head_of(const Response& response);

}  // namespace serve
