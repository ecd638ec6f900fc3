// render/mention.hpp -- entries of source feeds that mention an object: as items of its feed, and on its page.
// Pure: no clock, no I/O. Everything is escaped. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "query/histories.hpp"
#include "query/history_page.hpp"
#include "render/item.hpp"
#include "render/site.hpp"
#include "tables/mentions.hpp"

namespace render {

// -- authors of entries

// Returns what [authors] compares: the name or the mail address of an author without regard to ASCII case and to
// how many blanks there are.
[[nodiscard]] std::string author_key(std::string_view author);
// Returns the person behind an author of an entry ([authors]), with the address where people look at that person, as of
// curators; where there is none, that of the history. An author whom nobody knows has no address.
//   author  a name or a mail address, as the entry has it
[[nodiscard]] Curator author_of_entry(std::string_view author, const Site& site);

// -- an item of a feed

// Returns the item "Mentioned in Lab news: A gene of the tail", whose content says which object is mentioned where,
// when and by whom. Its id, tag:AUTHORITY:/mention/CLASS/NAME/ENTRY, never changes. Its URL is that of the entry, or
// of the page of the object if the entry has none.
[[nodiscard]] FeedItem feed_item_of(const tables::Mention& mention, const Site& site);

// Writes the members of a mention as data: entry, feed, feed_name, title, link, published (if it is known), first_seen,
// authors (with the pages of the persons behind them).
void write_mention_fields(base::JsonWriter& json, const tables::Mention& mention,
                          const Site& site);

// -- the page of an object

// Mentions that a history page reads, and those that its list shows.
inline constexpr std::size_t most_mentions_on_page = 200, most_mentions_listed = 20;

// Returns the items of a list: the newest mentions with their feeds, dates and authors. Fewer where addresses are long.
struct MentionList {
    std::string html;  // at most 12 KB
    std::size_t shown = 0;
};
[[nodiscard]] MentionList mention_list(const std::vector<tables::Mention>& mentions,
                                       const Site& site);
// Returns a picture below the strip of the history, with the same columns: a mark for each entry in the release that
// was the newest one then, or one mark with their number where there are many. Below it the same as a table.
//   returns  empty without mentions or releases; at most 20 KB
[[nodiscard]] std::string mention_track(const query::History& history,
                                        const query::FollowedReleases& followed);

}  // namespace render
