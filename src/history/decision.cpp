// SPDX-License-Identifier: MIT
#include "history/decision.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "compare/compare.hpp"

namespace history {
namespace {

const tree::Node* child_tagged(const std::vector<tree::Node>& nodes, std::string_view tag) {
    for (const auto& node : nodes)
        if (node.cell.kind == tree::CellKind::tag &&
            base::equal_ignoring_case(node.cell.text, tag))
            return &node;
    return nullptr;
}

const tree::Node* first_value(const std::vector<tree::Node>& nodes) {
    for (const auto& node : nodes)
        if (tree::is_value(node.cell.kind) && !node.cell.text.empty()) return &node;
    return nullptr;
}

// Returns nullptr where the object lacks one of the tags.
const std::vector<tree::Node>* level_at(const std::vector<tree::Node>& nodes,
                                        const std::vector<std::string>& path) {
    const auto* level = &nodes;
    for (const auto& tag : path) {
        const auto* node = child_tagged(*level, tag);
        if (node == nullptr) return nullptr;
        level = &node->children;
    }
    return level;
}

// Labels are parts of titles: one line of at most 100 bytes, in one direction.
std::string as_label(std::string_view text) {
    constexpr std::size_t longest = 100;
    auto label =
        base::without_directions(std::string(base::trim(text.substr(0, text.find('\n')))));
    if (label.size() <= longest) return label;
    return std::string(base::cut_at(label, longest)) + "\xE2\x80\xA6";  // U+2026
}

class OtherNames {
   public:
    OtherNames(std::string_view name, std::string_view label) : seen_{"", std::string(name)} {
        seen_.emplace(label);
    }

    // Returns false when there is no room for more.
    bool add(const std::string& name) {
        constexpr std::size_t most_of_them = 100, most_bytes = 4'000;
        if (!seen_.insert(name).second) return true;
        if (lines_.size() + 1 + name.size() > most_bytes || count_ == most_of_them) return false;
        lines_.append(lines_.empty() ? "" : "\n").append(name);
        ++count_;
        return true;
    }
    [[nodiscard]] const std::string& lines() const { return lines_; }

   private:
    std::set<std::string> seen_;
    std::string lines_;
    std::size_t count_ = 0;
};

class Decision {
   public:
    Decision(const Before& before, const After& after, const DecisionInput& input)
        : before_(before), after_(after), input_(input) {
        outcome_.row = before.row.value_or(
            tables::ObjectRow{0, after.spelling, {}, {}, input.evidence.after, {}, {}});
    }

    Outcome decide() {
        if (!before_.row && before_.absent_from.empty())
            first_sight();
        else if (!before_.row)
            created();
        else if (!before_.tree)
            continues_without_tree();
        else if (!after_.is_there())
            vanished();
        else if (before_.row->signature.empty())
            reappeared();
        else if (before_.row->signature != after_.signature)
            changed();
        // An object that is gone keeps its label and its other names.
        if (after_.is_there() || outcome_.row.label.empty()) {
            outcome_.row.label = label();
            outcome_.row.other_names =
                other_names_of(known_nodes(), after_.spelling, outcome_.row.label, input_.search);
        }
        outcome_.row.signature = after_.signature;
        outcome_.row.ace_version = outcome_.row.compared_in = input_.current.version;
        return std::move(outcome_);
    }

   private:
    [[nodiscard]] std::vector<compare::Change> changes_since(
        const std::vector<tree::Node>& nodes) const {
        const auto& class_name = outcome_.row.object.class_name;
        return compare::without_ignored(compare::compare(nodes, after_.nodes, input_.models,
                                                         input_.models.of_class(class_name)),
                                        input_.ignored, class_name);
    }

    [[nodiscard]] std::string previous_version() const {
        const auto* previous = input_.releases.before(input_.current);
        return previous == nullptr ? "" : previous->version;
    }

    [[nodiscard]] const std::vector<tree::Node>& known_nodes() const {
        return after_.is_there() || !before_.tree ? after_.nodes : before_.tree->nodes;
    }

