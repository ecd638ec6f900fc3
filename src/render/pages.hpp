// render/pages.hpp -- the pages for people: values in, HTML 5 out, through mustache templates.
// Pure: no clock, no I/O. Everything of the data is escaped. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "query/history_page.hpp"
#include "query/query.hpp"
#include "render/site.hpp"
#include "render/templates.hpp"

namespace render {

// Pages and the files they load lie below site.base_url: /style.css, /feed.css, /varve.js.
// No page takes more than 60 KB (most_of_page in page_parts.hpp), whatever it is given: what has
// no room is on the next part, or left out where the page says so.

struct HomeView {
    std::string class_name, text;  // what was looked for; both empty: nothing was
    std::vector<query::Named> found;
    std::vector<std::string> classes;  // to choose from
    std::vector<query::ReleaseSummary> recent;
    std::vector<query::Named> watched;  // the watch list so far (object= of the address)
};
// One GET form holds search and watch list: `q` and `class` are what is looked for, `object` each
// object of the list that is to stay (ticked boxes) or to be added (the button of a result).
[[nodiscard]] std::string home_page(const HomeView& view, const Site& site,
                                    const Templates& templates);

struct HistoryView {
    query::History history;  // as many rows as may be shown, newest first
    std::string at;          // version of the one release whose changes are shown; empty: all
    std::size_t part = 1;    // of that release's changes, or of the rows; from 1
};
// Every row has an element of the id VERSION, on the first part unless there are some 200 or
// more; its changes that are on the page have VERSION-cN. Past the last part: the last.
[[nodiscard]] std::string history_page(const HistoryView& view, const Site& site,
                                       const Templates& templates);

struct DiffView {
    query::Difference difference;
    std::size_t part = 1;  // from 1; past the last: the last
};
[[nodiscard]] std::string diff_page(const DiffView& view, const Site& site,
                                    const Templates& templates);

struct ReleaseView {
    query::ReleaseContents contents;
    query::ContentsQuery query;
};
[[nodiscard]] std::string release_page(const ReleaseView& view, const Site& site,
                                       const Templates& templates);

// The page behind an error status.
//   title  the status in words, "Not Found"; text: one sentence for people. Any bytes.
[[nodiscard]] std::string error_page(int status, std::string_view title, std::string_view text,
                                     const Site& site, const Templates& templates);
// The same for clients that want no HTML: "404 Not Found", an empty line, the sentence.
[[nodiscard]] std::string error_text(int status, std::string_view title, std::string_view text);

}  // namespace render
