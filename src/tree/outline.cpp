// SPDX-License-Identifier: MIT
#include "tree/outline.hpp"

#include <algorithm>

#include "tree/number.hpp"

namespace tree {
namespace {

constexpr char letter_of(Notation notation) {
    switch (notation) {
        case Notation::bare: return 'b';
        case Notation::quoted: return 'q';
        case Notation::comment: return 'c';
        case Notation::member: return 'm';
    }
    return '?';
}

void outline(Outline& into, Outline::Place parent, const std::vector<Node>& nodes) {
    for (const auto& node : nodes) {
        const auto notation = notation_of(node.cell.kind);
        const bool as_written =
            notation == Notation::quoted || notation == Notation::comment ||
            (notation == Notation::bare &&
             (!is_number(node.cell.text) || is_canonical_number(node.cell.text)));
        const auto place = as_written ? into.add(parent, notation, node.cell.text)
                                      : into.add_copy(parent, notation, key_of(node.cell));
        outline(into, place, node.children);
    }
}

}  // namespace

Outline::Outline() : md5_(base::Algorithm::md5) { clear(); }

void Outline::clear() {
    items_.resize(1);
    items_[0] = Item{};
    copies_used_ = 0;
}

Outline::Place Outline::add(Place parent, Notation notation, std::string_view key) {
    const Place last = items_[parent].last;
    if (last != 0 && items_[last].notation == notation && items_[last].key == key) return last;
    const auto place = static_cast<Place>(items_.size());
    items_.push_back(Item{key, 0, 0, 0, notation});
    auto& above = items_[parent];
    (last == 0 ? above.first : items_[last].next) = place;
    above.last = place;
    return place;
}

Outline::Place Outline::add_copy(Place parent, Notation notation, std::string_view key) {
    if (copies_used_ == copies_.size()) copies_.emplace_back();
    copies_[copies_used_] = key;
    return add(parent, notation, copies_[copies_used_++]);
}

bool Outline::before(Place a, Place b) const {
    const auto &x = items_[a], &y = items_[b];
    if (x.notation != y.notation) return letter_of(x.notation) < letter_of(y.notation);
    return x.key < y.key;
}

bool Outline::in_order(Place first) const {
    for (Place at = first, next = items_[at].next; next != 0; at = next, next = items_[at].next)
        if (!before(at, next)) return false;
    return true;
}

void Outline::adopt_children(Place from, Place to) {
    if (items_[from].first == 0) return;
    (items_[to].last == 0 ? items_[to].first : items_[items_[to].last].next) = items_[from].first;
    items_[to].last = items_[from].last;
}

void Outline::sort_children(Place parent) {
    if (in_order(items_[parent].first)) return;
    order_.clear();
    for (Place at = items_[parent].first; at != 0; at = items_[at].next) order_.push_back(at);
    // Equal siblings become one whose children are sorted in turn, so their order is no matter.
    std::sort(order_.begin(), order_.end(), [this](Place a, Place b) { return before(a, b); });
    Place last = order_.front();
    items_[parent].first = last;
    for (const Place place : order_) {
        if (place == last) continue;
        if (!before(last, place)) {
            adopt_children(place, last);
            continue;
        }
        items_[last].next = place;
        last = place;
    }
    items_[last].next = 0;
    items_[parent].last = last;
}

void Outline::write_children(Place parent) {
    if (items_[parent].first == 0) return;
    sort_children(parent);
    for (Place at = items_[parent].first; at != 0; at = items_[at].next) {
        bytes_ += letter_of(items_[at].notation);
        bytes_ += items_[at].key;
        if (items_[at].first == 0) {
            bytes_ += '\x00';
            continue;
        }
        bytes_ += '\x01';
        write_children(at);
        bytes_ += '\x02';
    }
}

std::string Outline::canonical_bytes() {
    bytes_.clear();
    write_children(root);
    return bytes_;
}

std::string Outline::signature() {
    bytes_.clear();
    write_children(root);
    md5_.update(bytes_);
    return md5_.hex();
}

std::string signature_of(const std::vector<Node>& nodes) {
    Outline canonical;
    outline(canonical, Outline::root, nodes);
    return canonical.signature();
}

}  // namespace tree
