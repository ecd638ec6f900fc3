// render/item.hpp -- one row of history as an item: what all formats and pages say of it alike.
// Pure: no clock, no I/O. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/history_page.hpp"
#include "render/site.hpp"
#include "tables/rows.hpp"

namespace render {

// tag:AUTHORITY:CLASS/NAME/VERSION[/REVISION], each part percent-encoded: docs/design.md,
// "Identity".
// Made of the spelling first recorded, so it is the same for ever.
[[nodiscard]] std::string guid_of(const tables::Row& row, std::string_view authority);

// True when a row tells of more than one release: nobody had asked for a while (rule C6).
[[nodiscard]] bool skipped_releases(const tables::Row& row);

// "Gene unc-26 changed in WS187: 3 added, 1 replaced, 1 removed"; one line of plain text, as
// plain_line (render/text.hpp) gives it. The same for ever: narrowing leaves it alone.
[[nodiscard]] std::string title_of(const tables::Row& row);

// base_url/history?class=…&name=…
[[nodiscard]] std::string page_of(const tree::ObjectName& object, const Site& site);
// … #VERSION: the place of a row on that page.
[[nodiscard]] std::string page_of(const tables::Row& row, const Site& site);
// … #VERSION-cN: the place of the Nth change (from 1) of a row. Published items hold these, so
// the history page has elements of these ids.
[[nodiscard]] std::string page_of(const tables::Row& row, std::size_t number, const Site& site);

// Where an object is shown, by object_url; empty when there is no template for it or it would
// not be http(s).
[[nodiscard]] std::string object_url_of(const tree::ObjectName& object, const Site& site);

// "Gene unc-26 (WBGene00006763)": an object as its feeds and pages are called. Any text.
[[nodiscard]] std::string full_name_of(const query::History& history);

// What became of an object that is no more, or is called otherwise.
struct Successor {
    std::string words;  // "Merged into", "Most likely renamed to": one line
    tree::ObjectName object;
    bool operator==(const Successor&) const = default;
};
// By what its rows tell, the newest first, up to the one by which it came: a rename (C9), or what
// it has under one of the paths of [successor], or had when it vanished.
[[nodiscard]] std::optional<Successor> successor_of(const query::History& history,
                                                    const Site& site);
// By this row alone.
[[nodiscard]] std::optional<Successor> successor_of(const tables::Row& row, const Site& site);

// The changes of a row for people: HTML without script, style or class, everything escaped;
// cut at 200 changes or 32 KB with a link to the rest. Where the excerpt is narrowed, only the
// changes that it shows, with the numbers they have in the row, and a line that links to the
// others.
//   excerpt  that the row is one of: mass changes, people, narrowing
[[nodiscard]] std::string content_of(const tables::Row& row, const query::HistoryPage& excerpt,
                                     const Site& site);

// Who wrote something, as people read it.
struct Curator {
    std::string name;  // label of the person whom [curators] names, else the user; one line
    std::string url;   // where that person is shown; empty: nowhere. http(s)
    bool operator==(const Curator&) const = default;
};
//   user  of a stamp; any bytes
[[nodiscard]] Curator curator_of(std::string_view user, const query::People& people,
                                 const Site& site);

// Who wrote what a row tells as added or as new: of the stamps, each once, in the order of the
// changes, at most 20. The stamp of what was removed tells who once wrote it, not who removed it.
// Of the changes that the excerpt shows. None when the site hides them.
[[nodiscard]] std::vector<Curator> curators_of(const tables::Row& row,
                                               const query::HistoryPage& excerpt,
                                               const Site& site);

// Appends a change as JSON (docs/protocols.md). Where the site hides curators, without what may
// tell a user: "by", and stamps that are opaque.
void append_change_json(std::string& json, const compare::Change& change, const Site& site);

// Appends a JSON string, whatever bytes `text` has.
void append_json_text(std::string& json, std::string_view text);

}  // namespace render
