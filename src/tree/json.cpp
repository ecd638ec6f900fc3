// SPDX-License-Identifier: MIT
#include "tree/json.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "tree/number.hpp"
#include "tree/stamp.hpp"

namespace tree {
namespace {

using base::Result;
using Json = nlohmann::json;

void append_field(std::string& out, std::string_view key, std::string_view text) {
    out += '"';
    out += key;
    out += "\":";
    append_json_string(out, text);
}

// The fields of a cell, without braces.
void append_cell_fields(std::string& out, const Cell& cell) {
    switch (cell.kind) {
        case Kind::tag: append_field(out, "tag", cell.text); return;
        case Kind::text: append_field(out, "text", cell.text); return;
        case Kind::real: append_field(out, "float", cell.text); return;
        case Kind::date: append_field(out, "date", cell.text); return;
        case Kind::comment: append_field(out, "comment", cell.text); return;
        case Kind::reference:
        case Kind::member:
            append_field(out, "class", cell.class_name);
            append_field(out += ',', "name", cell.text);
            if (cell.kind == Kind::member) out += ",\"member\":true";
            return;
        case Kind::integer: break;
    }
    const auto number = base::parse_integer(cell.text);
    if (number && std::to_string(*number) == cell.text)
        out += "\"int\":" + cell.text;
    else
        append_field(out, "float", cell.text);
}

void append_stamp_fields(std::string& out, std::string_view stamp) {
    if (stamp.empty()) return;
    out += ',';
    const auto parsed = parse_stamp(stamp);
    if (!parsed) {
        append_field(out, "stamp", stamp);
        return;
    }
    std::string at = base::format_rfc3339(parsed->at);
    at.pop_back();  // local time: no zone is known
    append_field(out, "at", at);
    append_field(out += ',', "by", parsed->by);
}

Result<std::string> text_field(const Json& json, const char* key) {
    const auto field = json.find(key);
    if (field == json.end() || !field->is_string())
        return base::fail(base::Kind::malformed, std::string("\"") + key + "\" is no string");
    return base::legal_text(field->get_ref<const std::string&>());
}

Result<Cell> cell_of_kind(Kind kind, const Json& json, const char* key) {
    auto text = text_field(json, key);
    if (!text) return tl::unexpected(text.error());
    return Cell{kind, std::move(*text), {}};
}

Result<Cell> reference_from(const Json& json) {
    auto class_name = text_field(json, "class");
    auto name = text_field(json, "name");
    if (!class_name) return tl::unexpected(class_name.error());
    if (!name) return tl::unexpected(name.error());
    const auto kind = json.value("member", false) ? Kind::member : Kind::reference;
    return Cell{kind, std::move(*name), std::move(*class_name)};
}

Result<std::string> stamp_from(const Json& json) {
    if (json.contains("stamp")) return text_field(json, "stamp");
    if (!json.contains("at")) return std::string();
    const auto at = text_field(json, "at");
    const auto by = text_field(json, "by");
    if (!at || !by) return tl::unexpected((at ? by : at).error());
    const auto time = base::parse_rfc3339(*at);
    if (!time) return base::fail(base::Kind::malformed, "\"at\" is no time: " + *at);
    return stamp_text(*time, *by);
}

Result<std::vector<Node>> nodes_at(const Json& json, std::size_t depth);

Result<Node> node_at(const Json& json, std::size_t depth) {
    auto cell = cell_from_json(json);
    if (!cell) return tl::unexpected(cell.error());
    auto stamp = stamp_from(json);
    if (!stamp) return tl::unexpected(stamp.error());
    Node node{std::move(*cell), std::move(*stamp), {}};
    const auto below = json.find("children");
    if (below == json.end()) return node;
    auto children = nodes_at(*below, depth + 1);
    if (!children) return tl::unexpected(children.error());
    node.children = std::move(*children);
    return node;
}

Result<std::vector<Node>> nodes_at(const Json& json, std::size_t depth) {
    if (!json.is_array()) return base::fail(base::Kind::malformed, "nodes are no JSON array");
    if (depth > deepest_node)
        return base::fail(base::Kind::too_large, "nodes nest deeper than 2000 levels");
    std::vector<Node> nodes;
    nodes.reserve(json.size());
    for (const auto& element : json) {
        auto node = node_at(element, depth);
        if (!node) return tl::unexpected(node.error());
        nodes.push_back(std::move(*node));
    }
    return nodes;
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
    constexpr std::string_view hex = "0123456789abcdef";
    out += '"';
    std::size_t plain = 0;  // start of the run not yet copied
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
        out.append(text, plain, i - plain);
        plain = i + 1;
        switch (byte) {
            case '"': out += "\\\""; break;
            case '\\': out += "\\\\"; break;
            case '\n': out += "\\n"; break;
            case '\t': out += "\\t"; break;
            case '\r': out += "\\r"; break;
            default: out += "\\u00", out += hex[byte >> 4], out += hex[byte & 15];
        }
    }
    out.append(text, plain);
    out += '"';
}

void append_json(std::string& out, const Cell& cell) {
    out += '{';
    append_cell_fields(out, cell);
    out += '}';
}

void append_json(std::string& out, const Node& node) {
    out += '{';
    append_cell_fields(out, node.cell);
    append_stamp_fields(out, node.stamp);
    if (!node.children.empty()) append_json(out += ",\"children\":", node.children);
    out += '}';
}

void append_json(std::string& out, const std::vector<Node>& nodes) {
    out += '[';
    for (const auto& node : nodes) {
        if (&node != &nodes.front()) out += ',';
        append_json(out, node);
    }
    out += ']';
}

Result<Cell> cell_from_json(const Json& json) {
    if (!json.is_object()) return base::fail(base::Kind::malformed, "a cell is no JSON object");
    if (json.contains("tag")) return cell_of_kind(Kind::tag, json, "tag");
    if (json.contains("class")) return reference_from(json);
    if (json.contains("text")) return cell_of_kind(Kind::text, json, "text");
    if (json.contains("float")) return cell_of_kind(Kind::real, json, "float");
    if (json.contains("date")) return cell_of_kind(Kind::date, json, "date");
    if (json.contains("comment")) return cell_of_kind(Kind::comment, json, "comment");
    const auto number = json.find("int");
    if (number == json.end() || !number->is_number_integer())
        return base::fail(base::Kind::malformed, "a cell of no known kind");
    return Cell{Kind::integer, number->dump(), {}};
}

Result<std::vector<Node>> nodes_from_json(const Json& json) { return nodes_at(json, 1); }

Result<std::vector<Node>> parse_nodes(std::string_view text) {
    const auto json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) return base::fail(base::Kind::malformed, "nodes are no JSON");
    return nodes_from_json(json);
}

}  // namespace tree
