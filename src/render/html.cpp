// SPDX-License-Identifier: MIT
#include "render/html.hpp"

#include <algorithm>

#include "base/utf8.hpp"
#include "compare/headline.hpp"
#include "render/display_text.hpp"
#include "render/item.hpp"
#include "render/links.hpp"
#include "render/markup.hpp"
#include "tree/stamp.hpp"

namespace render {
namespace {

using compare::FieldChange;
using compare::FieldValue;
using tree::CellKind;
using tree::Node;

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
        append_link(html, curator.url, base::cut_at(curator.name, longest_stamp));
    }
    html += ", ";
}

// Stands between a node and its only child.
std::string_view between(const Node& parent, const Node& child) {
    const auto tag = tree::CellKind::tag;
    return parent.cell.kind == tag && child.cell.kind != tag ? ": " : ", ";
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

class NodeWriter {
   public:
    NodeWriter(std::string& html, const NodeStyle& style) : html_(html), style_(style) {}

    //   shown  the timestamp that was written last above
    bool write(const Node& node, std::string_view shown) {
        if (nodes_++ == style_.most_nodes) return leave_out();
        write_alone(node, shown);
        return write_below(node, {}, shown);
    }

    //   before  stands before the first child; empty: what it is decides
    bool write_below(const Node& node, std::string_view before, std::string_view shown) {
        const auto* parent = &node;
        while (parent->children.size() == 1) {
            const auto& child = parent->children.front();
            html_ += before.empty() ? between(*parent, child) : before;
            before = {};
            parent = &child;
            if (nodes_++ == style_.most_nodes) return leave_out();
            write_alone(*parent, shown);
        }
        return parent->children.empty() || write_list(parent->children, shown);
    }

   private:
    bool leave_out() {
        html_ += ellipsis;
        return false;
    }

    bool write_list(const std::vector<Node>& nodes, std::string_view shown) {
        if (levels_ == style_.most_levels) {
            html_ += ' ';
            return leave_out();
        }
        ++levels_;
        html_ += "<ul>";
        bool whole = true;
        for (const auto& node : nodes) {
            html_ += "<li>";
            const bool whole_node = write(node, shown);
            html_ += "</li>";
            whole = whole && whole_node;
            if (nodes_ > style_.most_nodes) break;
        }
        html_ += "</ul>";
        --levels_;
        return whole;
    }

    // The timestamp of a tag with values below it says little: loading a line again sets it.
    void write_alone(const Node& node, std::string_view& shown) const {
        append_cell(html_, node.cell, style_.site, style_.references, style_.ids);
        const bool is_inner_tag = node.cell.kind == tree::CellKind::tag && !node.children.empty();
        if (!style_.has_stamps || is_inner_tag || node.stamp == shown) return;
        if (is_of_change(node.stamp, style_.stamps_since))
            append_small_stamp(html_, node.stamp, style_.people, style_.site);
        shown = node.stamp;
    }

    std::string& html_;
    const NodeStyle& style_;
    std::size_t nodes_ = 0;
    std::size_t levels_ = 0;
};

void append_words(std::string& html, std::string_view text) {
    const auto words = words_of(text);
    for (const auto& word : words) {
        if (&word != &words.front()) html += ' ';
        append_shortened(html, word);
    }
}

void append_run(std::string& html, const TextRun& run) {
    switch (run.kind) {
        case TextRun::Kind::same: return append_words(html, run.text);
        case TextRun::Kind::skipped: html += ellipsis; return;
        case TextRun::Kind::removed: html += "<del>"; break;
        case TextRun::Kind::added: html += "<ins>"; break;
    }
    append_shortened(html, run.text);
    html += run.kind == TextRun::Kind::removed ? "</del>" : "</ins>";
}

// Counts nodes until there are more than `left`.
bool fits_in(const Node& node, std::size_t& left, std::size_t levels) {
    const auto* parent = &node;
    for (;;) {
        if (left == 0) return false;
        --left;
        if (parent->children.size() != 1) break;
        parent = &parent->children.front();
    }
    if (parent->children.empty()) return true;
    if (levels == 0) return false;
    for (const auto& child : parent->children)
        if (!fits_in(child, left, levels - 1)) return false;
    return true;
}

}  // namespace

