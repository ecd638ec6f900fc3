// render/item.hpp -- one row of history as an item: what all feed formats and pages say of it.
// Pure: no clock, no I/O. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "query/history_page.hpp"
#include "render/site.hpp"
#include "tables/rows.hpp"

namespace render {

// tag:AUTHORITY:CLASS/NAME/VERSION[/REVISION], each part percent-encoded. It is made of the
// spelling first recorded, so it never changes.
//   source  docs/design.md, "Identity"
[[nodiscard]] std::string guid_of(const tables::Row& row, std::string_view authority);

// Returns what became of the object: "created", "changed".
[[nodiscard]] std::string_view participle_of(tables::RowKind kind);

// True if the row was compared with an older release than the previous one, because nobody asked
// for the object in between (rule C6).
[[nodiscard]] bool skipped_releases(const tables::Row& row);

// "unc-26 in WS187: Status Live → Dead, 3 more changes"; "Gene unc-26 vanished in WS188"; one line of
// plain text (plain_line in render/display_text.hpp). A filter does not affect it. Nothing changes it
// but the mass changes that release jobs count: when all of it is a change of most objects.
[[nodiscard]] std::string title_of(const tables::Row& row, const query::HistoryPage& page);

// Says the same in a sentence or two of plain text, without the name of the object.
[[nodiscard]] std::string summary_of(const tables::Row& row, const query::HistoryPage& page);

// True for http: and https: URLs with something after "//". Nothing else becomes a link.
[[nodiscard]] bool is_web_url(std::string_view url);

// The link to the history: /history?class=…&name=… below link_base().
[[nodiscard]] std::string page_of(const tree::ObjectName& object, const Site& site);
// The same, escaped.
void append_page_of(std::string& html, std::string_view class_name, std::string_view name,
                    const Site& site);
// … &at=VERSION: the page of this row. A parameter, because some readers drop fragments and take
// items with equal links for one.
[[nodiscard]] std::string item_url_of(const tables::Row& row, const Site& site);
// "-c3": follows the version, as the fragment of the page of a row, to name the place of its third
// change. Published items hold these, so the history page has elements with these ids.
[[nodiscard]] std::string suffix_of(std::size_t number);

// The address of the object, by object_url; empty if there is no template for it or the result
// would not be http(s).
[[nodiscard]] std::string object_url_of(const tree::ObjectName& object, const Site& site);

// What an object that is gone has become.
struct Successor {
    std::string words;  // "Merged into", "Probably renamed to": one line
    tree::ObjectName object;
    bool operator==(const Successor&) const = default;
};
// Looks for a rename (C9), or for an object at one of the paths of [successor], in the rows, the
// newest first, back to the one in which the object was created.
[[nodiscard]] std::optional<Successor> successor_of(const query::History& history,
                                                    const Site& site);
// Looks in this row only.
[[nodiscard]] std::optional<Successor> successor_of(const tables::Row& row, const Site& site);

// Changes and mass-change lines that the content of an item lists.
inline constexpr std::size_t most_changes = 200;

// The changes of a row as HTML without script, style or class, everything escaped: at most 200
// changes, 100 nodes of each, and 32 KB in all. Changes that do not fit are left out, with a link
// to the history page. If the page is filtered, the content shows the changes that pass the
// filter, by the numbers that they have in the row, and links to the others.
//   page  has the row: mass changes, people and filter are read from it
[[nodiscard]] std::string content_of(const tables::Row& row, const query::HistoryPage& page,
                                     const Site& site);

// Returns changes that no row of history has, likewise: all of them, without links to a page of their own.
//   url  where all of it can be read, for content that is shortened; empty: nowhere
[[nodiscard]] std::string content_of(std::span<const compare::Change> changes,
                                     std::string_view url, const Site& site);

// A person or user who wrote something.
struct Curator {
    std::string name;  // label of the person whom [curators] names, else the user; one line
    std::string url;   // the address of that person; empty: none. http(s)
    bool operator==(const Curator&) const = default;
};
//   user  of a timestamp; any bytes
[[nodiscard]] Curator curator_of(std::string_view user, const query::People& people,
                                 const Site& site);

// Returns whether a timestamp may belong to a change that was compared with the release of this day.
[[nodiscard]] bool is_of_change(std::string_view stamp, const std::optional<base::Date>& since);

// Returns who wrote what the row added or put in place of something, by the timestamps, each
// once, in the order of the changes, at most 20. Timestamps of removed nodes do not count: they
// say who once wrote them, not who removed them; nor do timestamps that are older than the release
// that the row was compared with. Only changes that pass the filter of the page
// count. Returns none if the site hides curators.
[[nodiscard]] std::vector<Curator> curators_of(const tables::Row& row,
                                               const query::HistoryPage& page, const Site& site);

// An item as every feed format has it. Texts are plain lines but for the content, which is HTML.
struct FeedItem {
    std::string guid, url, title, content;
    std::string summary = {};  // may be empty
    base::Seconds published{};
    // For Atom, in which no two items of a document may be updated at one time (RFC 4287 section 4.1.1).
    std::string atom_published, atom_updated;
    std::vector<Curator> authors = {};
    // What it is filed under. Of a row: the class, the kind, the first tags of the changes; at most 7.
    std::vector<std::string> categories = {};
};
// Of a row of `page`.
[[nodiscard]] FeedItem feed_item_of(const tables::Row& row, const query::HistoryPage& page,
                                    const Site& site);
// Returns a time of RFC 3339 with a fraction.
//   number  differs among what has the same second; 0 or more
[[nodiscard]] std::string time_with_fraction(base::Seconds second, std::int64_t number);

}  // namespace render
