// Writes objects in other notations for tests: as a dump without timestamps, JSON Lines, XML.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "source/ace_object.hpp"
#include "source/dump/json_lines.hpp"
#include "source/dumps.hpp"

namespace notations {

// Returns the objects of a dump without its sessions.
inline std::vector<tree::Object> objects_in(const std::string& dump, const tree::Models& models) {
    std::vector<tree::Object> objects;
    for (const auto& bytes : dumps::objects_in(dump)) {
        auto object = source::parse_object(bytes, models);
        REQUIRE(object);
        if (object->id.class_name != "UserSession") objects.push_back(std::move(*object));
    }
    return objects;
}

// Shortens paths as `dump` without -T does: of consecutive tags only the last stays, except
// one that carries a hash, whose tags are not in its own model.
inline void shorten(std::vector<tree::Node>& nodes, const tree::Models& models,
                    tree::Models::Position place) {
    const auto below = [&](tree::Models::Position from, const tree::Node& node) {
        return models.below(from, tree::notation_of(node.cell.kind), node.cell.text);
    };
    const auto is_own = [&](tree::Models::Position from, const tree::Node& node) {
        const auto& own = models.at(from).children;
        return std::find(own.begin(), own.end(), below(from, node)) != own.end();
    };
    std::vector<tree::Node> shortened;
    for (auto& node : nodes) {
        node.stamp.clear();
        const auto at = below(place, node);
        const auto is_dropped = [&](const tree::Node& child) {
            return node.cell.kind == tree::CellKind::tag &&
                   child.cell.kind == tree::CellKind::tag && at != tree::Models::unknown &&
                   is_own(at, child);
        };
        auto children = std::move(node.children);
        node.children.clear();
        std::vector<tree::Node> lifted;
        for (auto& child : children)
            (is_dropped(child) ? lifted : node.children).push_back(std::move(child));
        shorten(node.children, models, at);
        shorten(lifted, models, at);
        if (lifted.empty() || !node.children.empty()) shortened.push_back(std::move(node));
        std::move(lifted.begin(), lifted.end(), std::back_inserter(shortened));
    }
    nodes = std::move(shortened);
}

// Returns a whole dump as AceDB's `dump` without -T writes it.
inline std::string unstamped(const std::string& dump, const tree::Models& models) {
    std::string out = "\n\n // Class Gene \n\n";
    for (const auto& bytes : dumps::objects_in(dump)) {
        auto object = source::parse_object(bytes, models);
        REQUIRE(object);
        const auto& class_name = object->id.class_name;
        if (class_name == "UserSession") continue;
        if (source::form_of(class_name) != source::Form::tree) {
            const auto header = source::parse_header(bytes);
            out += class_name + " : " + dumps::in_quotes(object->id.name) + "\n" +
                   bytes.substr(header->size) + "\n";
            continue;
        }
        object->stamp.clear();
        shorten(object->nodes, models, models.of_class(class_name));
        out += dumps::written(*object) + "\n";
    }
    return out + dumps::trailer;
}

inline std::string json_lines(const std::vector<tree::Object>& objects) {
    std::string out;
    for (const auto& object : objects) source::dump::append_json_line(out, object);
    return out;
}

inline std::string attribute(const std::string& name, const std::string& value) {
    std::string out = " " + name + "=\"";
    for (const char c : base::escape_html(value))
        out += c == '\n' ? "&#10;" : c == '\t' ? "&#9;" : std::string(1, c);
    return out + "\"";
}

inline std::string class_of(const tree::Cell& cell) {
    switch (cell.kind) {
        case tree::CellKind::integer: return "#int";
        case tree::CellKind::real: return "#float";
        case tree::CellKind::date: return "#date";
        case tree::CellKind::comment: return "#Comment";
        case tree::CellKind::reference:
        case tree::CellKind::member: return cell.class_name;
        case tree::CellKind::text:
        case tree::CellKind::tag: break;
    }
    return "#txt";
}

// Writes XML as AcePerl's asXML does, but keeps dates and floats exact. `tag` is the tag
// whose value is in column `column` - 1.
inline void write_xml(std::string& out, const std::vector<tree::Node>& nodes,
                      const std::string& tag, int column) {
    const auto write_value = [&](const tree::Node& node, const std::string& name,
                                 const std::string& of, int next) {
        out += "<" + name + attribute("class", class_of(node.cell)) +
               attribute("value", node.cell.text);
        if (!node.stamp.empty()) out += attribute("timestamp", node.stamp);
        out += ">";
        write_xml(out, node.children, of, next);
        out += "</" + name + ">\n";
    };
    for (const auto& node : nodes) {
        if (node.cell.kind != tree::CellKind::tag) {
            write_value(node, tag + "-" + std::to_string(column), tag, column + 1);
            continue;
        }
        std::vector<tree::Node> tags;
        for (const auto& child : node.children) {
            if (child.cell.kind == tree::CellKind::tag)
                tags.push_back(child);
            else
                write_value(child, node.cell.text, node.cell.text, 2);
        }
        if (tags.empty() && !node.children.empty()) continue;
        out += "<" + node.cell.text;
        if (!node.stamp.empty()) out += attribute("timestamp", node.stamp);
        out += ">";
        write_xml(out, tags, node.cell.text, 2);
        out += "</" + node.cell.text + ">\n";
    }
}

inline std::string xml(const tree::Object& object) {
    const auto& name = object.id.class_name;
    std::string out = "<" + name + attribute("class", name) + attribute("value", object.id.name);
    if (!object.stamp.empty()) out += attribute("timestamp", object.stamp);
    out += ">\n";
    write_xml(out, object.nodes, name, 2);
    return out + "</" + name + ">\n";
}

inline std::string xml(const std::vector<tree::Object>& objects) {
    std::string out = "<?xml version=\"1.0\"?>\n<objects>\n";
    for (const auto& object : objects) out += xml(object);
    return out + "</objects>\n";
}

}  // namespace notations
