// serve/page_query.hpp -- what the pages for people and scripts are asked for.
// Pure. Safe from any thread. Errors: 400 naming the parameter, 414.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "history/reading.hpp"
#include "serve/http.hpp"

namespace serve {

// /history
struct HistoryQuery {
    history::ObjectName object;
    std::string at;        // a version; empty: all
    std::size_t part = 1;  // of the changes of `at`
    bool operator==(const HistoryQuery&) const = default;
};
[[nodiscard]] Answered<HistoryQuery> parse_history_query(std::string_view query);
// "/history?class=…&name=…", in the order class, name, at, part.
[[nodiscard]] std::string address_of(const HistoryQuery& query);

// /diff
struct DiffQuery {
    history::ObjectName object;
    std::string from, to;  // versions, both said
    enum class As : unsigned char { page, json } as = As::page;
    std::size_t part = 1;
    bool operator==(const DiffQuery&) const = default;
};
[[nodiscard]] Answered<DiffQuery> parse_diff_query(std::string_view query);
// In the order class, name, from, to, part, format.
[[nodiscard]] std::string address_of(const DiffQuery& query);

// /
struct HomeQuery {
    std::string class_name, text;              // what is looked for; both may be empty
    std::vector<history::ObjectName> objects;  // the watch list so far; may be empty
    bool operator==(const HomeQuery&) const = default;
};
[[nodiscard]] Answered<HomeQuery> parse_home_query(std::string_view query);
[[nodiscard]] std::string address_of(const HomeQuery& query);

// /suggest: class= and q= as above, no objects.
[[nodiscard]] Answered<HomeQuery> parse_suggest_query(std::string_view query);

// /opml
[[nodiscard]] Answered<std::vector<history::ObjectName>> parse_opml_query(std::string_view query);
[[nodiscard]] std::string opml_address_of(const std::vector<history::ObjectName>& objects);

// /release/VERSION for people
[[nodiscard]] Answered<history::ContentsQuery> parse_contents_query(std::string_view query);
[[nodiscard]] std::string contents_address_of(const std::string& version,
                                              const history::ContentsQuery& query);

}  // namespace serve
