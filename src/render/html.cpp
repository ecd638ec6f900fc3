// SPDX-License-Identifier: MIT
#include "render/html.hpp"

#include "base/utf8.hpp"
#include "compare/headline.hpp"
#include "render/display_text.hpp"
#include "render/item.hpp"
#include "render/links.hpp"
#include "render/markup.hpp"
#include "tree/stamp.hpp"

namespace render {
namespace {

constexpr std::size_t longest_stamp = 80;
constexpr std::string_view left_quote = "\xE2\x80\x9C", right_quote = "\xE2\x80\x9D";

// "sylvia, "
void append_user(std::string& html, std::string_view user, const query::People& people,
                 const Site& site) {
    if (site.hide_curators) return;
    if (!people.contains(user)) {
        append_html(html, base::cut_at(user, longest_stamp));
    } else if (const auto curator = curator_of(user, people, site); curator.url.empty()) {
        append_html(html, base::cut_at(curator.name, longest_stamp));
    } else {
        html += link_html(curator.url, base::cut_at(curator.name, longest_stamp));
    }
    html += ", ";
}

void append_cell_text(std::string& html, const tree::Cell& cell) {
    if (cell.kind == tree::CellKind::comment) html += "// ";
    if (cell.kind == tree::CellKind::tag)
        return append_shortened(html, compare::words_of_tag(cell.text));
    // Quotes show where a sentence ends and what is said of it begins.
    const bool is_quoted = is_plain_text(cell) && cell.text.find(' ') != std::string::npos;
    if (is_quoted) html += left_quote;
    append_shortened(html, cell.text);
    if (is_quoted) html += right_quote;
}

}  // namespace

std::string as_html(std::string_view text) {
    std::string html;
    append_html(html, text);
    return html;
}

std::string as_attribute(std::string_view text) {
    std::string html;
    append_html_value(html, text);
    return html;
}

std::string link_html(std::string_view url, std::string_view text) {
    return "<a href=\"" + as_attribute(url) + "\">" + as_html(text) + "</a>";
}

std::string narrowing_link_html(std::string_view url, std::string_view text) {
    return "<a rel=\"nofollow\" href=\"" + as_attribute(url) + "\">" + as_html(text) + "</a>";
}

std::string date_html(base::Date day) {
    return "<time datetime=\"" + base::format_date(day) + "\">" + date_in_words(day) + "</time>";
}

std::string time_html(base::Seconds time) {
    return "<time datetime=\"" + base::format_rfc3339(time) + "\">" + time_in_words(time) +
           "</time>";
}

void append_shortened(std::string& html, std::string_view text, Isolation isolation) {
    if (text.empty()) {
        html += "&quot;&quot;";
        return;
    }
    const auto append = isolation == Isolation::none ? append_html_value : append_html;
    const auto shown = shortened(text);
    append(html, shown.head);
    if (shown.characters == 0) return;
    html += ellipsis;
    append(html, shown.tail);
    html += " (" + std::to_string(shown.characters) + " characters)";
}

std::string shortened_html(std::string_view text) {
    std::string html;
    append_shortened(html, text);
    return html;
}

bool has_page(const tree::Cell& cell) {
    const bool names =
        cell.kind == tree::CellKind::reference || cell.kind == tree::CellKind::member;
    return names && !is_plain_text(cell) && tree::can_be_tracked(cell.class_name, cell.text);
}

void append_cell(std::string& html, const tree::Cell& cell, const Site& site,
                 std::span<const compare::Reference> references, Ids ids) {
    if (!has_page(cell)) return append_cell_text(html, cell);
    const auto* reference = compare::reference_of(references, cell);
    const bool has_label = reference != nullptr && !reference->label.empty();
    // Of an object that no build has there is no history, unless the store knows what it was called.
    const bool is_link =
        reference == nullptr || has_label || reference->fate != compare::Reference::Fate::absent;
    if (is_link)
        html += "<a href=\"" + as_attribute(page_of({cell.class_name, cell.text}, site)) + "\">";
    append_shortened(html, has_label ? reference->label : cell.text);
    if (is_link) html += "</a>";
    if (!has_label) return;
    html += ids == Ids::in_small ? " <small>" : " (";
    append_shortened(html, cell.text);
    html += ids == Ids::in_small ? "</small>" : ")";
}

void append_stamp_words(std::string& html, std::string_view stamp, const query::People& people,
                        const Site& site) {
    if (const auto known = tree::parse_stamp(stamp)) {
        append_user(html, known->by, people, site);
        html += stamp.substr(0, 10);  // a known timestamp begins with its day
    } else if (!site.hide_curators) {
        append_html(html, base::cut_at(stamp, longest_stamp));
    }
}

}  // namespace render
