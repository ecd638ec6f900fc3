// SPDX-License-Identifier: MIT
#include "tree/restore.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace tree {
namespace {

using Position = Models::Position;

std::size_t height_of(const std::vector<Node>& nodes) {
    std::size_t height = 0;
    for (const auto& node : nodes) height = std::max(height, 1 + height_of(node.children));
    return height;
}

// A node of a level with what is known about it.
struct Located {
    Node node;
    Position position = Models::unknown;
    std::size_t room = 0;      // how many tags may still be inserted above any node below it
    bool is_inserted = false;  // it was inserted, or an inserted node joined it
};

// The siblings of one level. An inserted tag joins an equal sibling, and later equal siblings join
// it; all others stay as they are.
class Level {
   public:
    void add(Located added) {
        if (added.node.cell.kind == CellKind::tag && added.position != Models::unknown) {
            const auto [tag, is_new] = tags_.try_emplace(added.position, siblings_.size());
            if (!is_new && (added.is_inserted || siblings_[tag->second].is_inserted))
                return join(siblings_[tag->second], added);
        }
        siblings_.push_back(std::move(added));
    }

    [[nodiscard]] std::vector<Located>& siblings() { return siblings_; }

   private:
    static void join(Located& first, Located& added) {
        first.is_inserted = true;
        first.room = std::min(first.room, added.room);
        if (first.node.stamp.empty()) first.node.stamp = std::move(added.node.stamp);
        std::move(added.node.children.begin(), added.node.children.end(),
                  std::back_inserter(first.node.children));
    }

    std::vector<Located> siblings_;
    std::unordered_map<Position, std::size_t> tags_;
};

Located located(Node node, const Models& models, Position parent, std::size_t room) {
    const auto notation = notation_of(node.cell.kind);
    const auto position = models.below(parent, notation, node.cell.text);
    if (position != Models::unknown) {
        node.cell = models.cell_at(position, notation, std::move(node.cell.text));
        return {std::move(node), position, room, false};
    }
    std::vector<Position> path;
    if (node.cell.kind == CellKind::tag) path = models.path_to(parent, node.cell.text);
    if (path.size() < 2 || room < path.size() - 1)
        return {std::move(node), Models::unknown, room, false};
    Node first{{CellKind::tag, models.at(path.front()).name, {}}, {}, {}};
    first.children.push_back(std::move(node));
    return {std::move(first), path.front(), room - 1, true};
}

// Works level by level: a path of several tags grows by one tag per level.
void restore_below(std::vector<Node>& nodes, const Models& models, Position parent,
                   std::size_t room) {
    Level level;
    for (auto& node : nodes) level.add(located(std::move(node), models, parent, room));
    nodes.clear();
    for (auto& [node, position, left, is_inserted] : level.siblings()) {
        if (position != Models::unknown && !node.children.empty())
            restore_below(node.children, models, position, left);
        nodes.push_back(std::move(node));
    }
}

}  // namespace

void restore_paths(std::vector<Node>& nodes, const Models& models, Models::Position position) {
    const auto height = height_of(nodes);
    if (position == Models::unknown || height > deepest_node) return;
    restore_below(nodes, models, position, deepest_node - height);
}

}  // namespace tree
