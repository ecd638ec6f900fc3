// render/releases.hpp -- what releases did, in words and as small pictures: the line of a release in lists, its item in
// the feed of all releases.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>

#include "query/release_contents.hpp"
#include "render/item.hpp"
#include "render/site.hpp"

namespace render {

// A bar for each release: objects whose history was read from timestamps, objects created, changed and
// vanished on top of each other (render/stacked_bars.hpp). Each bar links to its release.
//   newest   newest first; at most 60
//   returns  empty if no bar would be there; at most 20 KB with usual addresses
[[nodiscard]] std::string release_bars(std::span<const query::ListedRelease> newest,
                                       const Site& site);
// Returns whether a bar shows histories that were read from timestamps.
[[nodiscard]] bool has_stamps(std::span<const query::ListedRelease> newest);
// The same as a table, folded.
[[nodiscard]] std::string release_table(std::span<const query::ListedRelease> newest);

// A row for each of the classes of which most objects were touched, one for all others, and one for
// the helper classes; the stronger the colour of a cell, the more objects. Below it the same as a table.
//   needs    as above, with details
//   returns  HTML; empty if no cell would be coloured
[[nodiscard]] std::string heat_map(std::span<const query::ListedRelease> newest,
                                   const compare::Ranking& ranking);

// "14 objects changed, 8 created, 3 vanished"; "first release seen, …"; "no change recorded"; before a
// job has compared all objects, "14 objects changed so far" or "not compared yet".
[[nodiscard]] std::string words_of(const query::ReleaseSummary& summary);

// What a release did to one object, as HTML: "Status Live → Dead, 3 more changes"; in numbers
// where no words are known.
[[nodiscard]] std::string words_of_change(const query::ReleaseContents::Entry& entry,
                                          const Site& site);

// Returns the item "WS188: 14 objects changed, 8 created, 3 vanished", whose numbers grow when objects are recorded
// late. Its content has the counts of each class, the most important objects and a link to the page of the release.
// Its id, tag:AUTHORITY:/releases/WS188, is none of an object, a class or another feed: those begin with the name of a
// class, with /list/ or with /release/.
//   needs  release.details
[[nodiscard]] FeedItem feed_item_of(const query::ListedRelease& release, const Site& site);

}  // namespace render
