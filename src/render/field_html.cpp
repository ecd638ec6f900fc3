// SPDX-License-Identifier: MIT
#include "render/field_html.hpp"

#include <algorithm>

#include "compare/headline.hpp"
#include "render/display_text.hpp"

namespace render {

using compare::FieldChange;
using compare::FieldValue;
using tree::CellKind;

std::string heading_of(const FieldDocument::Group& group) {
    const bool says_more = std::ranges::any_of(
        group.fields, [](const FieldChange& field) { return field.path.size() > 1; });
    return says_more || group.fields.size() > 1 ? compare::words_of_tag(group.tag)
                                                : std::string();
}

bool is_bare_tag(const FieldChange& field) {
    const auto& node = field.values.front().node();
    return field.path.empty() && node.cell.kind == CellKind::tag && node.children.empty();
}

std::string words_of(const FieldChange& field) {
    if (const auto* tag = field.field())
        return compare::inside_sentence(compare::words_of_tag(tag->text));
    const auto& cell = field.values.front().node().cell;
    if (cell.kind == CellKind::tag) return compare::words_of_tag(cell.text);
    return is_plain_text(cell) ? "text" : "member";
}

void append_owner(std::string& html, const FieldChange& field, const Site& site,
                  std::span<const compare::Reference> references, Ids ids, std::size_t most) {
    const auto& path = field.path;
    const auto is_tag = [](const tree::Cell* cell) { return cell->kind == CellKind::tag; };
    const auto last = std::find_if_not(path.rbegin(), path.rend(), is_tag);
    if (last == path.rend()) return;
    const auto tag_above = std::find_if(last, path.rend(), is_tag);
    if (last != path.rbegin()) {
        html += " of ";
        if (tag_above != path.rend()) {
            append_shortened(html,
                             compare::inside_sentence(compare::words_of_tag((*tag_above)->text)));
            html += ' ';
        }
    } else {
        html += ' ';
    }
    auto cell = tag_above;
    if (static_cast<std::size_t>(tag_above - last) > most) {
        cell = last + static_cast<std::ptrdiff_t>(most);
        html.append(ellipsis) += ' ';
    }
    for (const auto first = cell; cell != last;) {
        --cell;
        if (cell != first - 1) html += ", ";
        append_cell(html, **cell, site, references, ids);
    }
}

std::size_t left_out_of(const FieldChange& field) {
    std::size_t bytes = 0;
    for (const auto& value : field.values) bytes += value.left_out;
    return bytes;
}

bool has_one_stamp(const FieldChange& field) {
    const auto& first = field.values.front().node().stamp;
    return std::ranges::all_of(
        field.values, [&](const FieldValue& value) { return value.node().stamp == first; });
}

bool is_rewording(const FieldValue& value) {
    const auto& before = value.before->cell;
    const auto& after = value.after->cell;
    if (value.left_out > 0 || !is_plain_text(before) || !is_plain_text(after)) return false;
    const bool looks_equal =
        before.text != after.text && one_line(before.text) == one_line(after.text);
    return looks_equal || is_long(before.text) || is_long(after.text);
}

}  // namespace render
