// serve/parameters.hpp -- the parameters of the site's addresses. parameters.cpp has the one table of them, with
// what each value must be, and the rules across them. Their bytes come from strangers.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hub/topic.hpp"
#include "query/history_page.hpp"
#include "serve/http.hpp"

namespace base {
class JsonWriter;
}

namespace serve {

enum class Route : unsigned char;  // routes.hpp

// A watch list needs the longest queries; both limits are below Apache's limit of 32 KB a line.
inline constexpr std::size_t longest_query = 8192;        // bytes; above: 414
inline constexpr std::size_t longest_list_query = 16384;  // on addresses that take object=
inline constexpr std::size_t most_objects = 200;          // of a watch list
inline constexpr std::size_t default_items = 50;          // of a feed without n=

// An address of the site: its path, and the parameters of its query, checked and in their canonical spelling.
// Parameters that the address does not know, that have their default value, or that mean nothing beside the others
// are not among them.
class Query {
   public:
    using Subject = hub::Topic::Subject;

    explicit Query(std::string path) : path_(std::move(path)) {}

    // Parses the query of a URL. `&` and `;` both separate parameters, `+` is a space.
    //   path        that of the canonical address, below base_url
    //   text        without '?'
    //   most_items  the largest n that is allowed (serve.max_items)
    //   error       414 when the query is too long; 400 for more than 1,000 parameters, or with a sentence that names the
    //               parameter: first for one that cannot be decoded or is given twice, then for a value that is
    //               refused, in canonical order, then for what is missing or does not go together
    //   cost        O(query), and O(1) when it is too long
    [[nodiscard]] static Result<Query> parse(Route route, std::string path, std::string_view text,
                                             std::size_t most_items);

    // What a feed is about. Of other addresses only those of releases have another one than an object.
    [[nodiscard]] Subject subject() const { return subject_; }
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] bool has(std::string_view name) const;
    // Returns the first value of a parameter; empty: it was not given, or has its default value.
    [[nodiscard]] const std::string& get(std::string_view name) const;
    [[nodiscard]] std::vector<std::string> all(std::string_view name) const;
    [[nodiscard]] std::size_t number(std::string_view name, std::size_t otherwise) const;
    // Returns what class= and name= say, or object=, which is sorted and has each object once.
    [[nodiscard]] tree::ObjectName object() const { return {get("class"), get("name")}; }
    [[nodiscard]] std::vector<tree::ObjectName> objects() const;

    // Return the same address with other values of a parameter, which are right; an empty one leaves it out.
    [[nodiscard]] Query with(std::string_view name, const std::vector<std::string>& values) const;
    [[nodiscard]] Query with(std::string_view name, std::string value) const {
        return with(name, std::vector{std::move(value)});
    }
    [[nodiscard]] Query with(const tree::ObjectName& object) const;
    [[nodiscard]] Query with(const std::vector<tree::ObjectName>& objects) const;
    [[nodiscard]] Query without(std::string_view name) const { return with(name, std::string()); }
    [[nodiscard]] Query at(std::string path) const;

    // Returns the parameters in canonical order, with the escapes that they need: "class=Gene&name=a%20b".
    [[nodiscard]] std::string canonical() const;
    // Returns the URL below base_url: "/rss?class=Gene&name=a%20b".
    [[nodiscard]] std::string url() const;
    // Returns the URL with a further parameter, the last one, whose value is to be added: "…&before=".
    [[nodiscard]] std::string url_up_to(std::string_view name) const;

    bool operator==(const Query&) const = default;

   private:
    struct Value {
        std::string name, value;
        bool operator==(const Value&) const = default;
    };
    std::string path_;
    Subject subject_ = Subject::object;
    std::vector<Value> values_;  // in canonical order
};

// Checks a text as the value of a parameter in a query; what a form sends is checked like that.
//   error  400
[[nodiscard]] Result<std::string> check_value(Route route, std::string_view name,
                                              std::string value);

// Returns the formats that a route has besides that of the page.
[[nodiscard]] std::vector<std::string_view> formats_of(Route route);

// Writes the parameters of a route as OpenAPI has them: objects of an array.
void write_parameters(base::JsonWriter& json, Route route, std::size_t most_items);

// Splits a value of object=, "CLASS:NAME", at the first colon. Requires that it was checked.
[[nodiscard]] tree::ObjectName object_of(std::string_view value);

// Returns the address of the page of a watch list with as many of the objects, then of the names, as it has room for,
// in their order; it counts the others.
//   list      path, and the search on the page
//   pasted    names that mean no object, or several
//   left_out  how many had no room before
[[nodiscard]] std::string fitting_url(const Query& list, std::vector<tree::ObjectName> objects,
                                      std::vector<std::string> pasted, std::size_t left_out);

// Removes all parameters of one name from a query: routes, caches and logs then never see them.
struct Extracted {
    std::vector<std::string> values;  // decoded; "" for one with an invalid percent escape
    std::string rest;                 // the query without them, otherwise unchanged
};
[[nodiscard]] Extracted extract_parameter(std::string_view query, std::string_view name);

// Returns a query, or a path that ends in one by mistake (/rss%3Ftoken=), as logs may have it: without what may
// hold a token, in whatever spelling (Token=, token[]=, access_token=), at most 1,000 bytes.
[[nodiscard]] std::string without_token(std::string_view query);

}  // namespace serve
