// render/release_text.hpp -- a release in words: its line in lists, and its item in the feed of all
// releases.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "query/release_list.hpp"
#include "render/site.hpp"

namespace render {

// "first release seen, 15 histories read from timestamps"; empty for most releases.
[[nodiscard]] std::string first_sight_of(const query::ReleaseSummary& summary);

// "14 objects changed, 8 created, 3 vanished"; "first release seen, …"; "no change recorded".
[[nodiscard]] std::string words_of(const query::ReleaseSummary& summary);

// What a release did to one object, as HTML: "Status Live → Dead, 3 more changes"; in numbers
// where no words are known.
[[nodiscard]] std::string words_of_change(const query::ReleaseContents::Entry& entry,
                                          const Site& site);

// "WS188: 14 objects changed, 8 created, 3 vanished". The numbers grow when objects are recorded late.
[[nodiscard]] std::string title_of(const query::ListedRelease& release);

// tag:AUTHORITY:/releases/WS188, which is no id of an object, a class or another feed: those begin
// with the name of a class, with /list/ or with /release/.
[[nodiscard]] std::string guid_of(const query::ListedRelease& release, const Site& site);

// The counts of each class, the most important objects and a link to the page of the release, as the HTML
// of items has them (docs/protocols.md).
//   needs  release.details
[[nodiscard]] std::string content_of(const query::ListedRelease& release, const Site& site);

}  // namespace render