    [[nodiscard]] std::string label() const {
        return label_of(known_nodes(), after_.spelling, input_.names);
    }

    void add(const Release& release, tables::RowKind kind, std::string since,
             std::vector<compare::Change> changes) {
        tables::Row row;
        row.oid = outcome_.row.oid;
        row.object = outcome_.row.object;
        row.release = release;
        row.since = std::move(since);
        row.recorded_at = input_.now;
        row.signature = after_.signature;
        row.kind = kind;
        row.label = label();
        row.notes.changes = std::move(changes);
        row.notes.previous = previous_version();
        outcome_.row.last_modified = release.released_on;
        outcome_.rows.push_back(std::move(row));
    }

    void created() {
        add(input_.current, tables::RowKind::created, before_.absent_from, changes_since({}));
        outcome_.store_tree = true;
    }

    void first_sight() {
        const auto left = compare::without_ignored(after_.nodes, input_.ignored,
                                                   outcome_.row.object.class_name);
        for (auto& sighting :
             compare::read_timestamps(left ? *left : after_.nodes, input_.evidence)) {
            if (is_recorded(sighting.release.version)) continue;
            add(sighting.release, tables::RowKind::reconstructed, {},
                std::move(sighting.changes));
            outcome_.rows.back().notes.previous.clear();
        }
        outcome_.store_tree = true;
    }

    // Its only tree was forgotten: its rows stay, timestamps continue them.
    void continues_without_tree() {
        if (after_.is_there())
            first_sight();
        else
            vanished();
    }

    void vanished() {
        const bool had_vanished = before_.tree && before_.row->signature.empty();
        if (had_vanished) return;
        auto changes =
            before_.tree ? changes_since(before_.tree->nodes) : std::vector<compare::Change>{};
        add(input_.current, tables::RowKind::vanished, before_.row->compared_in,
            std::move(changes));
        outcome_.store_tree = true;
    }

    void reappeared() {
        add(input_.current, tables::RowKind::reappeared, before_.row->compared_in,
            changes_since({}));
        outcome_.store_tree = true;
    }

    void changed() {
        auto changes = changes_since(before_.tree->nodes);
        outcome_.store_tree = true;
        if (changes.empty()) return;
        add(input_.current, tables::RowKind::changed, before_.row->compared_in,
            std::move(changes));
    }

    [[nodiscard]] bool is_recorded(const std::string& version) const {
        return std::find(before_.recorded.begin(), before_.recorded.end(), version) !=
               before_.recorded.end();
    }

    const Before& before_;
    const After& after_;
    const DecisionInput& input_;
    Outcome outcome_;
};

}  // namespace

std::string label_of(const std::vector<tree::Node>& nodes, const ObjectName& object,
                     const NamePaths& names) {
    for (const auto& [class_name, paths] : names) {
        if (!base::equal_ignoring_case(class_name, object.class_name)) continue;
        for (const auto& path : paths)
            if (const auto* level = level_at(nodes, path); level != nullptr)
                if (const auto* value = first_value(*level); value != nullptr)
                    if (auto label = as_label(value->cell.text); !label.empty()) return label;
    }
    return base::without_directions(object.name);
}

std::string other_names_of(const std::vector<tree::Node>& nodes, const ObjectName& object,
                           std::string_view label, const NamePaths& search) {
    OtherNames others(object.name, label);
    for (const auto& [class_name, paths] : search) {
        if (!base::equal_ignoring_case(class_name, object.class_name)) continue;
        for (const auto& path : paths)
            if (const auto* level = level_at(nodes, path); level != nullptr)
                for (const auto& node : *level)
                    if (tree::is_value(node.cell.kind) && !others.add(as_label(node.cell.text)))
                        return others.lines();
    }
    return others.lines();
}

Outcome decide(const Before& before, const After& after, const DecisionInput& input) {
    return Decision(before, after, input).decide();
}

}  // namespace history
