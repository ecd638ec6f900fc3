// SPDX-License-Identifier: MIT
#include "render/successor.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "render/display_text.hpp"

namespace render {
namespace {

using compare::Change;
using compare::Op;
using tables::Row;
using tables::RowKind;
using tree::ObjectName;
using Path = std::vector<std::string>;

bool is_tag(const tree::Cell& cell, const std::string& name) {
    return cell.kind == tree::CellKind::tag && base::equal_ignoring_case(cell.text, name);
}

std::optional<ObjectName> object_in(const tree::Cell& cell) {
    if (cell.kind != tree::CellKind::reference || cell.class_name.empty() || cell.text.empty())
        return std::nullopt;
    return ObjectName{cell.class_name, cell.text};
}

// Returns the first reference below the tags path[from …] under `nodes`.
std::optional<ObjectName> found_below(const std::vector<tree::Node>& nodes, const Path& path,
                                      std::size_t from) {
    for (const auto& node : nodes) {
        if (from == path.size()) {
            if (auto object = object_in(node.cell)) return object;
        } else if (is_tag(node.cell, path[from])) {
            if (auto object = found_below(node.children, path, from + 1)) return object;
        }
    }
    return std::nullopt;
}

// Returns the object that one side of a change has at this path, above the change or in it.
std::optional<ObjectName> found_in(const Change& change, const std::vector<tree::Node>& side,
                                   const Path& path) {
    if (side.empty()) return std::nullopt;
    const auto shared = std::min(change.path.size(), path.size());
    for (std::size_t i = 0; i < shared; ++i)
        if (!is_tag(change.path[i], path[i])) return std::nullopt;
    if (change.path.size() > path.size()) return object_in(change.path[path.size()]);
    return found_below(side, path, shared);
}

// "Merged_into" as people read it.
std::string text_of_path(const Path& path) {
    auto words = path.back();
    std::ranges::replace(words, '_', ' ');
    return one_line(words);
}

std::optional<Successor> found_at(const Row& row, const Path& path) {
    if (path.empty()) return std::nullopt;
    for (const auto& change : row.notes.changes) {
        const auto& side = row.kind == RowKind::vanished ? change.before : change.after;
        if (auto object = found_in(change, side, path); object && *object != row.object)
            return Successor{text_of_path(path), std::move(*object)};
    }
    return std::nullopt;
}

// True if the row removed the object at one of the paths.
bool takes_back(const Row& row, const std::vector<Path>& paths) {
    return std::ranges::any_of(row.notes.changes, [&](const Change& change) {
        return change.op == Op::removed && std::ranges::any_of(paths, [&](const Path& path) {
                   return change.path.size() <= path.size() &&
                          found_in(change, change.before, path);
               });
    });
}

}  // namespace

std::optional<Successor> successor_of(const Row& row, const Site& site) {
    if (row.kind == RowKind::vanished && row.renamed_to)
        return Successor{"Probably renamed to", *row.renamed_to};
    const auto paths = site.successor_of_class.find(row.object.class_name);
    if (paths == site.successor_of_class.end()) return std::nullopt;
    for (const auto& path : paths->second)
        if (auto successor = found_at(row, path)) return successor;
    return std::nullopt;
}

std::optional<Successor> successor_of(const query::History& history, const Site& site) {
    const auto paths = site.successor_of_class.find(history.object.class_name);
    for (const auto& row : history.rows) {
        if (auto successor = successor_of(row, site)) return successor;
        // Older rows no longer apply.
        if (row.kind == RowKind::created || row.kind == RowKind::reappeared) break;
        if (row.kind != RowKind::vanished && paths != site.successor_of_class.end() &&
            takes_back(row, paths->second))
            break;
    }
    return std::nullopt;
}

}  // namespace render
