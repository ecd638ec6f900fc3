// SPDX-License-Identifier: MIT
#include "render/source_feed.hpp"

#include "base/text.hpp"
#include "render/display_text.hpp"

namespace render {

ItemPosition position_of(const SourceItem& item) {
    return {item.recorded_at, item.entry, item.revision};
}

std::string text_of(const ItemPosition& position) {
    return std::to_string(position.recorded_at.time_since_epoch().count()) + '-' +
           std::to_string(position.entry) + '-' + std::to_string(position.revision);
}

std::optional<ItemPosition> parse_position(std::string_view text) {
    constexpr std::int64_t latest = 253'402'300'799;  // the end of the year 9999
    const auto parts = base::split(text, '-');
    if (parts.size() != 3) return std::nullopt;
    const auto time = base::parse_integer(parts[0]), entry = base::parse_integer(parts[1]),
               revision = base::parse_integer(parts[2]);
    if (!time || !entry || !revision || *time > latest) return std::nullopt;
    const ItemPosition position{base::Seconds(std::chrono::seconds(*time)), *entry, *revision};
    // One spelling for each.
    return text_of(position) == text ? std::optional(position) : std::nullopt;
}

std::string name_of(const SourceFeed& feed) {
    auto name = plain_line(feed.name);
    return name.empty() ? "Feed " + std::to_string(feed.id) : name;
}

}  // namespace render
