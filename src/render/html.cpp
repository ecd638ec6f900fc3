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

// "sylvia, "
void append_user(std::string& html, std::string_view user, const query::People& people,
                 const Site& site) {
    if (site.hide_curators) return;
    if (!people.contains(user)) {
        append_html(html, cut_at(user, longest_stamp));
    } else if (const auto curator = curator_of(user, people, site); curator.url.empty()) {
        append_html(html, cut_at(curator.name, longest_stamp));
    } else {
        append_link(html, curator.url, cut_at(curator.name, longest_stamp));
    }
    html += ", ";
}

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

void append_link(std::string& html, std::string_view url, std::string_view text) {
    html += "<a href=\"";
    append_html(html, url);
    html += "\">";
    append_html(html, text);
    html += "</a>";
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

void append_stamp(std::string& html, std::string_view stamp, const query::People& people,
                  const Site& site) {
    if (stamp.empty()) return;
    const auto known = tree::parse_stamp(stamp);
    if (!known && site.hide_curators) return;
    html += " (";
    if (known) {
        append_user(html, known->by, people, site);
        html += stamp.substr(0, 10);  // a known stamp begins with its day
    } else {
        append_html(html, cut_at(stamp, longest_stamp));
    }
    html += ')';
}

}  // namespace render
