// serve/parameters.hpp -- the query of a URL, parsed into the decoded values of its parameters. The bytes
// of a query come from strangers.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "query/history_page.hpp"
#include "serve/http.hpp"

namespace serve {

// A watch list needs the longest queries; both limits are below Apache's limit of 32 KB a line.
inline constexpr std::size_t longest_query = 8192;        // bytes; above: 414
inline constexpr std::size_t longest_list_query = 16384;  // where object= is a known parameter
inline constexpr std::size_t most_parameters = 1000;      // above: 400
inline constexpr std::size_t longest_search = 512;        // bytes of a text to search for
inline constexpr std::size_t most_objects = 200;          // of a watch list

// The decoded values of known parameters; a parameter that was not given is absent. Only object= and pasted=
// have several values, in their order.
struct Parameters {
    std::map<std::string, std::vector<std::string>, std::less<>> values;

    [[nodiscard]] std::span<const std::string> all(std::string_view name) const;
    [[nodiscard]] const std::string* find(std::string_view name) const;
};

// Parses a query. `&` and `;` both separate parameters, `+` is a space.
//   known    names of at most 16 bytes; other parameters are ignored and not decoded
//   error    414 when the query is too long; 400, naming the parameter, for a known one that is
//            given twice (except object= and pasted=), has an invalid percent escape, is not UTF-8 or
//            contains a control character; 400 for too many parameters
//   cost     O(query), and O(1) when it is too long
[[nodiscard]] Result<Parameters> parse_query(std::string_view query,
                                             std::span<const std::string_view> known);

// Removes all parameters of one name from a query: routes, caches and logs then never see them.
struct Extracted {
    std::vector<std::string> values;  // decoded; "" for one with an invalid percent escape
    std::string rest;                 // the query without them, otherwise unchanged
};
[[nodiscard]] Extracted extract_parameter(std::string_view query, std::string_view name);

// Returns a query, or a path that ends in one by mistake (/rss%3Ftoken=), as logs may have it: without what may
// hold a token, in whatever spelling (Token=, token[]=, access_token=), at most longest_logged bytes.
inline constexpr std::size_t longest_logged = 1000;
[[nodiscard]] std::string without_token(std::string_view query);

// Returns the error for the value of a parameter that has more bytes than `longest`.
[[nodiscard]] tl::unexpected<HttpError> too_long(std::string_view name, std::size_t longest);

// Parses a value of object=, "CLASS:NAME", split at the first colon.
//   error  400
[[nodiscard]] Result<tree::ObjectName> parse_object(const std::string& text);

}  // namespace serve
