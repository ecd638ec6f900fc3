// bench/xml_pen.hpp -- writes objects as AcePerl 1.92 writes them in XML (Ace::Object::asXML),
// but for the LF that it has behind a LongText.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "tree/object.hpp"

namespace bench {

class XmlPen {
   public:
    explicit XmlPen(std::string& out) : out_(out) {}

    void write(const tree::Object& object) {
        begin(object.id.class_name, object.id.class_name, object.id.name, object.stamp, 0);
        end(object.id.class_name, object.nodes, {object.id.class_name, 1, 1}, 0);
    }

   private:
    struct Place {
        std::string_view tag;  // of the column
        int column;            // of the values below; 0: they carry the tag itself
        int level;
    };

    void write(const tree::Node& node, Place place) {
        const auto& cell = node.cell;
        if (cell.kind == tree::CellKind::tag) return write_tag(node, place);
        std::string name(place.tag);
        if (place.column > 0) name += '-' + std::to_string(place.column + 1);
        begin(name, class_of(cell), cell.text, node.stamp, place.level);
        end(name, node.children, {place.tag, place.column + 1, place.level + 1}, place.level);
    }

    // A tag is written by itself only where nothing but tags stands below it.
    void write_tag(const tree::Node& node, Place place) {
        const auto& name = node.cell.text;
        if (!node.children.empty() && node.children.front().cell.kind != tree::CellKind::tag) {
            for (const auto& child : node.children) write(child, {name, 0, place.level});
            return;
        }
        out_.append(4 * static_cast<std::size_t>(place.level), ' ');
        out_ += '<' + name;
        if (!node.stamp.empty()) attribute("timestamp", node.stamp);
        end(name, node.children, {name, 0, place.level + 1}, place.level);
    }

    void begin(std::string_view name, std::string_view class_name, std::string_view value,
               std::string_view stamp, int level) {
        out_.append(4 * static_cast<std::size_t>(level), ' ');
        (out_ += '<') += name;
        attribute("class", class_name);
        attribute("value", value);
        if (!stamp.empty()) attribute("timestamp", stamp);
    }

    void end(std::string_view name, const std::vector<tree::Node>& children, Place below,
             int level) {
        if (children.empty()) {
            out_ += " />\n";
            return;
        }
        out_ += ">\n";
        for (const auto& child : children) write(child, below);
        out_.append(4 * static_cast<std::size_t>(level), ' ');
        ((out_ += "</") += name) += ">\n";
    }

    void attribute(std::string_view name, std::string_view value) {
        ((out_ += ' ') += name) += "=\"";
        for (const char c : value) switch (c) {
                case '&': out_ += "&amp;"; break;
                case '"': out_ += "&quot;"; break;
                case '<': out_ += "&lt;"; break;
                case '>': out_ += "&gt;"; break;
                default: out_ += c;
            }
        out_ += '"';
    }

    static std::string_view class_of(const tree::Cell& cell) {
        switch (cell.kind) {
            case tree::CellKind::integer: return "#int";
            case tree::CellKind::real: return "#float";
            case tree::CellKind::date: return "#date";
            case tree::CellKind::text: return "#txt";
            case tree::CellKind::comment: return "#Comment";
            case tree::CellKind::reference:
            case tree::CellKind::member: return cell.class_name;
            case tree::CellKind::tag: break;
        }
        return {};
    }

    std::string& out_;
};

}  // namespace bench
