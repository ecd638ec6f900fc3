// SPDX-License-Identifier: MIT
#include "render/change_lines.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "compare/headline.hpp"
#include "compare/unseen_difference.hpp"
#include "render/display_text.hpp"
#include "render/html.hpp"
#include "render/item.hpp"
#include "render/links.hpp"
#include "render/text_difference.hpp"
#include "tree/stamp.hpp"

namespace render {
namespace {

using compare::FieldChange;
using compare::FieldValue;
using compare::Op;
using tree::CellKind;
using tree::Node;

// Of one side of a value. An item ends before it has so many bytes.
constexpr std::size_t most_nodes = 100, most_bytes = 50'000;
// Of lists: readers' parsers give up on more, and a phone has no room for more than those of a page.
constexpr std::size_t most_levels = 24, most_levels_on_page = 8;
constexpr std::size_t most_values = 20;  // of a field that are all listed in an item
constexpr std::size_t some_values = 5;   // of a longer list
constexpr std::size_t most_of_path =
    8;  // cells that a field of a page says something about: the last ones

// True for a tag at the top of the object with nothing above or below it: it is the field itself.
bool is_bare_tag(const FieldChange& field) {
    const auto& node = field.values.front().node();
    return field.path.empty() && node.cell.kind == CellKind::tag && node.children.empty();
}

// Returns how many bytes the row lacks of the values.
std::size_t left_out_of(const FieldChange& field) {
    std::size_t bytes = 0;
    for (const auto& value : field.values) bytes += value.left_out;
    return bytes;
}

// Returns whether the values follow each other on one line: there is only one, or nothing is below any.
bool is_in_line(const FieldChange& field) {
    return field.values.size() == 1 ||
           std::ranges::all_of(field.values, [](const FieldValue& value) {
               return value.node().children.empty();
           });
}

// Returns whether the same timestamp stands at all values.
bool has_one_stamp(const FieldChange& field) {
    const auto& first = field.values.front().node().stamp;
    return std::ranges::all_of(
        field.values, [&](const FieldValue& value) { return value.node().stamp == first; });
}

// Returns whether only what differs is shown of a text that was replaced.
bool is_long(std::string_view text) {
    constexpr std::size_t longest_whole_text = 160;  // bytes
    return text.size() > longest_whole_text || text.find('\n') != std::string_view::npos;
}

// Returns what differs between two values that look the same.
std::string unseen_difference_of(const FieldValue& value) {
    return value.left_out > 0
               ? std::string()
               : compare::unseen_difference(value.before->cell.text, value.after->cell.text);
}

// Returns whether what differs between the two values of a field that was replaced is shown word by
// word: whole texts that look different, one of them long.
bool is_rewording(const FieldValue& value) {
    const auto& before = value.before->cell;
    const auto& after = value.after->cell;
    if (value.left_out > 0 || !is_plain_text(before) || !is_plain_text(after)) return false;
    return (is_long(before.text) || is_long(after.text)) && unseen_difference_of(value).empty();
}

std::string words_for(const FieldChange& field) {
    const auto number = field.values.size();
    if (number == 1 || is_bare_tag(field)) return words_of(field);
    const auto [above, tag] = compare::tags_of(field);
    return (above.empty() ? "" : above + ": ") +
           compare::counted(number, tag.empty() ? words_of(field) : tag);
}

Ids ids_of(const LineStyle& style) { return style.page ? Ids::in_small : Ids::in_brackets; }

// Appends the value that the field says something about, if there is one: " of GO term <a
// href="…">nucleus</a> (GO:0005634)".
void append_owner(std::string& html, const FieldChange& field, const LineStyle& style) {
    const auto& path = field.path;
    const auto is_tag = [&](std::size_t i) { return path[i]->kind == CellKind::tag; };
    auto end = path.size();
    while (end > 0 && is_tag(end - 1)) --end;
    auto from = end;
    while (from > 0 && !is_tag(from - 1)) --from;
    if (from == end) return;
    html += end < path.size() ? " of " : " ";
    if (end < path.size() && from > 0) {
        append_shortened(html,
                         compare::inside_sentence(compare::words_of_tag(path[from - 1]->text)));
        html += ' ';
    }
    if (style.page && end - from > most_of_path) {
        from = end - most_of_path;
        html.append(ellipsis) += ' ';
    }
    for (auto i = from; i < end; ++i) {
        if (i > from) html += ", ";
        append_cell(html, *path[i], style.site, style.references, ids_of(style));
    }
}

// " (sylvia, 2008-02-01)", as append_stamp_words(); nothing for a timestamp that is not of the change.
void append_stamp(std::string& html, std::string_view stamp, const LineStyle& style) {
    std::string words;
    if (is_of_change(stamp, style.stamps_since))
        append_stamp_words(words, stamp, style.people, style.site);
    if (words.empty()) return;
    html += style.page ? "<small> (" : " (";
    html += words;
    html += style.page ? ")</small>" : ")";
}

// Appends a node and everything below it, or only what is below it. An only child follows its parent on
// the line, several are a list. An ellipsis marks what is left out.
//   synj-1, Person evidence: <a href="…">Cecilia Nakamura</a> (WBPerson1)
//   synj-1, Person evidence<ul><li>…</li></ul>
class NodeWriter {
   public:
    //   has_stamps  timestamps follow the nodes. One that equals the one before is not repeated
    NodeWriter(std::string& html, const LineStyle& style, bool has_stamps)
        : html_(html), style_(style), has_stamps_(has_stamps), start_(html.size()),
          most_levels_(style.page ? most_levels_on_page : most_levels) {}

