// SPDX-License-Identifier: MIT
#include "render/feed.hpp"

#include <algorithm>
#include <array>

#include "render/text.hpp"
#include "tree/stamp.hpp"

namespace render {
namespace {

constexpr std::size_t most_curators = 20;

// Collects users in the order of the nodes; a stamp equal to the one before it is not parsed.
class Curators {
   public:
    void collect(const std::vector<tree::Node>& nodes) {
        for (const auto& node : nodes) {
            if (names_.size() == most_curators) return;
            note(node.stamp);
            collect(node.children);
        }
    }
    std::vector<std::string> take() && { return std::move(names_); }

   private:
    void note(std::string_view stamp) {
        if (stamp.empty() || stamp == last_) return;
        last_ = stamp;
        const auto known = tree::parse_stamp(stamp);
        if (!known) return;
        auto name = plain_line(known->by);
        if (name.empty() || std::find(names_.begin(), names_.end(), name) != names_.end()) return;
        names_.push_back(std::move(name));
    }

    std::string_view last_;
    std::vector<std::string> names_;
};

constexpr std::array<Format, 1> all_formats = {{{"rss", "application/rss+xml", "RSS", rss}}};

}  // namespace

std::span<const Format> formats() { return all_formats; }

const Format* format_named(std::string_view name) {
    const auto* found = std::ranges::find(all_formats, name, &Format::name);
    return found == all_formats.end() ? nullptr : found;
}

base::Seconds last_modified(const history::Excerpt& excerpt) {
    if (excerpt.rows.empty()) return excerpt.last_modified;
    base::Seconds newest = excerpt.rows.front().release.released_on;
    for (const auto& row : excerpt.rows)
        newest = std::max({newest, base::Seconds(row.release.released_on), row.recorded_at});
    return newest;
}

std::vector<std::string> curators_of(const history::Row& row, const history::Excerpt&,
                                     const Site& site) {
    if (site.hide_curators) return {};
    Curators curators;
    for (const auto& change : row.notes.changes) curators.collect(change.after);
    return std::move(curators).take();
}

}  // namespace render
