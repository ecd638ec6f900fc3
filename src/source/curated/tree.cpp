// SPDX-License-Identifier: MIT
#include "source/curated/tree.hpp"

#include <algorithm>

namespace source::curated {
namespace {

using tree::Kind;

// So many siblings are searched one by one, which beats hashing them.
constexpr Number few = 8;

}  // namespace

std::size_t Forest::HashChild::operator()(const ChildKey& key) const {
    std::uint64_t x =
        (std::uint64_t{key.parent} << 32 | key.text) * 9 + static_cast<std::uint64_t>(key.kind);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return static_cast<std::size_t>(x ^ (x >> 31));
}

Forest::Forest() : items_(1) {}

Number Forest::begin(tree::Models::Position place) { return make(0, {Kind::tag, 0, place}); }

Forest::ChildKey Forest::key_of(Number node) const {
    const auto& item = items_[node];
    return {item.parent, item.cell.text, item.cell.kind};
}

Number Forest::make(Number parent, const Content& cell) {
    auto node = static_cast<Number>(items_.size());
    if (free_.empty()) {
        items_.emplace_back();
    } else {
        node = free_.back();
        free_.pop_back();
    }
    auto& item = items_[node] = {cell, parent, 0, 0, 0, 0, 0, 0, false};
    if (parent == 0) return node;
    auto& above = items_[parent];
    item.previous = above.last;
    (above.last != 0 ? items_[above.last].next : above.first) = node;
    above.last = node;
    ++above.count;
    return node;
}

Number Forest::find(Number parent, const Content& cell) const {
    if (items_[parent].is_indexed) {
        const auto known = children_.find({parent, cell.text, cell.kind});
        return known == children_.end() ? 0 : known->second;
    }
    auto child = items_[parent].first;
    while (child != 0 &&
           (items_[child].cell.text != cell.text || items_[child].cell.kind != cell.kind))
        child = items_[child].next;
    return child;
}

void Forest::index_children(Number parent) {
    items_[parent].is_indexed = true;
    for (auto child = items_[parent].first; child != 0; child = items_[child].next)
        children_.emplace(key_of(child), child);
}

Number Forest::add(Number parent, const Content& cell, Siblings siblings) {
    if (const auto known = find(parent, cell); known != 0) return known;
    if (siblings == Siblings::one) remove_other_children(parent);
    const auto node = make(parent, cell);
    if (items_[parent].is_indexed)
        children_.emplace(key_of(node), node);
    else if (items_[parent].count > few)
        index_children(parent);
    return node;
}

void Forest::remove_other_children(Number parent) {
    for (auto child = items_[parent].first; child != 0;) {
        const auto next = items_[child].next;
        if (items_[child].cell.kind != Kind::comment) remove(child);
        child = next;
    }
}

void Forest::replace(Number node, const Content& cell) {
    auto& item = items_[node];
    if (item.cell.text == cell.text && item.cell.kind == cell.kind) return;
    forget(node);
    item.cell = cell;
    item.stamp = 0;
    // Where a sibling of that content stands, both stay, as they do in AceDB; only one is found.
    if (items_[item.parent].is_indexed) children_.emplace(key_of(node), node);
}

void Forest::forget(Number node) {
    if (!items_[items_[node].parent].is_indexed) return;
    const auto known = children_.find(key_of(node));
    if (known != children_.end() && known->second == node) children_.erase(known);
}

void Forest::unlink(Number node) {
    const auto& item = items_[node];
    auto& above = items_[item.parent];
    (item.previous != 0 ? items_[item.previous].next : above.first) = item.next;
    (item.next != 0 ? items_[item.next].previous : above.last) = item.previous;
    --above.count;
}

void Forest::remove(Number node) {
    clear(node);
    forget(node);
    unlink(node);
    free_.push_back(node);
}

void Forest::clear(Number parent) {
    std::vector<Number> doomed;
    for (auto child = items_[parent].first; child != 0; child = items_[child].next)
        doomed.push_back(child);
    for (std::size_t i = 0; i < doomed.size(); ++i)
        for (auto child = items_[doomed[i]].first; child != 0; child = items_[child].next)
            doomed.push_back(child);
    for (const auto node : doomed) forget(node);
    free_.insert(free_.end(), doomed.begin(), doomed.end());
    auto& item = items_[parent];
    item.first = item.last = item.count = 0;
    item.is_indexed = false;
}

void Forest::prune(Number node) {
    for (;;) {
        const auto& item = items_[node];
        const bool is_alone = item.previous == 0 && item.next == 0;
        if (!is_alone || items_[item.parent].parent == 0) break;
        node = item.parent;
    }
    remove(node);
}

Number Forest::fuse(Number other, Number preferred, const tree::Models& models) {
    if (is_smaller(other, preferred)) {
        move_nodes(other, preferred, Stays::into, models);
        return preferred;
    }
    move_nodes(preferred, other, Stays::from, models);
    return other;
}

// Walks both at once, so that it takes no longer than the smaller one is large.
bool Forest::is_smaller(Number root, Number than) const {
    std::vector<Number> left{root}, right{than};
    const auto step = [this](std::vector<Number>& open) {
        const auto node = open.back();
        open.pop_back();
        if (items_[node].next != 0) open.push_back(items_[node].next);
        if (items_[node].first != 0) open.push_back(items_[node].first);
    };
    while (!left.empty() && !right.empty()) {
        step(left);
        step(right);
    }
    return left.empty();
}

void Forest::move_nodes(Number from, Number into, Stays stays, const tree::Models& models) {
    std::vector<Pair> open{{from, into}};
    while (!open.empty()) {
        const auto parents = open.back();
        open.pop_back();
        move_children(parents, stays, models, open);
    }
    clear(from);
    free_.push_back(from);
}

void Forest::move_children(Pair parents, Stays stays, const tree::Models& models,
                           std::vector<Pair>& open) {
    const bool is_unique = models.is_unique(items_[parents.from].cell.place);
    for (auto child = items_[parents.from].first; child != 0; child = items_[child].next) {
        const auto item = items_[child];
        const bool is_one = is_unique && item.cell.kind != Kind::comment;
        const bool is_new = find(parents.into, item.cell) == 0;
        if (is_new && is_one && stays == Stays::into && !is_empty(parents.into)) continue;
        const auto node = add(parents.into, item.cell, is_one ? Siblings::one : Siblings::many);
        if (is_new) items_[node].stamp = item.stamp;
        open.push_back({child, node});
    }
}

std::vector<tree::Node> Forest::nodes_below(Number parent, const Texts& texts,
                                            const CellOf& cell_of) const {
    std::vector<Number> order;
    bool are_tags = true;
    for (auto child = items_[parent].first; child != 0; child = items_[child].next) {
        order.push_back(child);
        are_tags = are_tags && items_[child].cell.kind == Kind::tag;
    }
    if (are_tags)
        std::stable_sort(order.begin(), order.end(), [&](Number a, Number b) {
            return items_[a].cell.place < items_[b].cell.place;
        });
    std::vector<tree::Node> nodes;
    nodes.reserve(order.size());
    for (const auto node : order)
        nodes.push_back({cell_of(items_[node].cell), texts.at(items_[node].stamp),
                         nodes_below(node, texts, cell_of)});
    return nodes;
}

std::size_t Forest::bytes_held() const {
    // Items, and the places of those that are indexed: a node of the table and its bucket.
    return items_.size() * sizeof(Item) + children_.size() * 48;
}

}  // namespace source::curated