std::string as_html(std::string_view text) {
    std::string html;
    append_html(html, text);
    return html;
}

std::string as_html_value(std::string_view text) {
    std::string html;
    append_html_value(html, text);
    return html;
}

void append_link(std::string& html, std::string_view url, std::string_view text) {
    append_escaped_link(html, as_html(url), text);
}

void append_escaped_link(std::string& html, std::string_view url, std::string_view text) {
    html += "<a href=\"";
    html += url;
    html += "\">";
    append_html(html, text);
    html += "</a>";
}

std::string link_html(std::string_view url, std::string_view text) {
    std::string html;
    append_link(html, url, text);
    return html;
}

std::string narrowing_link_html(std::string_view url, std::string_view text) {
    return "<a rel=\"nofollow\" href=\"" + as_html(url) + "\">" + as_html(text) + "</a>";
}

std::string date_html(base::Date day) {
    const auto text = base::format_date(day);
    return "<time datetime=\"" + text + "\">" + text + "</time>";
}

void append_shortened(std::string& html, std::string_view text) {
    if (text.empty()) {
        html += "&quot;&quot;";
        return;
    }
    const auto shown = shortened(text);
    append_html(html, shown.head);
    if (shown.characters == 0) return;
    html += ellipsis;
    append_html(html, shown.tail);
    html += " (" + std::to_string(shown.characters) + " characters)";
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
    if (is_link) {
        html += "<a href=\"";
        append_page_of(html, cell.class_name, cell.text, site);
        html += "\">";
    }
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

void append_stamp(std::string& html, std::string_view stamp, const query::People& people,
                  const Site& site) {
    std::string words;
    append_stamp_words(words, stamp, people, site);
    if (!words.empty()) html += " (" + words + ")";
}

void append_author(std::string& html, std::string_view stamp, const query::People& people,
                   const Site& site) {
    const auto known = tree::parse_stamp(stamp);
    if (!known) return append_stamp(html, stamp, people, site);
    html += site.hide_curators ? " Entered on " : " Entered by ";
    append_user(html, known->by, people, site);
    html.append(stamp.substr(0, 10)) += '.';
}

void append_small_stamp(std::string& html, std::string_view stamp, const query::People& people,
                        const Site& site) {
    std::string words;
    append_stamp(words, stamp, people, site);
    if (!words.empty()) html += "<small>" + words + "</small>";
}

bool append_node(std::string& html, const Node& node, const NodeStyle& style) {
    return NodeWriter(html, style).write(node, style.stamp_shown);
}

bool append_below(std::string& html, const Node& node, std::string_view before,
                  const NodeStyle& style) {
    return NodeWriter(html, style).write_below(node, before, style.stamp_shown);
}

std::size_t count_within(const Node& node, const NodeStyle& style) {
    auto left = style.most_nodes;
    return fits_in(node, left, style.most_levels) ? style.most_nodes - left : 0;
}

void append_runs(std::string& html, const std::vector<TextRun>& runs, Sides sides) {
    const auto from = html.size();
    bool begins_word = false;
    for (const auto& run : runs) {
        begins_word = begins_word || run.begins_word;
        if (run.kind == TextRun::Kind::removed && sides == Sides::after) continue;
        if (run.kind == TextRun::Kind::added && sides == Sides::before) continue;
        if (begins_word && html.size() > from) html += ' ';
        begins_word = false;
        append_run(html, run);
    }
}

void append_mass_change(std::string& html, const tables::MassChange& change,
                        std::string_view end_tag) {
    append_shortened(html, change.place);
    html += end_tag;
    html += ": changed in " + with_separators(change.objects) + " of " +
            counted(change.of, "object", "objects") + " of class ";
    append_shortened(html, change.class_name);
    html += " in this release";
}

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

bool is_in_line(const FieldChange& field) {
    return field.values.size() == 1 ||
           std::ranges::all_of(field.values, [](const FieldValue& value) {
               return value.node().children.empty();
           });
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
