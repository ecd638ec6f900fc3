// SPDX-License-Identifier: MIT
#include "tables/rows.hpp"

#include <algorithm>
#include <array>

#include "tree/json.hpp"

namespace tables {
namespace {

using base::Result;
using Json = simdjson::dom::element;

constexpr std::array<std::pair<RowKind, std::string_view>, 7> kinds = {{
    {RowKind::changed, "changed"},
    {RowKind::created, "created"},
    {RowKind::vanished, "vanished"},
    {RowKind::reappeared, "reappeared"},
    {RowKind::reconstructed, "reconstructed"},
    {RowKind::withdrawn, "withdrawn"},
    {RowKind::adopted, "adopted"},
}};

std::optional<compare::Op> op_named(std::string_view name) {
    for (const auto op : {compare::Op::added, compare::Op::removed, compare::Op::replaced})
        if (compare::name_of(op) == name) return op;
    return std::nullopt;
}

void append(std::string& out, const compare::Change& change) {
    out += "{\"op\":\"";
    out += compare::name_of(change.op);
    out += "\",\"path\":[";
    for (const auto& cell : change.path) {
        if (&cell != &change.path.front()) out += ',';
        tree::append_json(out, cell);
    }
    out += ']';
    if (!change.before.empty()) tree::append_json(out += ",\"before\":", change.before);
    if (!change.after.empty()) tree::append_json(out += ",\"after\":", change.after);
    out += '}';
}

void append(std::string& out, std::string_view key, const ObjectName& object) {
    out += ",\"";
    out += key;
    out += "\":{\"class\":";
    tree::append_json_string(out, object.class_name);
    tree::append_json_string(out += ",\"name\":", object.name);
    out += '}';
}

tl::unexpected<base::Error> malformed(std::string text) {
    return base::fail(base::Kind::malformed, std::move(text));
}

Result<std::vector<tree::Cell>> path_from(const Json& json) {
    simdjson::dom::array elements;
    if (json["path"].get(elements) != simdjson::SUCCESS)
        return malformed("a change without a path");
    std::vector<tree::Cell> cells;
    cells.reserve(elements.size());
    for (const auto& element : elements) {
        auto cell = tree::cell_from_json(element);
        if (!cell) return tl::unexpected(cell.error());
        cells.push_back(std::move(*cell));
    }
    return cells;
}

Result<std::vector<tree::Node>> side_from(const Json& json, const char* key) {
    Json side;
    if (json[key].get(side) != simdjson::SUCCESS) return std::vector<tree::Node>();
    return tree::nodes_from_json(side);
}

Result<compare::Change> change_from(const Json& json) {
    std::string_view name;
    if (json["op"].get(name) != simdjson::SUCCESS) return malformed("a change without an op");
    const auto op = op_named(name);
    if (!op) return malformed("a change of unknown op");
    auto path = path_from(json);
    if (!path) return tl::unexpected(path.error());
    auto before = side_from(json, "before");
    if (!before) return tl::unexpected(before.error());
    auto after = side_from(json, "after");
    if (!after) return tl::unexpected(after.error());
    return compare::Change{*op, std::move(*path), std::move(*before), std::move(*after)};
}

Result<std::vector<compare::Change>> changes_from(const Json& json) {
    Json list;
    if (json["changes"].get(list) != simdjson::SUCCESS) return std::vector<compare::Change>();
    simdjson::dom::array elements;
    if (list.get(elements) != simdjson::SUCCESS) return malformed("changes are no JSON array");
    std::vector<compare::Change> changes;
    changes.reserve(elements.size());
    for (const auto& element : elements) {
        auto change = change_from(element);
        if (!change) return tl::unexpected(change.error());
        changes.push_back(std::move(*change));
    }
    return changes;
}

std::string text_at(const Json& json, const char* key) {
    std::string_view text;
    return json[key].get(text) == simdjson::SUCCESS ? std::string(text) : "";
}

std::optional<ObjectName> object_at(const Json& json, const char* key) {
    Json object;
    if (json[key].get(object) != simdjson::SUCCESS || !object.is_object()) return std::nullopt;
    return ObjectName{text_at(object, "class"), text_at(object, "name")};
}

}  // namespace

std::string_view name_of(RowKind kind) {
    const auto found = std::find_if(kinds.begin(), kinds.end(),
                                    [kind](const auto& entry) { return entry.first == kind; });
    return found->second;  // the table holds every kind; a test walks it
}

std::optional<RowKind> kind_named(std::string_view name) {
    for (const auto& [kind, word] : kinds)
        if (word == name) return kind;
    return std::nullopt;
}

std::string changes_to_json(const std::vector<compare::Change>& changes) {
    std::string out = "[";
    for (const auto& change : changes) {
        if (&change != &changes.front()) out += ',';
        append(out, change);
    }
    return out + "]";
}

std::string to_json(const Notes& notes) {
    std::string out = "{\"changes\":" + changes_to_json(notes.changes);
    if (!notes.adopted_html.empty())
        tree::append_json_string(out += ",\"adopted\":", notes.adopted_html);
    if (!notes.previous.empty())
        tree::append_json_string(out += ",\"previous\":", notes.previous);
    if (notes.renamed_to) append(out, "renamed_to", *notes.renamed_to);
    if (notes.renamed_from) append(out, "renamed_from", *notes.renamed_from);
    return out + "}";
}

Result<Notes> notes_from_json(std::string_view text) {
    const auto parsed = tree::parse_json(text);
    if (!parsed) return tl::unexpected(parsed.error());
    const auto& json = parsed->root;
    if (!json.is_object()) return malformed("notes are no JSON object");
    auto changes = changes_from(json);
    if (!changes) return tl::unexpected(changes.error());
    Notes notes;
    notes.changes = std::move(*changes);
    notes.adopted_html = text_at(json, "adopted");
    notes.previous = text_at(json, "previous");
    notes.renamed_to = object_at(json, "renamed_to");
    notes.renamed_from = object_at(json, "renamed_from");
    return notes;
}

}  // namespace tables
