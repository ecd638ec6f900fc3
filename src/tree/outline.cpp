// SPDX-License-Identifier: MIT
#include "tree/outline.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

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

// A key's notation and first seven bytes as one number: what has a lower rank stands first, and
// only what has an equal one needs a closer look. Tags and short values need none, so memcmp is
// called for a third of the comparisons (signing a whole dump: 6 % faster).
std::uint64_t rank_of(Notation notation, std::string_view key) {
    std::uint64_t bytes = 0;
    if (key.size() >= sizeof bytes) {
        std::memcpy(&bytes, key.data(), sizeof bytes);
        if constexpr (std::endian::native == std::endian::little)
            bytes = __builtin_bswap64(bytes);
    } else {
        for (const char c : key) bytes = bytes << 8 | static_cast<unsigned char>(c);
        bytes <<= 8 * (sizeof bytes - key.size()) % 64;
    }
    return static_cast<std::uint64_t>(letter_of(notation)) << 56 | bytes >> 8;
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
    most_bytes_ = 0;
}

Outline::Place Outline::add(Place parent, Notation notation, std::string_view key) {
    const Place last = items_[parent].last;
    const auto rank = rank_of(notation, key);
    if (last != 0 && items_[last].rank == rank && items_[last].key == key) return last;
    const auto place = static_cast<Place>(items_.size());
    items_.push_back(Item{rank, key, 0, 0, 0, notation});
    most_bytes_ += key.size() + 3;  // letter, 0x01, 0x02
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
    return x.rank != y.rank ? x.rank < y.rank : x.key < y.key;
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

char* Outline::write_children(Place parent, char* out) {
    if (items_[parent].first == 0) return out;
    sort_children(parent);
    for (Place at = items_[parent].first; at != 0; at = items_[at].next) {
        const auto& item = items_[at];
        *out++ = letter_of(item.notation);
        out = std::copy(item.key.begin(), item.key.end(), out);
        if (item.first == 0) {
            *out++ = '\x00';
            continue;
        }
        *out++ = '\x01';
        out = write_children(at, out);
        *out++ = '\x02';
    }
    return out;
}

std::string_view Outline::write() {
    if (bytes_.size() < most_bytes_) bytes_.resize(most_bytes_);
    const char* end = write_children(root, bytes_.data());
    return {bytes_.data(), static_cast<std::size_t>(end - bytes_.data())};
}

std::string Outline::canonical_bytes() { return std::string(write()); }

std::string Outline::signature() {
    md5_.update(write());
    return md5_.hex();
}

std::string signature_of(const std::vector<Node>& nodes) {
    Outline canonical;
    outline(canonical, Outline::root, nodes);
    return canonical.signature();
}

}  // namespace tree
