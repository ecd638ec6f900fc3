// SPDX-License-Identifier: MIT
#include "tree/object.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "tree/number.hpp"

namespace tree {
namespace {

// Up to this many siblings a linear search is faster than hashing.
constexpr std::size_t few = 12;

void move_children(Node& from, Node& to) {
    std::move(from.children.begin(), from.children.end(), std::back_inserter(to.children));
}

bool has_duplicate(const std::vector<Node>& siblings) {
    for (std::size_t i = 1; i < siblings.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (same_content(siblings[i].cell, siblings[j].cell)) return true;
    return false;
}

// Index of the first sibling of each content, by notation and key.
using Seen = std::unordered_map<std::string, std::size_t>;

void merge_level(std::vector<Node>& siblings) {
    Seen seen;
    seen.reserve(siblings.size());
    std::size_t kept = 0;
    for (auto& node : siblings) {
        auto key = static_cast<char>(notation_of(node.cell.kind)) + key_of(node.cell);
        const auto [place, is_new] = seen.try_emplace(std::move(key), kept);
        if (!is_new) {
            move_children(node, siblings[place->second]);
            continue;
        }
        if (&siblings[kept] != &node) siblings[kept] = std::move(node);
        ++kept;
    }
    siblings.resize(kept);
}

}  // namespace

std::string key_of(const Cell& cell) {
    switch (cell.kind) {
        case Kind::tag:
        case Kind::integer:
        case Kind::real:
        case Kind::date: return is_number(cell.text) ? canonical_number(cell.text) : cell.text;
        case Kind::member: return cell.class_name + '\n' + cell.text;
        case Kind::text:
        case Kind::reference:
        case Kind::comment: break;
    }
    return cell.text;
}

bool same_content(const Cell& a, const Cell& b) {
    if (notation_of(a.kind) != notation_of(b.kind)) return false;
    if (a.kind == Kind::member && a.class_name != b.class_name) return false;
    if (a.text == b.text) return true;
    return notation_of(a.kind) == Notation::bare && is_number(a.text) && is_number(b.text) &&
           canonical_number(a.text) == canonical_number(b.text);
}

void merge_duplicates(std::vector<Node>& siblings) {
    if (siblings.size() > few || has_duplicate(siblings)) merge_level(siblings);
    for (auto& node : siblings)
        if (!node.children.empty()) merge_duplicates(node.children);
}

std::size_t count_nodes(const std::vector<Node>& nodes) {
    std::size_t count = nodes.size();
    for (const auto& node : nodes) count += count_nodes(node.children);
    return count;
}

}  // namespace tree
