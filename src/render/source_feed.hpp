// render/source_feed.hpp -- our copy of a source feed as a value: each entry is an item, and each later edit of an entry
// is another one.
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

// The name of the feed for title lines.
[[nodiscard]] std::string name_of(const SourceFeed& feed);

}  // namespace render
