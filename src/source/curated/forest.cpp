// SPDX-License-Identifier: MIT
#include "source/curated/forest.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace source::curated {
namespace {

using tree::CellKind;

// Up to this many siblings, a linear search beats hashing.
constexpr Id few = 8;

// What a text or name takes in addition to its bytes: the string, its node in the table.
constexpr std::size_t overhead = 96;

}  // namespace

// ---- Names ----

Id Texts::add(std::string_view bytes) {
    if (bytes.empty()) return 0;
    if (!base::is_legal_text(bytes)) return add(base::legal_text(bytes));
    if (const auto known = numbers_.find(bytes); known != numbers_.end()) return known->second;
    const auto number = add_long(bytes);
    numbers_.emplace(texts_[number], number);
    return number;
}

Id Texts::add_long(std::string_view bytes) {
    if (bytes.empty()) return 0;
    texts_.push_back(base::is_legal_text(bytes) ? std::string(bytes) : base::legal_text(bytes));
    bytes_ += texts_.back().size() + overhead;
    return static_cast<Id>(texts_.size() - 1);
}

std::string_view trimmed_name(std::string_view name) {
    const auto first = name.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return name.substr(first, name.find_last_not_of(" \t") + 1 - first);
}

std::string Names::folded(std::string_view class_name, std::string_view name) {
    auto text = base::fold_ascii(class_name);
    text += '\0';
    return text += base::fold_ascii(name);
}

std::string Names::folded(Id key) const { return folded(class_of(key), name_of(key)); }

Id Names::add(std::string_view class_name, std::string_view name) {
    const auto text = texts_.add(trimmed_name(name));
    const auto next = static_cast<Id>(keys_.size());
    const auto [known, is_new] = numbers_.try_emplace(folded(class_name, texts_.at(text)), next);
    if (!is_new) return known->second;
    keys_.push_back({texts_.add(class_name), text, 0});
    shortcuts_.emplace_back();
    bytes_ += known->first.size() + overhead;
    return next;
}

Id Names::find(std::string_view class_name, std::string_view name) const {
    const auto legal = base::legal_text(trimmed_name(name));
    const auto known = numbers_.find(folded(class_name, legal));
    return known == numbers_.end() ? 0 : known->second;
}

Id Names::resolved(Id key) const {
    auto last = key;
    while (keys_[last].alias_of != 0) last = next(last);
    while (key != last) {
        const auto following = next(key);
        shortcuts_[key] = {last, drops_};
        key = following;
    }
    return last;
}

Id Names::next(Id key) const {
    const auto& shortcut = shortcuts_[key];
    const bool holds = shortcut.to != 0 && shortcut.drops == drops_;
    return holds ? shortcut.to : keys_[key].alias_of;
}

const std::string& Names::name_of(Id key) const { return texts_.at(keys_[key].name); }
const std::string& Names::class_of(Id key) const { return texts_.at(keys_[key].class_name); }

void Names::rename(Id key, std::string_view name) {
    numbers_.erase(folded(key));
    keys_[key].name = texts_.add(trimmed_name(name));
    auto text = folded(key);
    bytes_ += text.size();
    numbers_.emplace(std::move(text), key);
}

void Names::make_alias(Id key, Id target, OldName old_name) {
    if (old_name == OldName::drop) numbers_.erase(folded(key));
    keys_[key].alias_of = resolved(target);
}

// ---- Trees ----

std::size_t Forest::HashChild::operator()(const ChildKey& key) const {
    std::uint64_t x =
        (std::uint64_t{key.parent} << 32 | key.text) * 9 + static_cast<std::uint64_t>(key.kind);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return static_cast<std::size_t>(x ^ (x >> 31));
}

Forest::Forest() : items_(1) {}

Id Forest::begin(tree::Models::Position place) { return make(0, {CellKind::tag, 0, place}); }

Forest::ChildKey Forest::key_of(Id node) const {
    const auto& item = items_[node];
    return {item.parent, item.cell.text, item.cell.kind};
}

