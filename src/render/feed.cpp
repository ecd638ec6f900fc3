// SPDX-License-Identifier: MIT
#include "render/feed.hpp"

#include <algorithm>
#include <array>

namespace render {
namespace {

constexpr std::array<Format, 3> all_formats = {
    {{"rss", "application/rss+xml", "RSS", rss},
     {"atom", "application/atom+xml", "Atom", atom},
     {"json", "application/feed+json", "JSON Feed", json_feed}}};

}  // namespace

std::span<const Format> formats() { return all_formats; }

const Format* format_named(std::string_view name) {
    const auto* found = std::ranges::find(all_formats, name, &Format::name);
    return found == all_formats.end() ? nullptr : found;
}

base::Seconds last_modified(const query::HistoryPage& excerpt) {
    if (excerpt.rows.empty()) return excerpt.last_modified;
    base::Seconds newest = excerpt.rows.front().release.released_on;
    for (const auto& row : excerpt.rows)
        newest = std::max({newest, base::Seconds(row.release.released_on), row.recorded_at});
    return newest;
}

}  // namespace render
