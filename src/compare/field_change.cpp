// SPDX-License-Identifier: MIT
#include "compare/field_change.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace compare {
namespace {

using tree::Cell;
using tree::CellKind;
using tree::Node;
using Fate = Reference::Fate;
using CellPath = std::vector<const Cell*>;

bool has_fate(std::span<const Reference> references, const Node* node, Fate fate) {
    const auto* reference = node ? reference_of(references, node->cell) : nullptr;
    return reference != nullptr && reference->fate == fate;
}

// Collects the objects that changes name.
class NamedObjects {
   public:
    explicit NamedObjects(std::size_t most) : most_(most) {}

    void collect(const std::vector<Change>& changes) {
        for (const auto& change : changes) {
            for (const auto& cell : change.path) collect(cell);
            collect(change.before);
            collect(change.after);
        }
    }
    std::vector<tree::ObjectName> take() && { return {names_.begin(), names_.end()}; }

   private:
    void collect(const std::vector<tree::Node>& nodes) {
        for (const auto& node : nodes) {
            if (names_.size() == most_) return;
            collect(node.cell);
            collect(node.children);
        }
    }
    void collect(const Cell& cell) {
        // The names of such objects are texts.
        if (cell.class_name == "Text") return;
        const bool names_object =
            cell.kind == tree::CellKind::reference || cell.kind == tree::CellKind::member;
        if (names_object && names_.size() < most_ &&
            tree::can_be_tracked(cell.class_name, cell.text))
            names_.insert({cell.class_name, cell.text});
    }

    const std::size_t most_;
    std::set<tree::ObjectName> names_;
};

bool same_path(const CellPath& a, const CellPath& b) {
    return std::ranges::equal(a, b,
                              [](const Cell* x, const Cell* y) { return x == y || *x == *y; });
}

class FieldCollector {
   public:
    FieldCollector(const ClassRules& rules, std::span<const Reference> references)
        : rules_(rules), references_(references) {}

    void collect(const Change& change, std::size_t number) {
        path_.clear();
        for (const auto& cell : change.path) path_.push_back(&cell);
        number_ = number;
        left_out_ = change.left_out;
        op_ = change.op;
        rank_ = rules_.rank_of(change);
        if (op_ == Op::replaced) {
            if (!change.before.empty() && !change.after.empty())
                add({number, &change.before.front(), &change.after.front(), left_out_});
            return;
        }
        const auto& side = op_ == Op::added ? change.after : change.before;
        for (const auto& node : side) collect(node, 0);
    }

    std::vector<FieldChange> take() && {
        // Sorting takes memory even if there is nothing to do.
        if (!std::ranges::is_sorted(fields_, {}, &FieldChange::rank))
            std::ranges::stable_sort(fields_, {}, &FieldChange::rank);
        return std::move(fields_);
    }

   private:
    // The deepest tags in tags that are told apart.
    static constexpr std::size_t deepest_tag = 16;

    void collect(const Node& node, std::size_t depth) {
        const bool has_fields = node.cell.kind == CellKind::tag && !node.children.empty();
        if (!has_fields || depth == deepest_tag) {
            const bool added = op_ == Op::added;
            return add({number_, added ? nullptr : &node, added ? &node : nullptr, left_out_});
        }
        path_.push_back(&node.cell);
        for (const auto& child : node.children) collect(child, depth + 1);
        path_.pop_back();
    }

    void add(const FieldValue& value) {
        const bool echoes = rank_ != Rank::important && is_echo(value);
        const bool is_alone =
            op_ == Op::replaced || (path_.empty() && value.node().cell.kind == CellKind::tag);
        field_for(echoes ? Rank::echo : rank_, is_alone).values.push_back(value);
    }

    [[nodiscard]] bool is_echo(const FieldValue& value) const {
        const bool is_created = has_fate(references_, value.after, Fate::created);
        const bool has_vanished = has_fate(references_, value.before, Fate::vanished);
        if (op_ == Op::added)
            return is_created && value.after->children.empty() &&
                   rules_.is_cross_reference(path_, value.after->cell);
        return has_vanished && (op_ == Op::removed || is_created);
    }

    // Tags at the top of the object with nothing below them are fields of their own.
    FieldChange& field_for(Rank rank, bool is_alone) {
        const auto fits = [&](const FieldChange& field) {
            return field.op == op_ && field.rank == rank && same_path(field.path, path_) &&
                   !(path_.empty() && field.values.front().node().cell.kind == CellKind::tag);
        };
        // Values of one field mostly follow one another.
        if (!is_alone && !fields_.empty() && fits(fields_[last_])) return fields_[last_];
        if (!is_alone) {
            const auto hash = hash_of_path();
            const auto [first, last] = by_path_.equal_range(hash);
            const auto known = std::find_if(
                first, last, [&](const auto& each) { return fits(fields_[each.second]); });
            if (known != last) {
                last_ = known->second;
                return fields_[last_];
            }
            by_path_.emplace(hash, fields_.size());
        }
        last_ = fields_.size();
        return fields_.emplace_back(
            FieldChange{rank, op_, path_, rules_.first_telling_tag(path_), {}});
    }

    // Paths that differ may have the same.
    [[nodiscard]] std::size_t hash_of_path() const {
        std::size_t hash = 0;
        const std::hash<std::string> hash_of;
        for (const auto* cell : path_)
            hash = (hash * 31 + hash_of(cell->text)) * 31 + hash_of(cell->class_name);
        return hash;
    }

    const ClassRules& rules_;
    std::span<const Reference> references_;
    std::vector<FieldChange> fields_;
    std::size_t last_ = 0;  // index of the field that got the newest value
    std::unordered_multimap<std::size_t, std::size_t> by_path_;  // index, by the hash of the path
    CellPath path_;                                              // of the current change
    std::size_t number_ = 0, left_out_ = 0;
    Op op_ = Op::added;
    Rank rank_ = Rank::ordinary;
};

}  // namespace

std::vector<tree::ObjectName> objects_named_in(const std::vector<Change>& changes,
                                               std::size_t most) {
    NamedObjects named(most);
    named.collect(changes);
    return std::move(named).take();
}

const Reference* reference_of(std::span<const Reference> references, const Cell& cell) {
    if (cell.kind != CellKind::reference && cell.kind != CellKind::member) return nullptr;
    const auto wanted = std::tie(cell.class_name, cell.text);
    const auto name_of = [](const Reference& each) {
        return std::tie(each.object.class_name, each.object.name);
    };
    const auto found = std::ranges::lower_bound(references, wanted, {}, name_of);
    return found != references.end() && name_of(*found) == wanted ? &*found : nullptr;
}

const Cell* FieldChange::field() const {
    const auto found = std::find_if(path.rbegin(), path.rend(),
                                    [](const Cell* cell) { return cell->kind == CellKind::tag; });
    return found == path.rend() ? nullptr : *found;
}

std::string_view FieldChange::first_tag() const {
    const auto* first = path.empty() ? &values.front().node().cell : path.front();
    return first->kind == CellKind::tag ? std::string_view(first->text) : std::string_view();
}

std::vector<FieldChange> field_changes(std::span<const Change> changes, const ClassRules& rules,
                                       std::span<const Reference> references,
                                       const LeavesOut& leaves_out) {
    FieldCollector collector(rules, references);
    std::size_t number = 0;
    for (const auto& change : changes)
        if (++number; !leaves_out || !leaves_out(change, number))
            collector.collect(change, number);
    return std::move(collector).take();
}

}  // namespace compare
