// serve/query.hpp -- the query of a request target: from hostile bytes to parameters, and from
// those to values within their limits.
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

#include "base/result.hpp"
#include "history/history.hpp"
#include "serve/http.hpp"

namespace serve {

// A watch list is longer than all else that is asked for; both are below Apache's limit of a
// line, 32 KB.
inline constexpr std::size_t longest_query = 8192;        // bytes; above: 414
inline constexpr std::size_t longest_list_query = 16384;  // where object= is known
inline constexpr std::size_t most_parameters = 1000;      // above: 400
inline constexpr std::size_t longest_class = 64;          // bytes, as in tree/object.hpp
inline constexpr std::size_t longest_name = 512;          // bytes
inline constexpr std::size_t longest_text = 512;          // bytes of what is looked for
inline constexpr std::size_t most_objects = 200;          // of a watch list

// Values of the parameters asked for, decoded; those that did not come are absent.
struct Parameters {
    std::map<std::string, std::string, std::less<>> values;  // each at most once
    std::vector<std::string> objects;                        // of object=, as they came

    [[nodiscard]] const std::string* find(std::string_view name) const;
    // Empty when it did not come.
    [[nodiscard]] std::string value(std::string_view name) const;
    bool operator==(const Parameters&) const = default;
};

// The parameters of `known` in a query. `&` and `;` separate alike, `+` is a space.
//   known    names of at most 16 bytes; others are ignored, and their values not even decoded
//   error    414 when the query is too long; 400 for too many parameters, and for a known one
//            that comes twice (object= aside), has an invalid percent escape, is no UTF-8 or
//            holds a control character: the text names it
//   cost     O(query), and O(1) when it is too long
[[nodiscard]] Answered<Parameters> parse_query(std::string_view query,
                                               std::span<const std::string_view> known);

// The values of all parameters of this name; the query goes on without them. For what must not
// be seen by routes, caches and logs.
struct Taken {
    std::vector<std::string> values;  // decoded; one that can't be is ""
    std::string rest;                 // the query without them, else as it came
};
[[nodiscard]] Taken take_out(std::string_view query, std::string_view name);

// All below: 400 naming the parameter when it is not what it has to be.

// class= and name=, both there and not too long.
[[nodiscard]] Answered<history::ObjectName> object_in(const Parameters& parameters);
// class= alone.
[[nodiscard]] Answered<std::string> class_in(const Parameters& parameters);
// object=CLASS:NAME, split at the first colon: sorted, each once, 1 … most_objects.
[[nodiscard]] Answered<std::vector<history::ObjectName>> objects_in(const Parameters& parameters);
// The version of a release; empty when it did not come.
[[nodiscard]] Answered<std::string> version_in(const Parameters& parameters,
                                               std::string_view name);
// What is looked for; empty when it did not come.
[[nodiscard]] Answered<std::string> text_in(const Parameters& parameters, std::string_view name);

struct Range {
    std::size_t least = 0, most = 0;
};
// A decimal number; `otherwise` when it did not come.
[[nodiscard]] Answered<std::size_t> number_in(const Parameters& parameters, std::string_view name,
                                              Range range, std::size_t otherwise);

// Appends "&name=value", percent-encoded; without '&' at the beginning of `query`.
void append_parameter(std::string& query, std::string_view name, std::string_view value);
// Appends object=CLASS:NAME for each (render::watch_query_of).
void append_objects(std::string& query, const std::vector<history::ObjectName>& objects);

}  // namespace serve
