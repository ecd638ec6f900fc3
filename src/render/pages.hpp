// render/pages.hpp -- the pages for people: values in, HTML 5 out, through mustache templates.
// Pure: no clock, no I/O. Everything of the data is escaped. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "history/history.hpp"
#include "history/reading.hpp"
#include "render/site.hpp"
#include "render/templates.hpp"

namespace render {

// Pages and the files they load lie below site.base_url: /style.css, /feed.css, /varve.js.
// No page takes more than 60 KB but a part of a long diff.

struct HomeView {
    std::string class_name, text;         // what was looked for; both empty: nothing was
    std::vector<history::Named> found;
    std::vector<std::string> classes;     // to choose from
    std::vector<history::ReleaseSummary> recent;
    std::vector<history::Named> watched;  // the watch list so far (object= of the address)
};
[[nodiscard]] std::string home_page(const HomeView& view, const Site& site,
                                    const Templates& templates);

struct HistoryView {
    history::History history;  // as many rows as may be shown, newest first
    std::string at;            // version of the one release whose changes are shown; empty: all
    std::size_t part = 1;      // of that release's changes, from 1
};
// Every row has an element of the id VERSION; its changes that are on the page have VERSION-cN.
[[nodiscard]] std::string history_page(const HistoryView& view, const Site& site,
                                       const Templates& templates);

struct DiffView {
    history::Difference difference;
    std::size_t part = 1;  // from 1; past the last: the last
};
[[nodiscard]] std::string diff_page(const DiffView& view, const Site& site,
                                    const Templates& templates);

struct ReleaseView {
    history::ReleaseContents contents;
    history::ContentsQuery query;
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
