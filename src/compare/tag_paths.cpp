// SPDX-License-Identifier: MIT
#include "compare/tag_paths.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace compare {
namespace {

using tree::Cell;
using tree::Node;
using Ways = PathMatcher::Ways;

bool names_tag(std::string_view tag, const Cell& cell) {
    return cell.kind == tree::CellKind::tag && base::equal_ignoring_case(tag, cell.text);
}

bool is_evidence(const Cell& cell) {
    constexpr std::string_view ending = "_evidence";
    return cell.kind == tree::CellKind::tag && cell.text.size() > ending.size() &&
           base::equal_ignoring_case(cell.text.substr(cell.text.size() - ending.size()), ending);
}

bool contains_end(const std::vector<Node>& nodes, const PathMatcher& matcher, const Ways& ways) {
    return std::ranges::any_of(nodes, [&](const Node& node) {
        return matcher.ends_at(node.cell, ways) ||
               contains_end(node.children, matcher, PathMatcher::below(node.cell, ways));
    });
}

}  // namespace

PathMatcher::PathMatcher(const TagPaths& paths, std::string_view class_name) {
    for (const auto& [of_class, list] : paths) {
        if (of_class != "*" && !base::equal_ignoring_case(of_class, class_name)) continue;
        for (const auto& path : list) {
            if (path.size() == 1) anywhere_.emplace_back(path.front());
            if (path.size() > 1) from_object_.emplace_back(path);
        }
    }
}

PathMatcher::Ways PathMatcher::below(const Cell& cell, const Ways& ways) {
    Ways further;
    for (const auto& way : ways)
        if (way.size() > 1 && names_tag(way.front(), cell)) further.push_back(way.subspan(1));
    return further;
}

bool PathMatcher::ends_at(const Cell& cell, const Ways& ways) const {
    const auto anywhere = [&](std::string_view tag) { return names_tag(tag, cell); };
    const auto ends_here = [&](const auto& way) {
        return way.size() == 1 && names_tag(way.front(), cell);
    };
    return std::ranges::any_of(anywhere_, anywhere) || std::ranges::any_of(ways, ends_here);
}

bool Ranking::is_helper(std::string_view class_name) const {
    return std::ranges::any_of(helper_classes, [&](const std::string& each) {
        return base::equal_ignoring_case(each, class_name);
    });
}

ClassRules::ClassRules(const Ranking& ranking, std::string_view class_name,
                       const tree::Models* models)
    : important_(ranking.important, class_name), minor_(ranking.minor, class_name),
      models_(models),
      root_(models == nullptr ? tree::Models::unknown : models->of_class(class_name)) {}

std::size_t ClassRules::first_telling_tag(std::span<const Cell* const> path) const {
    auto first = path.size();
    while (first > 0 && path[first - 1]->kind == tree::CellKind::tag) --first;
    if (root_ == tree::Models::unknown) return first;
    for (auto at = path.size(); at > first; --at) {
        const auto namesakes = models_->count_tags(root_, path[at - 1]->text);
        // Those of hashes are below the values that they say something of.
        if (namesakes == 1 || (namesakes == 0 && first > 0)) return at - 1;
    }
    return first;
}

bool ClassRules::is_cross_reference(std::span<const Cell* const> path,
                                    const Cell& reference) const {
    auto position = root_;
    for (const auto* cell : path) {
        if (position == tree::Models::unknown) return false;
        position = models_->below(position, tree::notation_of(cell->kind), cell->text);
    }
    if (position == tree::Models::unknown) return false;
    position = models_->below(position, tree::notation_of(reference.kind), reference.text);
    return position != tree::Models::unknown && models_->at(position).xref;
}

Rank ClassRules::rank_of(const Change& change) const {
    auto important_ways = important_.start(), minor_ways = minor_.start();
    bool is_minor = false;
    for (const auto& cell : change.path) {
        if (important_.ends_at(cell, important_ways)) return Rank::important;
        is_minor = is_minor || is_evidence(cell) || minor_.ends_at(cell, minor_ways);
        important_ways = PathMatcher::below(cell, important_ways);
        minor_ways = PathMatcher::below(cell, minor_ways);
    }
    if (!important_.empty() && (contains_end(change.before, important_, important_ways) ||
                                contains_end(change.after, important_, important_ways)))
        return Rank::important;
    const auto is_minor_node = [&](const Node& node) {
        return is_evidence(node.cell) || minor_.ends_at(node.cell, minor_ways);
    };
    is_minor = is_minor || std::ranges::any_of(change.before, is_minor_node) ||
               std::ranges::any_of(change.after, is_minor_node);
    return is_minor ? Rank::minor : Rank::ordinary;
}

}  // namespace compare