Id Forest::make(Id parent, const Content& cell) {
    auto node = static_cast<Id>(items_.size());
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

Id Forest::find(Id parent, const Content& cell) const {
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

void Forest::index_children(Id parent) {
    items_[parent].is_indexed = true;
    for (auto child = items_[parent].first; child != 0; child = items_[child].next)
        children_.emplace(key_of(child), child);
}

Id Forest::add(Id parent, const Content& cell, Siblings siblings) {
    if (const auto known = find(parent, cell); known != 0) return known;
    if (siblings == Siblings::one) remove_other_children(parent);
    const auto node = make(parent, cell);
    if (items_[parent].is_indexed)
        children_.emplace(key_of(node), node);
    else if (items_[parent].count > few)
        index_children(parent);
    return node;
}

void Forest::remove_other_children(Id parent) {
    for (auto child = items_[parent].first; child != 0;) {
        const auto next = items_[child].next;
        if (items_[child].cell.kind != CellKind::comment) remove(child);
        child = next;
    }
}

void Forest::replace(Id node, const Content& cell) {
    auto& item = items_[node];
    if (item.cell.text == cell.text && item.cell.kind == cell.kind) return;
    unindex(node);
    item.cell = cell;
    item.stamp = 0;
    // If a sibling has that content already, both stay, as in AceDB; only one is found.
    if (items_[item.parent].is_indexed) children_.emplace(key_of(node), node);
}

void Forest::unindex(Id node) {
    if (!items_[items_[node].parent].is_indexed) return;
    const auto known = children_.find(key_of(node));
    if (known != children_.end() && known->second == node) children_.erase(known);
}

void Forest::unlink(Id node) {
    const auto& item = items_[node];
    auto& above = items_[item.parent];
    (item.previous != 0 ? items_[item.previous].next : above.first) = item.next;
    (item.next != 0 ? items_[item.next].previous : above.last) = item.previous;
    --above.count;
}

void Forest::remove(Id node) {
    clear(node);
    unindex(node);
    unlink(node);
    free_.push_back(node);
}

void Forest::clear(Id parent) {
    std::vector<Id> doomed;
    for (auto child = items_[parent].first; child != 0; child = items_[child].next)
        doomed.push_back(child);
    for (std::size_t i = 0; i < doomed.size(); ++i)
        for (auto child = items_[doomed[i]].first; child != 0; child = items_[child].next)
            doomed.push_back(child);
    for (const auto node : doomed) unindex(node);
    free_.insert(free_.end(), doomed.begin(), doomed.end());
    auto& item = items_[parent];
    item.first = item.last = item.count = 0;
    item.is_indexed = false;
}

void Forest::prune(Id node) {
    for (;;) {
        const auto& item = items_[node];
        const bool is_alone = item.previous == 0 && item.next == 0;
        if (!is_alone || items_[item.parent].parent == 0) break;
        node = item.parent;
    }
    remove(node);
}

Id Forest::merge(Id other, Id preferred, const tree::Models& models) {
    if (is_smaller(other, preferred)) {
        move_nodes(other, preferred, Preferred::into, models);
        return preferred;
    }
    move_nodes(preferred, other, Preferred::from, models);
    return other;
}

// Walks both at once, so that the cost is that of the smaller one.
bool Forest::is_smaller(Id root, Id than) const {
    std::vector<Id> left{root}, right{than};
    const auto step = [this](std::vector<Id>& open) {
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

void Forest::move_nodes(Id from, Id into, Preferred preferred, const tree::Models& models) {
    std::vector<Pair> open{{from, into}};
    while (!open.empty()) {
        const auto parents = open.back();
        open.pop_back();
        move_children(parents, preferred, models, open);
    }
    clear(from);
    free_.push_back(from);
}

void Forest::move_children(Pair parents, Preferred preferred, const tree::Models& models,
                           std::vector<Pair>& open) {
    const bool is_unique = models.is_unique(items_[parents.from].cell.place);
    for (auto child = items_[parents.from].first; child != 0; child = items_[child].next) {
        const auto item = items_[child];
        const bool is_one = is_unique && item.cell.kind != CellKind::comment;
        const bool is_new = find(parents.into, item.cell) == 0;
        if (is_new && is_one && preferred == Preferred::into && !is_empty(parents.into)) continue;
        const auto node = add(parents.into, item.cell, is_one ? Siblings::one : Siblings::many);
        if (is_new) items_[node].stamp = item.stamp;
        open.push_back({child, node});
    }
}

std::vector<tree::Node> Forest::nodes_below(Id parent, const Texts& texts,
                                            const CellOf& cell_of) const {
    std::vector<Id> order;
    bool are_tags = true;
    for (auto child = items_[parent].first; child != 0; child = items_[child].next) {
        order.push_back(child);
        are_tags = are_tags && items_[child].cell.kind == CellKind::tag;
    }
    if (are_tags)
        std::stable_sort(order.begin(), order.end(),
                         [&](Id a, Id b) { return items_[a].cell.place < items_[b].cell.place; });
    std::vector<tree::Node> nodes;
    nodes.reserve(order.size());
    for (const auto node : order)
        nodes.push_back({cell_of(items_[node].cell), texts.at(items_[node].stamp),
                         nodes_below(node, texts, cell_of)});
    return nodes;
}

std::size_t Forest::bytes_held() const {
    // Items, and for each indexed child a node of the table and its bucket.
    return items_.size() * sizeof(Item) + children_.size() * 48;
}

}  // namespace source::curated
