// SPDX-License-Identifier: MIT
#include "compare/compare.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/text.hpp"
#include "tree/outline.hpp"

namespace compare {
namespace {

using tree::Cell;
using tree::Models;
using tree::Node;
using Nodes = std::vector<Node>;
using Partners = std::vector<std::optional<std::size_t>>;

// Up to this many siblings a linear search is faster than hashing.
constexpr std::size_t few = 12;

// Which siblings before and after have the same content.
struct Matching {
    Partners partner;         // for each node of `after` the index in `before`
    std::vector<bool> stays;  // for each node of `before`: it has a partner
};

void join(Matching& matching, std::size_t in_before, std::size_t in_after) {
    matching.partner[in_after] = in_before;
    matching.stays[in_before] = true;
}

void match_by_search(Matching& matching, const Nodes& before, const Nodes& after,
                     std::size_t from) {
    for (std::size_t i = from; i < after.size(); ++i)
        for (std::size_t j = from; j < before.size(); ++j)
            if (!matching.stays[j] && tree::same_content(before[j].cell, after[i].cell)) {
                join(matching, j, i);
                break;
            }
}

void match_by_hash(Matching& matching, const Nodes& before, const Nodes& after,
                   std::size_t from) {
    std::unordered_map<std::string, std::size_t> places;
    places.reserve(before.size() - from);
    for (std::size_t j = from; j < before.size(); ++j)
        places.emplace(tree::content_key(before[j].cell), j);
    for (std::size_t i = from; i < after.size(); ++i) {
        const auto found = places.find(tree::content_key(after[i].cell));
        if (found != places.end() && !matching.stays[found->second])
            join(matching, found->second, i);
    }
}

// Functions that are not inlined keep their variables out of the frames of the recursion, which is up
// to tree::deepest_node levels deep: sanitizers make frames large.
[[gnu::noinline]] Matching match(const Nodes& before, const Nodes& after) {
    Matching matching{Partners(after.size()), std::vector<bool>(before.size())};
    // Releases mostly keep the order, so nodes with the same index are tried first.
    std::size_t same = 0;
    while (same < before.size() && same < after.size() &&
           tree::same_content(before[same].cell, after[same].cell)) {
        join(matching, same, same);
        ++same;
    }
    if (std::min(before.size(), after.size()) - same <= few)
        match_by_search(matching, before, after, same);
    else
        match_by_hash(matching, before, after, same);
    return matching;
}

// A node that replaces another: indexes in `after` and `before`.
struct Pair {
    std::size_t before, after;
};

// Returns the only index for which `is` holds; nullopt when there is none or another one.
template <class Is>
std::optional<std::size_t> only(std::size_t count, Is&& is) {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < count; ++i) {
        if (!is(i)) continue;
        if (found) return std::nullopt;
        found = i;
    }
    return found;
}

std::optional<Pair> only_pair(const Nodes& before, const Nodes& after, const Matching& matching,
                              bool (*counts)(tree::CellKind), bool unmatched_only) {
    const auto old_one = only(before.size(), [&](std::size_t j) {
        return counts(before[j].cell.kind) && !(unmatched_only && matching.stays[j]);
    });
    const auto new_one = only(after.size(), [&](std::size_t i) {
        return counts(after[i].cell.kind) && !(unmatched_only && matching.partner[i]);
    });
    if (!old_one || !new_one || matching.stays[*old_one] || matching.partner[*new_one])
        return std::nullopt;
    return Pair{*old_one, *new_one};
}

bool is_tag(tree::CellKind kind) { return kind == tree::CellKind::tag; }

// Returns which nodes under one parent replace each other by rule C3: 0 … 2 pairs.
[[gnu::noinline]] std::vector<Pair> replacements(const Nodes& before, const Nodes& after,
                                                 const Matching& matching, bool unique) {
    std::vector<Pair> pairs;
    if (const auto values = only_pair(before, after, matching, tree::is_value, unique))
        pairs.push_back(*values);
    if (!unique) return pairs;
    if (const auto tags = only_pair(before, after, matching, is_tag, true))
        pairs.push_back(*tags);
    return pairs;
}

class Comparison {
   public:
    //   deepest  nodes with more cells above them are compared as wholes
    Comparison(const Models& models, std::size_t deepest) : models_(models), deepest_(deepest) {}

    void level(const Nodes& before, const Nodes& after, Models::Position position) {
        const auto matching = match(before, after);
        const auto pairs = replacements(before, after, matching, models_.is_unique(position));
        for (std::size_t i = 0; i < after.size(); ++i)
            standing_or_new(before, after[i], i, matching, pairs, position);
        add_removed(before, matching, pairs);
    }

    std::vector<Change> changes;
    bool has_too_long_paths = false;  // then `changes` are not all

   private:
    void standing_or_new(const Nodes& before, const Node& node, std::size_t i,
                         const Matching& matching, const std::vector<Pair>& pairs,
                         Models::Position position) {
        if (matching.partner[i])
            descend(before[*matching.partner[i]], node, position);
        else
            add_new(before, node, i, pairs);
    }

    [[gnu::noinline]] void add_new(const Nodes& before, const Node& node, std::size_t i,
                                   const std::vector<Pair>& pairs) {
        for (const auto& pair : pairs)
            if (pair.after == i) {
                add(Op::replaced, {before[pair.before]}, {node});
                return;
            }
        add(Op::added, {}, {node});
    }

