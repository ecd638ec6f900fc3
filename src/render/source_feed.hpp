// render/source_feed.hpp -- our copy of a source feed as a value, and what all feed formats say of its items: each entry
// is one, and each later edit of an entry is another one.
// Pure: no clock, no I/O. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/date.hpp"
#include "compare/change.hpp"
#include "render/item.hpp"
#include "render/site.hpp"

namespace render {

struct SourceItem {
    std::int64_t entry = 0;
    std::int64_t revision = 0;  // 0: the entry as it came; above: an edit of it
    base::Seconds recorded_at{};
    std::optional<base::Seconds> published = {};  // as the entry said at first; of an edit none
    base::Date entry_day = {};  // when the entry was published at first, or else recorded
    std::string title = {};     // that the entry had then; empty: none
    std::string link = {};      // absolute http(s) URL; empty: none
    std::vector<std::string> authors = {}, categories = {};
    std::string content = {};  // of the entry as it came: its HTML of now, made safe
    std::vector<compare::Change> changes = {};  // of an edit
    bool operator==(const SourceItem&) const = default;
};

// Where an item is among those of its feed, which are in the order of their recording.
struct ItemPosition {
    base::Seconds recorded_at{};
    std::int64_t entry = 0, revision = 0;
    bool operator==(const ItemPosition&) const = default;
};
[[nodiscard]] ItemPosition position_of(const SourceItem& item);
// "1764000000-17-0", as addresses have it.
[[nodiscard]] std::string text_of(const ItemPosition& position);
[[nodiscard]] std::optional<ItemPosition> parse_position(std::string_view text);

struct SourceFeed {
    std::int64_t id = 0;
    std::string name;                    // any text, never empty
    std::string url;                     // that it is fetched from
    std::string description;             // as it describes itself; may be empty
    std::string language;                // likewise
    base::Seconds updated{};             // when the newest item came
    std::vector<SourceItem> items = {};  // newest first
    std::optional<ItemPosition> rest =
        {};  // there are more behind this one; nullopt: there are none
};

// BASE/feeds?feed=3: the page of the feed.
[[nodiscard]] std::string page_of_feed(std::int64_t feed, const Site& site);

// The name of the feed for title lines.
[[nodiscard]] std::string name_of(const SourceFeed& feed);

// The title of the entry, or "Edited: TITLE: title “a” → “b”, 1 more change"; one line of plain text, never empty. An
// entry without a title is called "Entry of 2009-03-01". Depends on nothing but what was recorded.
[[nodiscard]] std::string title_of(const SourceItem& item);
// The entry's own link, or the page of the feed.
[[nodiscard]] std::string url_of(const SourceItem& item, const SourceFeed& feed,
                                 const Site& site);
// When the entry was published as it said itself, if that is not after its recording; otherwise, and of an edit, when
// it was recorded.
[[nodiscard]] base::Seconds published_of(const SourceItem& item);

// Returns the item, whose id is tag:AUTHORITY:/feed/3/17, and that of its first edit tag:AUTHORITY:/feed/3/17/2. No id
// of an object, a class, a list or a release begins like this. Its content is that of the entry, or what the edit
// changed, in the words of content_of() for rows of history; at most 32 KB. It has at most 20 authors and categories.
[[nodiscard]] FeedItem feed_item_of(const SourceItem& item, const SourceFeed& feed,
                                    const Site& site);

}  // namespace render
