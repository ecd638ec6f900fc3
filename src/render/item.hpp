// render/item.hpp -- an item of a feed: of a row of history, a mention, a release or an entry of a source feed.
// Its title, id, times and authors are made in items.cpp, the content of a row in item_content.cpp. Pages show the
// same titles and links.
// Pure: no clock, no I/O. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "query/history_page.hpp"
#include "query/release_contents.hpp"
#include "render/site.hpp"
#include "render/source_feed.hpp"

namespace render {

// A person or user who wrote something.
struct Author {
    std::string name;  // one line
    std::string url;   // the address of that person; empty: none. http(s)
    bool operator==(const Author&) const = default;
};

// An item as every feed format has it. Texts are plain lines but for the content, which is HTML.
struct FeedItem {
    std::string id;  // a tag: URI, which never changes
    std::string url, title, content;
    std::string summary = {};  // may be empty
    base::Seconds published{};
    // For Atom, in which no two items of a document may be updated at one time (RFC 4287 section 4.1.1).
    std::string atom_published, atom_updated;
    std::vector<Author> authors = {};
    std::vector<std::string> categories = {};  // what it is filed under
    // Writes the same as data: members of an object (docs/protocols.md). Refers to what the item was made of.
    // Empty: there is none.
    std::function<void(base::JsonWriter&)> write_data = {};
};

// Returns the item of a row: "unc-26 in WS187: Status Live → Dead, 3 more changes", its id as guid_of(). Its categories
// are the class, the kind and the first tags of the changes, at most 7.
//   page  has the row: mass changes, people and filter are read from it
[[nodiscard]] FeedItem item_of(const tables::Row& row, const query::HistoryPage& page,
                               const Site& site);
// Returns the item "Mentioned in Lab news: A gene of the tail", whose content says which object is mentioned where,
// when and by whom. Its id is tag:AUTHORITY:/mention/CLASS/NAME/ENTRY. Its URL is that of the entry, or of the page of
// the object if the entry has none.
[[nodiscard]] FeedItem item_of(const tables::Mention& mention, const Site& site);
// Returns the item "WS188: 14 objects changed, 8 created, 3 vanished", whose numbers grow when objects are recorded
// late. Its content has the counts of each class, the most important objects and a link to the page of the release.
// Its id, tag:AUTHORITY:/releases/WS188, is none of an object, a class or another feed: those begin with the name of a
// class, with /list/ or with /release/. It has no data.
//   needs  release.details
[[nodiscard]] FeedItem item_of(const query::ListedRelease& release, const Site& site);
// Returns the item of an entry of a source feed, whose id is tag:AUTHORITY:/feed/3/17, or of its first edit, with
// tag:AUTHORITY:/feed/3/17/2. No id of an object, a class, a list or a release begins like this. Its content is that of
// the entry, or what the edit changed, in the words of content_of() for rows of history; at most 32 KB. It has at most
// 20 authors and categories.
[[nodiscard]] FeedItem item_of(const SourceItem& entry, const SourceFeed& feed, const Site& site);

// -- what pages and programs show of an item, too

// tag:AUTHORITY:CLASS/NAME/VERSION[/REVISION], each part percent-encoded. It is made of the
// spelling first recorded, so it never changes.
//   source  docs/design.md, "Identity"
[[nodiscard]] std::string guid_of(const tables::Row& row, std::string_view authority);

// "unc-26 in WS187: Status Live → Dead, 3 more changes"; "Gene unc-26 vanished in WS188"; one line of
// plain text (plain_line in render/display_text.hpp). A filter does not affect it. Nothing changes it
// but the mass changes that release jobs count: when all of it is a change of most objects.
[[nodiscard]] std::string title_of(const tables::Row& row);
// The title of the entry that mentions an object, or else its link; one line of plain text, never empty.
[[nodiscard]] std::string title_of(const tables::Mention& mention);
// The title of the entry, or "Edited: TITLE: title “a” → “b”, 1 more change"; one line of plain text, never empty. An
// entry without a title is called "Entry of 2009-03-01". Depends on nothing but what was recorded.
[[nodiscard]] std::string title_of(const SourceItem& entry);

// The entry's own link, or the page of the feed.
[[nodiscard]] std::string url_of(const SourceItem& entry, const SourceFeed& feed,
                                 const Site& site);
// When the entry was published as it said itself, if that is not after its recording; otherwise, and of an edit, when
// it was recorded.
[[nodiscard]] base::Seconds published_of(const SourceItem& entry);
// When an entry that mentions an object was published, but not later than it was recorded.
[[nodiscard]] base::Date day_of(const tables::Mention& mention);

// True if the row was compared with an older release than the previous one, because nobody asked
// for the object in between (rule C6).
[[nodiscard]] bool skipped_releases(const tables::Row& row);

// What a release did in a sentence or two of plain text, without the name of the object.
[[nodiscard]] std::string summary_of(const tables::Row& row);

// The changes of a row as HTML without script, style or class, everything escaped: 100 nodes of each
// change, and 32 KB in all. Changes that do not fit are left out, with a link to the history page. If the
// page is filtered, the content shows the changes that pass the filter, by the numbers that they have in
// the row, and links to the others.
//   page  as for item_of()
[[nodiscard]] std::string content_of(const tables::Row& row, const query::HistoryPage& page,
                                     const Site& site);
// Returns changes that no row of history has, likewise: all of them, without links to a page of their own.
//   url  where all of it can be read, for content that is shortened; empty: nowhere
[[nodiscard]] std::string content_of(std::span<const compare::Change> changes,
                                     std::string_view url, const Site& site);

// -- who wrote it

// Returns the person whom [curators] names, by label, else the user.
//   user  of a timestamp; any bytes
[[nodiscard]] Author curator_of(std::string_view user, const query::People& people,
                                const Site& site);

// Returns whether a timestamp may belong to a change that was compared with the release of this day.
[[nodiscard]] bool is_of_change(std::string_view stamp, const std::optional<base::Date>& since);

// Returns who wrote what the row added or put in place of something, by the timestamps, each
// once, in the order of the changes, at most 20. Timestamps of removed nodes do not count: they
// say who once wrote them, not who removed them; nor do timestamps that are older than the release
// that the row was compared with. Only changes that pass the filter of the page
// count. Returns none if the site hides curators.
[[nodiscard]] std::vector<Author> curators_of(const tables::Row& row,
                                              const query::HistoryPage& page, const Site& site);

// Returns what [authors] compares: the name or the mail address of an author without regard to ASCII case and to
// how many blanks there are.
[[nodiscard]] std::string author_key(std::string_view author);
// Returns the persons behind the authors of the entry ([authors]), at most 20, with the address where people look at
// that person, as of curators; where there is none, that of the history. An author whom nobody knows has no address.
[[nodiscard]] std::vector<Author> authors_of(const tables::Mention& mention, const Site& site);
// ", by Jane Doe, <a href="…">Joe</a>"; empty if there are none.
[[nodiscard]] std::string authors_html(const std::vector<Author>& authors);

}  // namespace render