    [[gnu::noinline]] void add_removed(const Nodes& before, const Matching& matching,
                                       const std::vector<Pair>& pairs) {
        for (std::size_t j = 0; j < before.size(); ++j)
            if (!matching.stays[j] &&
                std::none_of(pairs.begin(), pairs.end(),
                             [j](const Pair& pair) { return pair.before == j; }))
                add(Op::removed, {before[j]}, {});
    }

    [[gnu::noinline]] void add_whole(const Node& before, const Node& after) {
        if (tree::signature_of(before.children) != tree::signature_of(after.children))
            add(Op::replaced, {before}, {after});
    }

    void add(Op op, Nodes before, Nodes after) {
        has_too_long_paths = has_too_long_paths || !limit_.admits(path_.size());
        if (!has_too_long_paths)
            changes.push_back({op, path_, std::move(before), std::move(after)});
    }

    void descend(const Node& before, const Node& after, Models::Position position) {
        if (before.children.empty() && after.children.empty()) return;
        if (has_too_long_paths) return;
        if (path_.size() >= deepest_) {
            add_whole(before, after);
            return;
        }
        path_.push_back(after.cell);
        level(before.children, after.children,
              models_.below(position, tree::notation_of(after.cell.kind), after.cell.text));
        path_.pop_back();
    }

    const Models& models_;
    const std::size_t deepest_;
    PathLimit limit_;
    std::vector<Cell> path_;
};

Nodes::iterator find_content(Nodes& nodes, const Cell& cell) {
    return std::find_if(nodes.begin(), nodes.end(),
                        [&](const Node& node) { return tree::same_content(node.cell, cell); });
}

std::string words_of(const std::vector<Cell>& path) {
    std::string words;
    for (const auto& cell : path) words += " > " + cell.text;
    return words.empty() ? "the first tags" : words.substr(3);
}

base::Result<Nodes*> children_at(Nodes& nodes, const std::vector<Cell>& path) {
    Nodes* level = &nodes;
    for (const auto& cell : path) {
        const auto found = find_content(*level, cell);
        if (found == level->end())
            return base::fail(base::ErrorKind::conflict, "no node at " + words_of(path));
        level = &found->children;
    }
    return level;
}

base::Result<void> apply_one(Nodes& nodes, const Change& change) {
    const auto level = children_at(nodes, change.path);
    if (!level) return tl::unexpected(level.error());
    for (const auto& node : change.before) {
        const auto found = find_content(**level, node.cell);
        if (found == (*level)->end())
            return base::fail(base::ErrorKind::conflict,
                              "nothing to remove below " + words_of(change.path));
        (*level)->erase(found);
    }
    for (const auto& node : change.after) {
        if (find_content(**level, node.cell) != (*level)->end())
            return base::fail(base::ErrorKind::conflict,
                              "already there, below " + words_of(change.path));
        (*level)->push_back(node);
    }
    return {};
}

}  // namespace

std::vector<Change> compare(const Nodes& before, const Nodes& after, const Models& models,
                            Models::Position position) {
    Comparison comparison(models, tree::deepest_node);
    comparison.level(before, after, position);
    if (!comparison.has_too_long_paths) return std::move(comparison.changes);
    Comparison of_wholes(models, PathLimit::short_path);
    of_wholes.level(before, after, position);
    return std::move(of_wholes.changes);
}

base::Result<Nodes> apply(Nodes before, const std::vector<Change>& changes) {
    for (const auto& change : changes)
        if (const auto done = apply_one(before, change); !done)
            return tl::unexpected(done.error());
    return before;
}

std::vector<Change> reversed(std::vector<Change> changes) {
    for (auto& change : changes) {
        std::swap(change.before, change.after);
        if (change.op != Op::replaced)
            change.op = change.op == Op::added ? Op::removed : Op::added;
    }
    return changes;
}

namespace {

void visit_tag(const tree::Cell& cell, const std::function<void(const std::string&)>& visit) {
    if (cell.kind == tree::CellKind::tag) visit(cell.text);
}

void visit_tags(const std::vector<tree::Node>& nodes,
                const std::function<void(const std::string&)>& visit) {
    for (const auto& node : nodes) {
        visit_tag(node.cell, visit);
        visit_tags(node.children, visit);
    }
}

}  // namespace

void each_tag(const Change& change, const std::function<void(const std::string&)>& visit) {
    for (const auto& cell : change.path) visit_tag(cell, visit);
    visit_tags(change.before, visit);
    visit_tags(change.after, visit);
}

bool touches(const Change& change, std::string_view tag) {
    bool is_touched = false;
    each_tag(change, [&](const std::string& name) {
        is_touched = is_touched || base::equal_ignoring_case(name, tag);
    });
    return is_touched;
}

std::string place_of(const Change& change) {
    std::string place;
    const auto add = [&](const tree::Cell& cell) {
        if (cell.kind != tree::CellKind::tag) return;
        place += (place.empty() ? "" : " > ") + cell.text;
    };
    for (const auto& cell : change.path) add(cell);
    // When a tag replaces a tag, the change belongs to their parent.
    if (change.op == Op::added) add(change.after.front().cell);
    if (change.op == Op::removed) add(change.before.front().cell);
    return place;
}

Counts count(const std::vector<Change>& changes) {
    Counts counts;
    for (const auto& change : changes) {
        if (change.op == Op::added) ++counts.added;
        if (change.op == Op::removed) ++counts.removed;
        if (change.op == Op::replaced) ++counts.replaced;
    }
    return counts;
}

}  // namespace compare
