// SPDX-License-Identifier: MIT
#include "render/feed.hpp"

#include <algorithm>

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

}  // namespace

base::Seconds last_modified(const history::History& history) {
    if (history.rows.empty()) return history.last_modified;
    base::Seconds newest = history.rows.front().release.released_on;
    for (const auto& row : history.rows)
        newest = std::max({newest, base::Seconds(row.release.released_on), row.recorded_at});
    return newest;
}

std::vector<std::string> curators_of(const history::Row& row) {
    Curators curators;
    for (const auto& change : row.notes.changes) curators.collect(change.after);
    return std::move(curators).take();
}

}  // namespace render
