// SPDX-License-Identifier: MIT
#include "compare/ignored.hpp"

#include <algorithm>
#include <span>

#include "base/text.hpp"
#include "tree/outline.hpp"

namespace compare {
namespace {

using tree::Cell;
using tree::Node;
using Nodes = std::vector<Node>;

// The rest of a path, below the nodes that it has passed.
using Way = std::span<const std::string>;
using Ways = std::vector<Way>;

bool names(std::string_view tag, const Cell& cell) {
    return cell.kind == tree::CellKind::tag && base::equal_ignoring_case(tag, cell.text);
}

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
    Ignoring(const Ignored& ignored, std::string_view class_name) {
        for (const auto& [of_class, paths] : ignored)
            if (of_class == "*" || base::equal_ignoring_case(of_class, class_name))
                for (const auto& path : paths) add(path);
    }

    [[nodiscard]] bool nothing() const { return anywhere_.empty() && from_object_.empty(); }

    [[nodiscard]] Nodes left_of(const Nodes& nodes) const { return left_of(nodes, from_object_); }

    // Returns false when nothing remains.
    [[nodiscard]] bool keep(Change& change) const {
        auto ways = from_object_;
        for (const auto& cell : change.path) {
            if (is_ignored(cell, ways)) return false;
            ways = below(cell, ways);
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
    void add(const std::vector<std::string>& path) {
        if (path.size() == 1) anywhere_.emplace_back(path.front());
        if (path.size() > 1) from_object_.emplace_back(path);
    }

    [[nodiscard]] bool is_ignored(const Cell& cell, const Ways& ways) const {
        const auto anywhere = [&](std::string_view tag) { return names(tag, cell); };
        const auto ends_here = [&](const Way& way) {
            return way.size() == 1 && names(way.front(), cell);
        };
        return std::ranges::any_of(anywhere_, anywhere) || std::ranges::any_of(ways, ends_here);
    }

    [[nodiscard]] static Ways below(const Cell& cell, const Ways& ways) {
        Ways further;
        for (const auto& way : ways)
            if (names(way.front(), cell)) further.push_back(way.subspan(1));
        return further;
    }

    [[nodiscard]] Nodes left_of(const Nodes& nodes, const Ways& ways) const {
        Nodes left;
        for (const auto& node : nodes) {
            if (is_ignored(node.cell, ways)) continue;
            Node kept{node.cell, node.stamp, left_of(node.children, below(node.cell, ways))};
            if (!has_gone(kept, !node.children.empty())) left.push_back(std::move(kept));
        }
        return left;
    }

    // Works in place, because a change owns its nodes.
    void strip(Nodes& nodes, const Ways& ways) const {
        std::size_t left = 0;
        for (auto& node : nodes) {
            if (is_ignored(node.cell, ways)) continue;
            const bool had_children = !node.children.empty();
            strip(node.children, below(node.cell, ways));
            if (has_gone(node, had_children)) continue;
            if (&nodes[left] != &node) nodes[left] = std::move(node);
            ++left;
        }
        nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(left), nodes.end());
    }

    std::vector<std::string_view> anywhere_;
    Ways from_object_;
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
    return ignoring.left_of(nodes);
}

}  // namespace compare
