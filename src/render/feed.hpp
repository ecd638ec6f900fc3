// render/feed.hpp -- a history as the bytes of a feed.
// Pure: no clock, no I/O. The same history and site give the same bytes. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "history/history.hpp"

namespace render {

// [site], [object_url] and what feeds need of [serve].
struct Site {
    std::string title;
    std::string base_url;   // http(s), no slash at its end: "https://x.org/changes"
    std::string authority;  // for tag: URIs, "wormbase.org,2007"
    std::string contact;    // mail address; may be empty
    std::string language = "en";
    std::string object_url;  // {name} {class} {class_lower}; empty: no links to objects
    std::map<std::string, std::string> object_url_of_class;
    long max_age = 3600;  // seconds
};

// Goes into entity tags: moved on by hand whenever rendered bytes change for equal input.
inline constexpr std::string_view renderer_version = "1";

// What one document is, beside its rows.
struct Channel {
    std::string self_url;   // absolute, of this very document
    std::string narrowing;  // ", since WS186" behind the title; empty for the plain feed
};

// The time a document last changed: the newest of release dates and recorded_at of the rows
// shown; without rows the date of the release that last changed the object.
[[nodiscard]] base::Seconds last_modified(const history::History& history);

// tag:AUTHORITY:CLASS/NAME/VERSION[/REVISION], each part percent-encoded (design section 6).
// Made of the spelling first recorded, so it is the same for ever.
[[nodiscard]] std::string guid_of(const history::Row& row, std::string_view authority);

// True when a row tells of more than one release: nobody had asked for a while (rule C6).
[[nodiscard]] bool skipped_releases(const history::Row& row);

// "Gene unc-26 changed in WS187: 3 added, 1 replaced, 1 removed"; one line of plain text, as
// plain_line (render/text.hpp) gives it.
[[nodiscard]] std::string title_of(const history::Row& row);

// "Gene unc-26 (WBGene00006763) - TITLE OF THE SITE", what the channel is narrowed to behind it.
[[nodiscard]] std::string title_of(const history::History& history, const Channel& channel,
                                   const Site& site);

// base_url/history?class=…&name=…
[[nodiscard]] std::string page_of(const history::ObjectName& object, const Site& site);
// … #VERSION: the place of a row on that page.
[[nodiscard]] std::string page_of(const history::Row& row, const Site& site);
// … #VERSION-cN: the place of the Nth change (from 1) of a row. Published items hold these, so
// the history page has elements of these ids.
[[nodiscard]] std::string page_of(const history::Row& row, std::size_t number, const Site& site);

// Where an object is shown, by object_url; empty when there is no template for it or it would
// not be http(s).
[[nodiscard]] std::string object_url_of(const tree::ObjectName& object, const Site& site);

// The changes of a row for people: HTML without script, style or class, everything escaped;
// cut at 200 changes or 32 KB with a link to the rest.
//   mass_changes  of this release and others: the row's changes at such a place are one line
[[nodiscard]] std::string content_of(const history::Row& row, const Site& site,
                                     const std::vector<history::MassChange>& mass_changes = {});

// Who wrote what a row tells as added or as new: the users of the stamps, each once, in the
// order of the changes, at most 20. The stamp of what was removed tells who once wrote it, not
// who removed it.
[[nodiscard]] std::vector<std::string> curators_of(const history::Row& row);

// RSS 2.0, at most 512 KB: older items are left out. UTF-8.
[[nodiscard]] std::string rss(const history::History& history, const Channel& channel,
                              const Site& site);

}  // namespace render
