// render/feed.hpp -- some rows of history as the bytes of a feed, in each format.
// Pure: no clock, no I/O. The same excerpt, channel and site give the same bytes. Safe from any
// thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "query/history_page.hpp"
#include "render/item.hpp"
#include "render/site.hpp"

namespace render {

// Goes into entity tags: moved on by hand whenever rendered bytes change for equal input.
inline constexpr std::string_view renderer_version = "3";

// What a feed is about. Plain lines; an absolute URL; a tag: URI that no format and no
// parameter is part of.
struct Subject {
    std::string title;
    std::string description;
    std::string page_url;  // the page for people
    std::string id;  // of the Atom feed; behind it stands ? and what of self_url narrows the feed
};
// "Gene unc-26 (WBGene00006763) - TITLE OF THE SITE"; of one that is gone the description
// tells its successor, where the newest row is there.
[[nodiscard]] Subject subject_of(const query::History& history, const Site& site);
// "Gene unc-26, Paper WBPaper00031000 and 3 others - …", tag:AUTHORITY:/list/ + 32 hex digits
[[nodiscard]] Subject subject_of(const query::WatchList& list, const Site& site);
// "All Gene changes - …", tag:AUTHORITY:Gene
[[nodiscard]] Subject subject_of_class(std::string_view class_name, const Site& site);
// "Changes in WS187 - …", tag:AUTHORITY:/release/WS187
[[nodiscard]] Subject subject_of_release(const base::Release& release, const Site& site);

// One document. Absolute URLs.
struct Channel {
    Subject subject;
    std::string narrowing;  // ", since WS186" behind the title; empty for the plain feed
    // Of this very document. Those of its parameters since, tag and change, as they are written
    // there, tell the narrower feeds of one subject apart (in the id of the Atom feed).
    std::string self_url;
    std::string current_url;  // archive pages: of the feed itself; empty: this is it
    // A page of its archive, without the number that goes behind it:
    // "https://x.org/rss/archive?class=…&name=…&format=atom&before="; empty: it has none.
    std::string archive_url;
    std::size_t before = 0;  // archive pages: their number
};

// The time a document last changed: the newest of release dates and recorded_at of the rows
// shown; without rows excerpt.last_modified.
[[nodiscard]] base::Seconds last_modified(const query::HistoryPage& excerpt);

// All that the bytes of a document depend on beside format, configuration and renderer: equal
// texts, equal bytes. Rows by what they are, not by what they hold, so it costs little.
[[nodiscard]] std::string identity_of(const query::HistoryPage& excerpt, const Channel& channel);

// What all formats keep to: items newest release first, then by class and name; at most 512 KB,
// older items being left out (a page of the archive holds its items whatever they take).
// RFC 5005: where all rows are in it, it is complete; else it links to the newest page of the
// archive that holds what it does not show; pages of the archive to their neighbours and to the
// feed itself. JSON Feed has a next_url to the older page.
struct Format {
    std::string_view name;        // as in format=: "rss"
    std::string_view media_type;  // "application/rss+xml"
    std::string_view title;       // for people: "RSS"
    std::string (*render)(const query::HistoryPage&, const Channel&, const Site&);
};
// The first is what is sent when nobody asks for one.
[[nodiscard]] std::span<const Format> formats();
// nullptr: there is none of this name.
[[nodiscard]] const Format* format_named(std::string_view name);

// RSS 2.0 (https://www.rssboard.org/rss-profile), Atom 1.0 (RFC 4287), JSON Feed 1.1
// (https://www.jsonfeed.org/version/1.1/).
[[nodiscard]] std::string rss(const query::HistoryPage& excerpt, const Channel& channel,
                              const Site& site);
[[nodiscard]] std::string atom(const query::HistoryPage& excerpt, const Channel& channel,
                               const Site& site);
[[nodiscard]] std::string json_feed(const query::HistoryPage& excerpt, const Channel& channel,
                                    const Site& site);

// "object=Gene%3AWBGene00006763&object=…": what stands in the addresses of a watch list.
[[nodiscard]] std::string watch_query_of(const std::vector<tree::ObjectName>& objects);

// The watch list as OPML 2.0: an outline of each object, with its feed and its page.
[[nodiscard]] std::string opml(const query::WatchList& list, const Site& site);

}  // namespace render
