// serve/query.hpp -- the query of a request target: from hostile bytes to what was asked for.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "history/history.hpp"
#include "serve/http.hpp"

namespace serve {

inline constexpr std::size_t longest_query = 8192;    // bytes; above: 414
inline constexpr std::size_t most_parameters = 1000;  // above: 400
inline constexpr std::size_t longest_class = 64;      // bytes, as are those of tree/object.hpp
inline constexpr std::size_t longest_name = 512;      // bytes

// Values of the parameters asked for, decoded; those that did not come are absent.
using Parameters = std::map<std::string, std::string, std::less<>>;

// The parameters of `known` in a query. `&` and `;` separate alike, `+` is a space.
//   known    names of at most 16 bytes; others are ignored, and their values not even decoded
//   error    414 when the query is too long; 400 for too many parameters, and for a known one
//            that comes twice, has an invalid percent escape, is no UTF-8 or holds a control
//            character: the text names it
//   cost     O(query), and O(1) when it is too long
[[nodiscard]] Answered<Parameters> parse_query(std::string_view query,
                                               std::span<const std::string_view> known);

// What /rss is asked for.
struct FeedQuery {
    history::ObjectName object;
    history::Window window;
    bool says_most = false;  // n= was given, be it the default: it belongs to the address
    std::string format;      // "rss"; empty: not said
    bool operator==(const FeedQuery&) const = default;
};

inline constexpr std::size_t default_items = 50;

//   most_items  the largest n that is allowed (serve.max_items)
//   error       400 naming the parameter; 406 for a format that is not offered (yet); 414
[[nodiscard]] Answered<FeedQuery> parse_feed_query(std::string_view query,
                                                   std::size_t most_items);

// The same query in the one spelling that links and `self` use: class, name, n, since, format.
[[nodiscard]] std::string to_text(const FeedQuery& query);

}  // namespace serve