    // Return whether nothing was left out.
    //   shown  the timestamp that was written last, or follows
    bool write(const Node& node, std::string_view shown) {
        if (!has_room()) return false;
        write_alone(node, shown);
        return write_below(node, shown);
    }
    bool write_below(const Node& node, std::string_view shown) {
        const auto* parent = &node;
        while (parent->children.size() == 1) {
            const auto& child = parent->children.front();
            html_ += between(*parent, child);
            parent = &child;
            if (!has_room()) return false;
            write_alone(*parent, shown);
        }
        return parent->children.empty() || write_list(parent->children, shown);
    }

   private:
    static std::string_view between(const Node& parent, const Node& child) {
        const auto tag = CellKind::tag;
        return parent.cell.kind == tag && child.cell.kind != tag ? ": " : ", ";
    }

    // Counts the next node, or marks that it is left out, as all others are then.
    bool has_room() {
        is_full_ = nodes_++ == most_nodes || html_.size() - start_ > most_bytes;
        if (is_full_) html_ += ellipsis;
        return !is_full_;
    }

    bool write_list(const std::vector<Node>& nodes, std::string_view shown) {
        if (levels_ == most_levels_) {
            html_.append(" ").append(ellipsis);
            return false;
        }
        ++levels_;
        html_ += "<ul>";
        bool whole = true;
        for (const auto& node : nodes) {
            html_ += "<li>";
            const bool whole_node = write(node, shown);
            html_ += "</li>";
            whole = whole && whole_node;
            if (is_full_) break;
        }
        html_ += "</ul>";
        --levels_;
        return whole;
    }

    // The timestamp of a tag with values below it says little: loading a line again sets it.
    void write_alone(const Node& node, std::string_view& shown) const {
        append_cell(html_, node.cell, style_.site, style_.references, ids_of(style_));
        const bool is_inner_tag = node.cell.kind == CellKind::tag && !node.children.empty();
        if (!has_stamps_ || is_inner_tag || node.stamp == shown) return;
        append_stamp(html_, node.stamp, style_);
        shown = node.stamp;
    }

