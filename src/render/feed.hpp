// render/feed.hpp -- feeds: what a feed is about, its documents, and the formats that they are written in.
// A new format is a Format in a file of its own, such as atom.cpp, declared here and listed in feed.cpp.
// Pure: no clock, no I/O. The same page, channel and site give the same bytes. Safe from any
// thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "query/history_page.hpp"
#include "query/release_contents.hpp"
#include "render/item.hpp"
#include "render/site.hpp"
#include "render/source_feed.hpp"

namespace render {

// What a feed is about. Plain lines, an absolute URL, and a tag: URI that does not depend on
// format and parameters.
struct Subject {
    std::string title;
    std::string description;
    std::string page_url;  // the page for people
    std::string id;        // of the Atom feed; it adds ? and the parameters that filter the feed
};
// "Gene unc-26 (WBGene00006763) - TITLE OF THE SITE". The description of an object that is gone
// names its successor, if the newest row is there.
[[nodiscard]] Subject subject_of(const query::History& history, const Site& site);
// "Gene unc-26, Paper WBPaper00031000 and 3 others - …", tag:AUTHORITY:/list/ + 32 hex digits
//   page_url  of the list, if it has a short address
[[nodiscard]] Subject subject_of(const query::WatchList& list, const Site& site,
                                 const std::string& page_url = {});
// "All Gene changes - …", tag:AUTHORITY:Gene
[[nodiscard]] Subject subject_of_class(std::string_view class_name, const Site& site);
// "Changes in WS187 - …", tag:AUTHORITY:/release/WS187
[[nodiscard]] Subject subject_of_release(const base::Release& release, const Site& site);
// "All releases - …", tag:AUTHORITY:/releases
[[nodiscard]] Subject subject_of_releases(const Site& site);
// Our copy of a source feed: "Lab news - TITLE OF THE SITE", tag:AUTHORITY:/feed/3
[[nodiscard]] Subject subject_of(const SourceFeed& feed, const Site& site);

// "Gene unc-26 (WBGene00006763)". Any text.
[[nodiscard]] std::string full_name_of(const query::History& history);
// Returns "Gene unc-26": class and label of an object, or its name if the label is empty. Plain text, both isolated.
[[nodiscard]] std::string display_name_of(const tree::ObjectName& object,
                                          const std::string& label = {});

// Bytes of the address of a feed that a hub takes as a topic; a longer one advertises no hub.
inline constexpr std::size_t longest_topic = 2048;

// What a document says besides its items. Absolute URLs.
struct Channel {
    Subject subject;
    std::string filter_text;  // ", since WS186", added to the title; empty for the plain feed
    // The address of this document. Its parameters since, tag, change, mass and include distinguish the
    // narrowed feeds of one subject (in the id of the Atom feed).
    std::string self_url;
    std::string current_url;  // archive pages: the address of the feed itself; else empty
    // The address of an archive page, up to its number:
    // "https://x.org/rss/archive?class=…&name=…&format=atom&before="; empty: there is no archive.
    std::string archive_url;
    std::size_t before = 0;  // archive pages: their number
    // XML for a browser, which shows it with feed.css: content and links are elements of XHTML. Feed
    // readers get text in their place, because many put the parts of such elements in a wrong order.
    bool for_browser = false;
    // Where changes of this document are subscribed to (WebSub); empty: nowhere.
    std::string hub_url = {};
    // The document has some of the items only that the feed has now: those that a subscriber lacks. It
    // is not complete, and the other items are in the archive from its newest page on.
    bool is_part = false;
    // Of our copy of a source feed: the address of what comes behind an item, up to its position:
    // "https://x.org/rss?feed=3&older=".
    std::string older_url = {};
    bool is_older = false;      // the document is such a one
    std::string language = {};  // of the items, as a source feed says; empty: that of the site
};

// Returns when a document last changed: the newest of the release dates and recorded_at of its
// rows; without rows page.last_modified.
[[nodiscard]] base::Seconds last_modified(const query::HistoryPage& page);

// -- what a format writes

// A document of a feed, without its items.
struct FeedDocument {
    const Site& site;
    const Channel& channel;
    std::string title;        // that of the subject, and how the feed is narrowed
    std::string description;  // that of the subject, and whether the feed covers all
    std::string language;   // a code that every reader knows ("en", "pt-br"), or that of the site
    std::string publisher;  // the site's title; never empty
    base::Seconds updated{};  // when the document last changed
    // The others of the same feed (RFC 5005). An empty URL: no link.
    struct Links {
        bool complete = false;  // the document has all items and is not an archive page
        bool archive = false;   // the document is an archive page
        std::string current;    // of an archive page: the feed itself
        std::string older;      // the next archive page to read, going back
        std::string newer;      // of an archive page: the one after it
        std::string next;       // of a feed without an archive: the items behind these
    } links = {};
};

// In every format the items are sorted by release, newest first, then by class and name. Mentions are among them by
// their time (tables::Mention::first_seen), before rows of the same time. A document
// has at most 512 KB; older items are left out (archive pages hold their items whatever they take).
// RFC 5005: a document with all rows and mentions is complete; another links to the newest archive page with
// rows that it lacks; archive pages link to their neighbours and to the feed itself. JSON Feed has
// a next_url to the older page.
struct Format {
    std::string_view name;        // as in format=: "rss"
    std::string_view media_type;  // "application/rss+xml"
    std::string_view title;       // for people: "RSS"
    // A document is its head, items one by one, and a tail.
    void (*append_head)(std::string&, const FeedDocument&);
    void (*append_item)(std::string&, const FeedItem&, const FeedDocument&);
    std::string_view between;  // separates items
    std::string_view tail;

    [[nodiscard]] std::string render(const query::HistoryPage& page, const Channel& channel,
                                     const Site& site) const;
    // One item for each of the newest releases (releases_in_feed).
    [[nodiscard]] std::string render(const query::ReleaseList& releases, const Channel& channel,
                                     const Site& site) const;
    // Our copy of a source feed, in the order of its items. Without an archive: a document that does not have all
    // items links to the next one (RFC 5005 section 3).
    [[nodiscard]] std::string render(const SourceFeed& feed, const Channel& channel,
                                     const Site& site) const;
};
inline constexpr std::size_t releases_in_feed = 50;
// RSS 2.0 (https://www.rssboard.org/rss-profile), Atom 1.0 (RFC 4287), JSON Feed 1.1
// (https://www.jsonfeed.org/version/1.1/).
extern const Format rss_format, atom_format, json_format;
// The first is the default.
[[nodiscard]] std::span<const Format> formats();
// Returns nullptr if there is no format of this name.
[[nodiscard]] const Format* format_named(std::string_view name);

// What a browser shows above the items: the title as a link to the page for people, the description,
// links to the newer and older items, and that the page is as wide as the screen. The content of an element of
// XHTML.
[[nodiscard]] std::string head_for_browser(const FeedDocument& document);
// The content of an item below its title, which is a link.
[[nodiscard]] std::string item_for_browser(const FeedItem& item);

// The watch list as OPML 2.0: an outline of each object, with its feed and its page.
[[nodiscard]] std::string opml(const query::WatchList& list, const Site& site);

}  // namespace render
