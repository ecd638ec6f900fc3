// SPDX-License-Identifier: MIT
#include "compare/ignored.hpp"

#include "tree/outline.hpp"

namespace compare {
namespace {

using tree::Cell;
using tree::Node;
using Nodes = std::vector<Node>;

using Ways = PathMatcher::Ways;

// Returns whether an emptied node is dropped: a tag is, a value is not.
bool has_gone(const Node& left, bool had_children) {
    return had_children && left.children.empty() && left.cell.kind == tree::CellKind::tag;
}

// True when what differed below a node that was compared as a whole was ignored.
bool is_same_node(const Change& change) {
    if (change.before.empty() || change.after.empty()) return false;
    return tree::same_content(change.before.front().cell, change.after.front().cell) &&
           tree::signature_of(change.before) == tree::signature_of(change.after);
}

// The paths that one class ignores.
class Ignoring {
   public:
    Ignoring(const Ignored& ignored, std::string_view class_name) : paths_(ignored, class_name) {}

    [[nodiscard]] bool nothing() const { return paths_.empty(); }

    void strip(Nodes& nodes) const { strip(nodes, paths_.start()); }

    // Returns false when nothing remains.
    [[nodiscard]] bool keep(Change& change) const {
        auto ways = paths_.start();
        for (const auto& cell : change.path) {
            if (paths_.ends_at(cell, ways)) return false;
            ways = PathMatcher::below(cell, ways);
        }
        strip(change.before, ways);
        strip(change.after, ways);
        if (change.before.empty() && change.after.empty()) return false;
        if (is_same_node(change)) return false;
        if (change.before.empty()) change.op = Op::added;
        if (change.after.empty()) change.op = Op::removed;
        return true;
    }

   private:
    void strip(Nodes& nodes, const Ways& ways) const {
        std::size_t left = 0;
        for (auto& node : nodes) {
            if (paths_.ends_at(node.cell, ways)) continue;
            const bool had_children = !node.children.empty();
            strip(node.children, PathMatcher::below(node.cell, ways));
            if (has_gone(node, had_children)) continue;
            if (&nodes[left] != &node) nodes[left] = std::move(node);
            ++left;
        }
        nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(left), nodes.end());
    }

    PathMatcher paths_;
};

}  // namespace

std::vector<Change> without_ignored(std::vector<Change> changes, const Ignored& ignored,
                                    std::string_view class_name) {
    const Ignoring ignoring(ignored, class_name);
    if (ignoring.nothing()) return changes;
    std::vector<Change> left;
    for (auto& change : changes)
        if (ignoring.keep(change)) left.push_back(std::move(change));
    return left;
}

std::optional<Nodes> without_ignored(const Nodes& nodes, const Ignored& ignored,
                                     std::string_view class_name) {
    const Ignoring ignoring(ignored, class_name);
    if (ignoring.nothing()) return std::nullopt;
    auto left = nodes;
    ignoring.strip(left);
    return left;
}

}  // namespace compare
