// SPDX-License-Identifier: MIT
#include "history/decision.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "compare/compare.hpp"
#include "tree/outline.hpp"

namespace history {
namespace {

const tree::Node* child_tagged(const std::vector<tree::Node>& nodes, std::string_view tag) {
    for (const auto& node : nodes)
        if (node.cell.kind == tree::CellKind::tag &&
            base::equal_ignoring_case(node.cell.text, tag))
            return &node;
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

using Paths = std::vector<std::vector<std::string>>;

// Where the label of an object is mostly found.
const Paths& usual_names() {
    static const Paths paths{{"name"},        {"title"},
                             {"label"},       {"name", "common"},
                             {"Public_name"}, {"Identity", "Name", "Public_name"}};
    return paths;
}

bool is_of_class(const NamePaths::value_type& paths, std::string_view class_name) {
    return base::equal_ignoring_case(paths.first, class_name);
}

// Calls visit(text) with each value at the paths, until it returns false.
//   returns  false: it did
template <class Visit>
bool each_value_at(const std::vector<tree::Node>& nodes, const Paths& paths, Visit&& visit) {
    for (const auto& path : paths)
        if (const auto* level = level_at(nodes, path); level != nullptr)
            for (const auto& node : *level)
                if (tree::is_value(node.cell.kind) && !visit(as_label(node.cell.text)))
                    return false;
    return true;
}

// Does the same for the paths that the class has.
template <class Visit>
void each_value(const std::vector<tree::Node>& nodes, const ObjectName& object,
                const NamePaths& paths_of_classes, Visit&& visit) {
    for (const auto& paths : paths_of_classes)
        if (is_of_class(paths, object.class_name) && !each_value_at(nodes, paths.second, visit))
            return;
}

bool are_same(const compare::Change& a, const compare::Change& b) {
    return a.op == b.op && std::ranges::equal(a.path, b.path, tree::same_content) &&
           tree::signature_of(a.before) == tree::signature_of(b.before) &&
           tree::signature_of(a.after) == tree::signature_of(b.after);
}

// What a shortened row lacks is known only from the trees.
bool says_the_same(const tables::Row& a, const tables::Row& b) {
    const auto same = [](const auto& x, const auto& y) { return are_same(x, y); };
    return a.kind == b.kind && a.notes.is_whole() && b.notes.is_whole() &&
           std::ranges::equal(a.notes.changes, b.notes.changes, same);
}

class Decision {
   public:
    Decision(const Before& before, const After& after, const DecisionInput& input)
        : before_(before), after_(after), input_(input) {
        if (before.row)
            outcome_.row = *before.row;
        else
            outcome_.row.object = after.spelling;
        if (!before.row) outcome_.row.last_modified = input.evidence.after;
    }

    Outcome decide() {
        if (before_.is_known())
            compare_with_known();
        else if (after_.is_there())
            first_sight();
        revise_own();
        outcome_.stores_tree = before_.is_known() ? has_other_content() : after_.is_there();
        // An object that is gone keeps its label and its other names.
        if (after_.is_there()) {
            outcome_.row.label = label();
            outcome_.row.other_names =
                other_names_of(known_nodes(), after_.spelling, outcome_.row.label, input_.search);
        }
        outcome_.row.signature = after_.signature;
        outcome_.row.held = before_.held;
        return std::move(outcome_);
    }

   private:
    [[nodiscard]] bool was_there() const { return before_.tree && before_.tree->is_there; }

    [[nodiscard]] std::string signature_before() const {
        return was_there() ? tree::signature_of(before_.tree->nodes) : std::string();
    }

    [[nodiscard]] bool has_other_content() const {
        return signature_before() != after_.signature;
    }

    [[nodiscard]] std::vector<compare::Change> changes() const {
        static const std::vector<tree::Node> nothing;
        const auto& class_name = outcome_.row.object.class_name;
        return compare::without_ignored(
            compare::compare(was_there() ? before_.tree->nodes : nothing, after_.nodes,
                             input_.models, input_.models.of_class(class_name)),
            input_.ignored, class_name);
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
        row.notes.previous = input_.previous;
        outcome_.row.last_modified = release.released_on;
        outcome_.rows.push_back(std::move(row));
    }

    void compare_with_known() {
        if (!has_other_content()) return;
        auto found = changes();
        auto kind = tables::RowKind::changed;
        if (!was_there())
            kind = before_.tree ? tables::RowKind::reappeared : tables::RowKind::created;
        else if (!after_.is_there())
            kind = tables::RowKind::vanished;
        if (kind == tables::RowKind::changed && found.empty()) return;
        add(input_.current, kind, before_.held, std::move(found));
        outcome_.rows.back().content = content_of(kind);
    }

    // Returns tables::Row::content.
    [[nodiscard]] std::string content_of(tables::RowKind kind) const {
        static const auto no_content = tree::signature_of({});
        const bool has_vanished = kind == tables::RowKind::vanished;
        if (before_.is_in_previous != has_vanished) return {};
        auto content = has_vanished ? signature_before() : after_.signature;
        return content == no_content ? std::string() : content;
    }

    void first_sight() {
        const auto left = compare::without_ignored(after_.nodes, input_.ignored,
                                                   outcome_.row.object.class_name);
        for (auto& sighting :
             compare::read_timestamps(left ? *left : after_.nodes, input_.evidence)) {
            const auto& version = sighting.release.version;
            if (is_recorded(version) && version != input_.current.version) continue;
            add(sighting.release, tables::RowKind::reconstructed, {},
                std::move(sighting.changes));
            outcome_.rows.back().notes.previous.clear();
        }
    }

    // An earlier publication of this release has a row already: it stands, is revised or withdrawn.
    void revise_own() {
        if (!before_.own) return;
        const auto& own = *before_.own;
        const auto is_own = [&](const tables::Row& row) {
            return row.release.version == own.release.version;
        };
        auto now = std::ranges::find_if(outcome_.rows, is_own);
        if (now != outcome_.rows.end() && says_the_same(own, *now)) {
            outcome_.rows.erase(now);
            return;
        }
        if (now == outcome_.rows.end()) {
            outcome_.row.last_modified = before_.last_modified;
            if (own.kind == tables::RowKind::withdrawn) return;
            auto previous = own.notes.previous;
            add(input_.current, tables::RowKind::withdrawn, own.since, {});
            outcome_.rows.back().notes.previous = std::move(previous);
            outcome_.row.last_modified = before_.last_modified;
            now = std::prev(outcome_.rows.end());
        }
        now->revision = own.revision + 1;
        outcome_.replaces_own = true;
    }

    [[nodiscard]] bool is_recorded(const std::string& version) const {
        return std::ranges::count(before_.recorded, version, &tables::RowKey::version) > 0;
    }

    const Before& before_;
    const After& after_;
    const DecisionInput& input_;
    Outcome outcome_;
};

}  // namespace

std::string label_of(const std::vector<tree::Node>& nodes, const ObjectName& object,
                     const NamePaths& names) {
    std::string label;
    const auto is_found = [&](std::string text) {
        label = std::move(text);
        return label.empty();
    };
    const auto& class_name = object.class_name;
    if (std::ranges::any_of(names,
                            [&](const auto& each) { return is_of_class(each, class_name); }))
        each_value(nodes, object, names, is_found);
    else
        each_value_at(nodes, usual_names(), is_found);
    return label.empty() ? base::without_directions(object.name) : label;
}

bool may_have_label(std::string_view class_name, const NamePaths& names,
                    const tree::Models& models) {
    const auto root = models.of_class(class_name);
    return root == tree::Models::unknown ||
           std::ranges::any_of(names,
                               [&](const auto& each) { return is_of_class(each, class_name); }) ||
           std::ranges::any_of(usual_names(), [&](const auto& path) {
               return models.count_tags(root, path.back()) > 0;
           });
}

std::string other_names_of(const std::vector<tree::Node>& nodes, const ObjectName& object,
                           std::string_view label, const NamePaths& search) {
    constexpr std::size_t most_of_them = 100, most_bytes = 4'000;
    std::set<std::string> seen{"", object.name, std::string(label)};
    std::string lines;
    std::size_t count = 0;
    each_value(nodes, object, search, [&](const std::string& name) {
        if (!seen.insert(name).second) return true;
        if (lines.size() + 1 + name.size() > most_bytes || count++ == most_of_them) return false;
        lines.append(lines.empty() ? "" : "\n").append(name);
        return true;
    });
    return lines;
}

Outcome decide(const Before& before, const After& after, const DecisionInput& input) {
    return Decision(before, after, input).decide();
}

}  // namespace history
