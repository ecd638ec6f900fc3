// SPDX-License-Identifier: MIT
#include "render/cells.hpp"

#include "render/shown_text.hpp"
#include "render/text.hpp"
#include "tree/stamp.hpp"

namespace render {
namespace {

constexpr std::size_t longest_stamp = 80;

// `?Text` values: objects in AceDB, whose name is the text itself.
constexpr std::string_view text_class = "Text";

}  // namespace

bool is_plain_text(const tree::Cell& cell) {
    return cell.kind == tree::Kind::text ||
           (cell.kind == tree::Kind::reference && cell.class_name == text_class);
}

std::string link_of(const tree::Cell& cell, const Site& site) {
    const bool names = cell.kind == tree::Kind::reference || cell.kind == tree::Kind::member;
    if (!names || is_plain_text(cell) || cell.text.size() > tree::longest_name ||
        cell.class_name.size() > tree::longest_class)
        return {};
    return object_url_of({cell.class_name, cell.text}, site);
}

void append_cell_text(std::string& html, const tree::Cell& cell) {
    if (cell.kind == tree::Kind::comment) html += "// ";
    append_shortened(html, cell.text);
}

void append_cell(std::string& html, const tree::Cell& cell, const Site& site) {
    const auto url = link_of(cell, site);
    if (url.empty()) return append_cell_text(html, cell);
    html += "<a href=\"";
    append_html(html, url);
    html += "\">";
    append_cell_text(html, cell);
    html += "</a>";
}

void append_stamp(std::string& html, std::string_view stamp) {
    if (stamp.empty()) return;
    html += " (";
    if (const auto known = tree::parse_stamp(stamp)) {
        append_html(html, cut_at(known->by, longest_stamp));
        html += ", ";
        html += stamp.substr(0, 10);  // a known stamp begins with its day
    } else {
        append_html(html, cut_at(stamp, longest_stamp));
    }
    html += ')';
}

}  // namespace render
