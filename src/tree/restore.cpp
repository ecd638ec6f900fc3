// SPDX-License-Identifier: MIT
#include "tree/restore.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace tree {
namespace {

using Place = Models::Place;

std::size_t height_of(const std::vector<Node>& nodes) {
    std::size_t height = 0;
    for (const auto& node : nodes) height = std::max(height, 1 + height_of(node.children));
    return height;
}

// A node of a level with what is known of it.
struct Placed {
    Node node;
    Place place = Models::unknown;
    std::size_t room = 0;    // how many tags may still be put above any node below it
    bool is_on_way = false;  // it was put here, or something that was put here joined it
};

// The siblings of one level. What is put on a way joins the same tag, wherever that stands, and
// what comes later joins it; the rest stands as it stood.
class Level {
   public:
    void add(Placed added) {
        if (added.node.cell.kind == Kind::tag && added.place != Models::unknown) {
            const auto [tag, is_new] = tags_.try_emplace(added.place, siblings_.size());
            if (!is_new && (added.is_on_way || siblings_[tag->second].is_on_way))
                return join(siblings_[tag->second], added);
        }
        siblings_.push_back(std::move(added));
    }

    [[nodiscard]] std::vector<Placed>& siblings() { return siblings_; }

   private:
    static void join(Placed& first, Placed& added) {
        first.is_on_way = true;
        first.room = std::min(first.room, added.room);
        if (first.node.stamp.empty()) first.node.stamp = std::move(added.node.stamp);
        std::move(added.node.children.begin(), added.node.children.end(),
                  std::back_inserter(first.node.children));
    }

    std::vector<Placed> siblings_;
    std::unordered_map<Place, std::size_t> tags_;
};

Placed placed(Node node, const Models& models, Place parent, std::size_t room) {
    const auto notation = notation_of(node.cell.kind);
    const auto place = models.below(parent, notation, node.cell.text);
    if (place != Models::unknown) {
        node.cell = models.cell_at(place, notation, std::move(node.cell.text));
        return {std::move(node), place, room, false};
    }
    std::vector<Place> way;
    if (node.cell.kind == Kind::tag) way = models.way_to(parent, node.cell.text);
    if (way.size() < 2 || room < way.size() - 1)
        return {std::move(node), Models::unknown, room, false};
    Node first{{Kind::tag, models.at(way.front()).name, {}}, {}, {}};
    first.children.push_back(std::move(node));
    return {std::move(first), way.front(), room - 1, true};
}

// One level after the other: a way of several tags grows by one a level.
void restore_below(std::vector<Node>& nodes, const Models& models, Place parent,
                   std::size_t room) {
    Level level;
    for (auto& node : nodes) level.add(placed(std::move(node), models, parent, room));
    nodes.clear();
    for (auto& [node, place, left, is_on_way] : level.siblings()) {
        if (place != Models::unknown && !node.children.empty())
            restore_below(node.children, models, place, left);
        nodes.push_back(std::move(node));
    }
}

}  // namespace

void restore_paths(std::vector<Node>& nodes, const Models& models, Models::Place place) {
    const auto height = height_of(nodes);
    if (place == Models::unknown || height > deepest_node) return;
    restore_below(nodes, models, place, deepest_node - height);
}

}  // namespace tree
