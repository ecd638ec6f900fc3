// serve/parameters.hpp -- the query of a URL: parsed into parameters, and these read as values
// within their limits. The bytes of a query come from strangers.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <optional>
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

// The decoded values of known parameters; a parameter that was not given is absent.
struct Parameters {
    std::map<std::string, std::string, std::less<>> values;  // each given once at most
    std::vector<std::string> objects;                        // of object=, in their order
    std::vector<std::string> pasted;                         // of pasted=, likewise

    [[nodiscard]] const std::string* find(std::string_view name) const;
    // Returns an empty text when the parameter was not given.
    [[nodiscard]] std::string value(std::string_view name) const;
    bool operator==(const Parameters&) const = default;
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

// The functions below fail with 400, naming the parameter, when its value is not acceptable.

// The id of a short address; 400 when it can't be one. Requires that it was given.
[[nodiscard]] Result<std::string> list_id_in(const Parameters& parameters);
// class= and name=, both required, and class= alone.
[[nodiscard]] Result<tree::ObjectName> object_in(const Parameters& parameters);
[[nodiscard]] Result<std::string> class_in(const Parameters& parameters);
// "CLASS:NAME", split at the first colon.
[[nodiscard]] Result<tree::ObjectName> parse_object(const std::string& text,
                                                    std::string_view parameter = "object");
// object=CLASS:NAME: sorted, without duplicates, 1 … most_objects.
[[nodiscard]] Result<std::vector<tree::ObjectName>> objects_in(const Parameters& parameters);
// The version of a release; empty when it was not given.
[[nodiscard]] Result<std::string> version_in(const Parameters& parameters, std::string_view name);
// A text to search for, without blanks at its ends; empty when it was not given.
[[nodiscard]] Result<std::string> search_text_in(const Parameters& parameters,
                                                 std::string_view name);

struct Range {
    std::size_t least = 0, most = 0;
};
// A decimal number; `otherwise` when it was not given.
[[nodiscard]] Result<std::size_t> number_in(const Parameters& parameters, std::string_view name,
                                            Range range, std::size_t otherwise);

// Appends "&name=value", percent-encoded; without '&' to an empty query.
void append_parameter(std::string& query, std::string_view name, std::string_view value);
// Appends object=CLASS:NAME for each object (render::watch_query_of).
void append_objects(std::string& query, const std::vector<tree::ObjectName>& objects);

}  // namespace serve
