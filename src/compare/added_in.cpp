// SPDX-License-Identifier: MIT
#include "compare/added_in.hpp"

#include <algorithm>

namespace compare {
namespace {

using tree::Node;
using Siblings = std::vector<Node>;

// Up to this many siblings a linear search is faster than hashing.
constexpr std::size_t few_siblings = 12;

// Finds siblings by their content.
class SiblingIndex {
   public:
    explicit SiblingIndex(const Siblings& siblings) : siblings_(siblings) {
        if (siblings.size() <= few_siblings) return;
        by_content_.reserve(siblings.size());
        for (const auto& node : siblings)
            by_content_.emplace(tree::content_key(node.cell), &node);
    }

    [[nodiscard]] const Node* find(const tree::Cell& cell) const {
        if (by_content_.empty()) {
            const auto found = std::ranges::find_if(
                siblings_, [&](const Node& node) { return tree::same_content(node.cell, cell); });
            return found == siblings_.end() ? nullptr : &*found;
        }
        const auto found = by_content_.find(tree::content_key(cell));
        return found == by_content_.end() ? nullptr : found->second;
    }

   private:
    const Siblings& siblings_;
    std::unordered_map<std::string, const Node*> by_content_;
};

}  // namespace

AddedIn::AddedIn(const Siblings& nodes) : nodes_(nodes) {
    const auto count = tree::count_nodes(nodes);
    at_.reserve(count);
    end_.reserve(count);
    add(nodes);
    marks_.assign(at_.size(), none);
    unmarked_ = marks_.size();
}

void AddedIn::add(const Siblings& siblings) {
    for (const auto& node : siblings) {
        const auto place = at_.size();
        at_.push_back(&node);
        end_.push_back(0);
        add(node.children);
        end_[place] = static_cast<Place>(at_.size());
    }
}

const Siblings& AddedIn::children_of(Place parent) const {
    return parent == top ? nodes_ : at_[parent]->children;
}

AddedIn::Place AddedIn::child(Place parent, const tree::Cell& cell) {
    const auto& siblings = children_of(parent);
    Place place = parent == top ? 0 : parent + 1;
    if (siblings.size() <= few_siblings) {
        for (const auto& node : siblings) {
            if (tree::same_content(node.cell, cell)) return place;
            place = end_[place];
        }
        return nowhere;
    }
    auto& by_content = many_[parent];
    if (by_content.empty())
        for (const auto& node : siblings) {
            by_content.emplace(tree::content_key(node.cell), place);
            place = end_[place];
        }
    const auto found = by_content.find(tree::content_key(cell));
    return found == by_content.end() ? nowhere : found->second;
}

void AddedIn::mark(std::span<const Change> changes, Mark mark) {
    for (const auto& change : changes) {
        if (unmarked_ == 0) return;
        Place parent = top;
        for (const auto& cell : change.path) {
            parent = child(parent, cell);
            if (parent == nowhere) break;
        }
        if (parent == nowhere) continue;
        mark_siblings(&change.before, change.after, parent, mark);
    }
}

void AddedIn::mark_new(const Siblings& before, const Siblings& after, Mark mark) {
    mark_siblings(&before, after, top, mark);
}

void AddedIn::mark_rest(Mark mark) {
    std::ranges::replace(marks_, none, mark);
    unmarked_ = 0;
}

void AddedIn::mark_siblings(const Siblings* before, const Siblings& after, Place parent,
                            Mark mark) {
    if (before == nullptr || before->empty()) {
        for (const auto& node : after) mark_node(nullptr, node, parent, mark);
        return;
    }
    const SiblingIndex old(*before);
    for (const auto& node : after) mark_node(old.find(node.cell), node, parent, mark);
}

// What was there before is not new, but something below it may be.
void AddedIn::mark_node(const Node* before, const Node& after, Place parent, Mark mark) {
    const auto place = child(parent, after.cell);
    if (place == nowhere) return;
    if (before == nullptr && marks_[place] == none) {
        marks_[place] = mark;
        --unmarked_;
    }
    mark_siblings(before == nullptr ? nullptr : &before->children, after.children, place, mark);
}

}  // namespace compare
