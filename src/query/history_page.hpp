// query/history_page.hpp -- what feeds and pages show of the history, as plain values.
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compare/change.hpp"
#include "tables/rows.hpp"

namespace query {

using base::Release;
using tree::ObjectName;

// Which changes of a row are shown. Nothing set: all of them, and rows that have none too.
struct ChangeFilter {
    std::string tag;                // a tag on the way to the change, or in it; ASCII case aside
    std::vector<compare::Op> only;  // in their order, each once; empty: all

    [[nodiscard]] bool is_set() const { return !tag.empty() || !only.empty(); }
    [[nodiscard]] bool shows(const compare::Change& change) const;
    // Whether any of its changes is shown.
    [[nodiscard]] bool shows(const tables::Row& row) const;
    bool operator==(const ChangeFilter&) const = default;
};

// Items of one page of the archive (RFC 5005 section 4).
inline constexpr std::size_t archive_page = 50;

// Of a narrowed reading so many of the newest rows are looked at; older ones are not found.
inline constexpr std::size_t most_narrowed = 20'000;

// Which rows a feed shows, of those up to the current release.
struct PageRequest {
    std::size_t most = 50;  // newest this many, 1 … serve.max_items
    std::string since;      // only rows of releases after this version; empty: all
    ChangeFilter narrowing = {};
    // 0: the newest. Else a page of the archive: of the rows that since and narrowing leave,
    // numbered from 0 for the oldest, those from before - archive_page to before - 1; `most`
    // says nothing then. A multiple of archive_page.
    std::size_t before = 0;
    bool operator==(const PageRequest&) const = default;
};

// Whom the user of a stamp stands for ([curators]), and what people call them.
struct Person {
    ObjectName object;
    std::string label;  // never empty
    bool operator==(const Person&) const = default;
};
using People = std::map<std::string, Person, std::less<>>;  // by user

// Some rows of history, as one document shows them: of one object or of many.
struct HistoryPage {
    Release current;                // the release answered from
    std::vector<tables::Row> rows;  // newest release first, then class, name
    // Rows there are in all that since and narrowing leave: the window shows some of them.
    std::size_t recorded = 0;
    // Older rows were not looked at: a narrowing looks at the newest 20,000 and there are more.
    // `recorded` is what was found in those, and any new row moves where pages begin. Such a
    // feed is not complete, and has no archive: serve answers 404 for a page of one.
    bool cut = false;
    // Pages of the archive are numbered by release and in it by the order of recording: class and
    // release feeds (reading.hpp tells what moves them). Else from the last of `rows`' order to
    // the first.
    bool numbered_by_recording = false;
    base::Date last_modified{};  // where there are no rows: when what it is about changed
    std::vector<tables::MassChange> mass_changes;  // of the rows' releases and classes
    People people;                                 // those of [curators]
    ChangeFilter narrowing;                        // the window's
    bool operator==(const HistoryPage&) const = default;
};

// The history of one object as one feed or page shows it.
struct History : HistoryPage {
    ObjectName object;    // first recorded spelling
    ObjectName spelling;  // the current build's (object's own when it has vanished)
    std::string label;    // what people call it now; never empty
    std::int64_t oid = 0;
    bool vanished = false;  // not in the current release
    bool operator==(const History&) const = default;
};

// An object and what people call it.
struct Named {
    ObjectName object;
    std::string label;  // never empty
    bool operator==(const Named&) const = default;
};

// A watch list: rows of all of its objects, as one feed shows them.
struct WatchList : HistoryPage {
    // First recorded spellings, sorted, each once; unknown ones are left out. Called as in the
    // current release, whatever rows the window has.
    std::vector<Named> objects;
    bool operator==(const WatchList&) const = default;
};

}  // namespace query