    std::string& html_;
    const LineStyle& style_;
    bool has_stamps_, is_full_ = false;
    std::size_t start_, most_levels_;
    std::size_t nodes_ = 0, levels_ = 0;
};

// -- texts of which only some words differ

// Words are not isolated from each other, because they may be a sentence that runs from right to left.
void append_word(std::string& html, std::string_view word) {
    if (base::turns_direction(word))
        append_shortened(html, word);
    else
        append_shortened(html, word, Isolation::none);
}

void append_words(std::string& html, std::string_view text) {
    const auto words = words_of(text);
    for (const auto& word : words) {
        if (&word != &words.front()) html += ' ';
        append_word(html, word);
    }
}

void append_run(std::string& html, const TextRun& run) {
    switch (run.kind) {
        case TextRun::Kind::same: return append_words(html, run.text);
        case TextRun::Kind::skipped: html += ellipsis; return;
        case TextRun::Kind::removed: html += "<del>"; break;
        case TextRun::Kind::added: html += "<ins>"; break;
    }
    append_word(html, run.text);
    html += run.kind == TextRun::Kind::removed ? "</del>" : "</ins>";
}

// Writes the runs of one of the two texts: words as they are, those that differ in <del> or <ins>.
//   other  the kind of run that the text does not have
void append_runs(std::string& html, const std::vector<TextRun>& runs, TextRun::Kind other) {
    const bool is_isolated = std::ranges::all_of(runs, [other](const TextRun& run) {
        return run.kind == other || base::is_isolated(run.text);
    });
    html += is_isolated ? "" : "<bdi>";
    const auto from = html.size();
    bool begins_word = false;
    for (const auto& run : runs) {
        begins_word = begins_word || run.begins_word;
        if (run.kind == other) continue;
        if (begins_word && html.size() > from) html += ' ';
        begins_word = false;
        append_run(html, run);
    }
    html += is_isolated ? "" : "</bdi>";
}

//   <ul><li>Line 3. Before: the <del>quick</del> fox</li><li>Now: …</li></ul>
void append_difference(std::string& html, const TextDifference& difference) {
    html += "<ul>";
    for (const auto& place : difference.places) {
        if (place.white_space_only) continue;
        html += "<li>";
        if (place.line > 0) html += "Line " + with_separators(place.line) + ". ";
        if (place.character > 0)
            html += "From character " + with_separators(place.character) + " of " +
                    with_separators(place.characters) + ". ";
        html += "Before: ";
        append_runs(html, place.runs, TextRun::Kind::added);
        html += "</li><li>Now: ";
        append_runs(html, place.runs, TextRun::Kind::removed);
        html += "</li>";
    }
    html += "</ul>";
}

void count_nodes(const Node& node, std::size_t& nodes) {
    ++nodes;
    for (const auto& child : node.children) {
        if (nodes == most_nodes) return;
        count_nodes(child, nodes);
    }
}

}  // namespace

std::size_t count_nodes(const Node& value) {
    std::size_t nodes = 0;
    count_nodes(value, nodes);
    return nodes;
}

std::string words_of(const FieldChange& field) {
    const auto [above, tag] = compare::tags_of(field);
    if (!tag.empty()) return above.empty() ? tag : above + ": " + tag;
    const auto& cell = field.values.front().node().cell;
    if (cell.kind == CellKind::tag) return compare::words_of_tag(cell.text);
    return is_plain_text(cell) ? "text" : "member";
}

void ChangeWriter::append(std::string& html, const FieldChange& field) {
    html += "<li";
    if (style_.page) {
        html.append(" class=\"change ").append(name_of(field.op)) += '"';
        html += id_of(field.values.front().number);
    }
    html += '>';
    append_words(html, field);
    html += "</li>";
}

void ChangeWriter::append(std::string& html, const MassChangeLine& line) {
    const auto& change = *line.mass_change;
    html += "<li";
    if (style_.page) html += " class=\"mass\"" + id_of(line.number);
    html += '>';
    append_page_link(html, line.number, change.place);
    html += ": changed in " + with_separators(change.objects) + " of " +
            counted(change.of, "object", "objects") + " of class ";
    append_shortened(html, change.class_name);
    html += " in this release.</li>";
}

void ChangeWriter::append_words(std::string& html, const FieldChange& field) {
    open(html, "field");
    append_field(html, field);
    const auto& first = field.values.front();
    if (field.op == Op::replaced && is_rewording(first)) {
        const auto difference = difference_of(first.before->cell.text, first.after->cell.text);
        append_mark(html, " reworded:");
        close(html);
        open(html, "value");
        append_difference(html, difference);
        if (difference.shortened) leave_out(html, Side::after);
    } else {
        const bool has_verb = field.op != Op::replaced && style_.has_verbs;
        if (has_verb) append_mark(html, " " + std::string(name_of(field.op)));
        if (!is_bare_tag(field)) append_mark(html, ": ");
        close(html);
        open(html, "value");
        if (field.op == Op::replaced)
            append_replaced(html, first);
        else if (!is_bare_tag(field))
            append_values(html, field);
    }
    if (const auto bytes = left_out_of(field); bytes > 0)
        html += " (" + with_separators((bytes + 999) / 1000) + " KB are left out here)";
    if (!html.ends_with("</ul>") && !html.ends_with('.')) append_mark(html, ".");
    close(html);
    // Who wrote what was removed did not remove it.
    if (field.op != Op::removed && has_one_stamp(field)) append_author(html, first.node().stamp);
}

// "WS187-c3": the place of the third change of a row, as published items have it in their links.
std::string ChangeWriter::place_of(std::size_t number) const {
    return style_.id + "-c" + std::to_string(number);
}

// Returns the attribute, or nothing. Places are named once: a tag that came with others below it is
// several lines.
std::string ChangeWriter::id_of(std::size_t number) {
    if (style_.id.empty() || !placed_.insert(number).second) return {};
    return " id=\"" + place_of(number) + '"';
}

void ChangeWriter::append_page_link(std::string& html, std::size_t number,
                                    std::string_view text) const {
    const bool is_link = !style_.id.empty();
    if (is_link) {
        html += "<a href=\"";
        html += style_.row_page;
        if (style_.has_numbers) html += "&amp;number=" + std::to_string(number);
        html.append("#").append(place_of(number)) += "\">";
    }
    append_shortened(html, text);
    if (is_link) html += "</a>";
}

// "<a href="…">Paper evidence</a> of GO term <a href="…">nucleus</a> (GO:0005634)"
void ChangeWriter::append_field(std::string& html, const FieldChange& field) const {
    append_page_link(html, field.values.front().number,
                     compare::begins_sentence(words_for(field)));
    append_owner(html, field, style_);
}

void ChangeWriter::append_values(std::string& html, const FieldChange& field) {
    const auto& values = field.values;
    const bool is_long = !style_.page && values.size() > most_values;
    const auto shown = is_long ? some_values : values.size();
    const bool in_line = is_in_line(field), one_stamp = has_one_stamp(field);
    const auto side = field.op == Op::removed ? Side::before : Side::after;
    if (!in_line) html += "<ul>";
    for (std::size_t i = 0; i < shown; ++i) {
        const auto& node = values[i].node();
        const auto id = style_.page ? id_of(values[i].number) : std::string();
        const bool has_element = !in_line || !id.empty();
        if (in_line && i > 0) html += ", ";
        if (has_element) html += (in_line ? "<span" : "<li") + id + '>';
        append_node(html, node, side, one_stamp ? node.stamp : std::string_view());
        if (!style_.page && side == Side::after && !one_stamp)
            append_stamp(html, node.stamp, style_);
        if (has_element) html += in_line ? "</span>" : "</li>";
    }
    if (shown < values.size()) {
        html += in_line ? ", and " : "<li>and ";
        append_page_link(html, values[shown].number,
                         with_separators(values.size() - shown) + " more");
        if (!in_line) html += "</li>";
    }
    if (!in_line) html += "</ul>";
}

void ChangeWriter::append_replaced(std::string& html, const FieldValue& value) {
    const auto& before = *value.before;
    const auto& after = *value.after;
    // What is below the old value was said of that, and a page leaves nothing out.
    const bool differs_below =
        tree::same_content(before.cell, after.cell) ||
        (style_.page && !before.children.empty() && before.children != after.children);
    const auto append_side = [&](const Node& node, Side side) {
        if (differs_below)
            append_node(html, node, side, after.stamp);
        else
            append_cell(html, node.cell, style_.site, style_.references, ids_of(style_));
    };
    const auto unseen = unseen_difference_of(value);
    html += unseen;
    if (unseen.empty() || differs_below) {
        html += unseen.empty() ? "<del>" : ": <del>";
        append_side(before, Side::before);
        html.append("</del>").append(compare::became).append("<ins>");
        append_side(after, Side::after);
        html += "</ins>";
    } else if (has_page(after.cell)) {
        html += ": ";
        append_side(after, Side::after);
    }
    // What is below the new value is true.
    if (!differs_below && !after.children.empty() &&
        !NodeWriter(html, style_, style_.page.has_value()).write_below(after, after.stamp))
        leave_out(html, Side::after);
}

void ChangeWriter::append_node(std::string& html, const Node& node, Side side,
                               std::string_view shown_stamp) {
    const bool has_stamps = style_.page && side == Side::after;
    if (!NodeWriter(html, style_, has_stamps).write(node, shown_stamp)) leave_out(html, side);
}

void ChangeWriter::leave_out(std::string& html, Side side) {
    whole_ = false;
    if (!style_.page) return;
    const auto& [object, before, after] = *style_.page;
    const std::string release(side == Side::before ? before : after);
    if (release.empty()) return;
    // Relative to the page, because a page may have many of these.
    html += " " + narrowing_link_html("object?" + query_of(object) +
                                          "&release=" + base::percent_encode(release),
                                      "all of it in " + release);
}

// " Entered by sylvia, 2008-02-01."; an opaque timestamp as append_stamp().
void ChangeWriter::append_author(std::string& html, std::string_view stamp) const {
    if (!is_of_change(stamp, style_.stamps_since)) return;
    std::string words;
    append_stamp_words(words, stamp, style_.people, style_.site);
    if (words.empty()) return;
    open(html, "who");
    if (tree::parse_stamp(stamp)) {
        append_mark(html, style_.site.hide_curators ? " Entered on " : " Entered by ");
        html += words;
        append_mark(html, ".");
    } else {
        html += " (" + words + ")";
    }
    close(html);
}

// Words that pages show as signs, or not at all. Programs that read aloud say them.
void ChangeWriter::append_mark(std::string& html, std::string_view words) const {
    if (style_.page) html += "<span class=\"word\">";
    html += words;
    if (style_.page) html += "</span>";
}

void ChangeWriter::open(std::string& html, std::string_view css_class) const {
    if (style_.page) html.append("<div class=\"").append(css_class) += "\">";
}

void ChangeWriter::close(std::string& html) const {
    if (style_.page) html += "</div>";
}

}  // namespace render
