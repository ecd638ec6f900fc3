// SPDX-License-Identifier: MIT
#include "render/page_changes.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "base/utf8.hpp"
#include "compare/headline.hpp"
#include "render/display_text.hpp"
#include "render/html.hpp"
#include "render/item.hpp"
#include "render/links.hpp"
#include "render/markup.hpp"

namespace render {
namespace {

using compare::FieldChange;
using compare::FieldValue;
using compare::Op;
using tree::Node;

constexpr std::size_t most_nodes_of_piece = 40;  // of a piece
constexpr std::size_t most_levels_of_piece = 8;  // of lists: deeper ones have no room on a phone
constexpr std::size_t most_of_path = 8;          // cells that a field says something about
constexpr std::size_t most_named = 5;            // fields that the line of minor changes names
constexpr std::size_t longest_of_named = 60;     // bytes of each

constexpr auto no_part = std::numeric_limits<std::size_t>::max();

constexpr std::string_view end_of_fold = "</details>\n";

// Returns how many changes of the row the fields belong to.
std::size_t count_numbers(const std::vector<FieldChange>& fields) {
    std::set<std::size_t> numbers;
    for (const auto& field : fields)
        for (const auto& value : field.values) numbers.insert(value.number);
    return numbers.size();
}

std::size_t count_values(const std::vector<FieldChange>& fields) {
    std::size_t values = 0;
    for (const auto& field : fields) values += field.values.size();
    return values;
}

// "2 minor changes: version, method"
std::string words_for_minor(const std::vector<FieldChange>& fields) {
    auto words = counted(count_numbers(fields), "minor change", "minor changes") + ": ";
    std::set<std::string> named;
    for (const auto& field : fields) {
        const auto all = one_line(words_of(field));
        const auto name = std::string(base::cut_at(all, longest_of_named));
        if (!named.insert(name).second) continue;
        if (named.size() > most_named) return words.append(", ").append(ellipsis);
        if (named.size() > 1) words += ", ";
        words += name;
    }
    return words;
}

std::string words_for_echoes(const std::vector<FieldChange>& fields) {
    const auto values = count_values(fields);
    return counted(values, "reference changed because another object did",
                   "references changed because other objects did");
}

std::string start_of_fold(std::string_view css_class, std::string_view words) {
    std::string html = "<details class=\"";
    html.append(css_class) += "\"><summary>";
    append_html(html, words);
    return html + "</summary>\n";
}

// Writes the pieces of a document one after the other, until the wanted part is full.
class PageWriter {
   public:
    PageWriter(const ChangesView& view, PartCollector& parts)
        : view_(view), parts_(parts), style_{.people = view.people,
                                             .site = view.site,
                                             .references = view.references,
                                             .has_stamps = true,
                                             .most_nodes = most_nodes_of_piece,
                                             .most_levels = most_levels_of_piece,
                                             .stamps_since = view.stamps_since,
                                             .ids = Ids::in_small} {}

    // Returns false if some pieces remain. So do all functions below that write pieces.
    bool write() {
        const auto& document = view_.document;
        has_headings_ = std::ranges::any_of(
            document.groups, [](const auto& group) { return !heading_of(group).empty(); });
        for (const auto& group : document.groups) {
            parts_.begin(start_of(group), "</ul></section>\n");
            if (!write_fields(group.fields)) return false;
        }
        return write_folded(document.minor, words_for_minor) &&
               write_folded(document.echoes, words_for_echoes) && write_mass_changes();
    }

    // Returns whether the change of view.number was written.
    [[nodiscard]] bool found() const { return found_; }

   private:
    bool take(const std::string& piece, std::size_t nodes) {
        const bool taken = parts_.take(piece, nodes);
        if (has_wanted_) parts_.want_this();
        has_wanted_ = false;
        return taken;
    }

    static constexpr std::string_view start_of_list = "<ul class=\"changes\">\n";

    [[nodiscard]] std::string start_of(const FieldDocument::Group& group) const {
        std::string html = "<section class=\"group\">";
        // Without one, what follows another group would seem to be part of it.
        if (has_headings_ && !group.tag.empty()) {
            const auto level = "h" + std::to_string(view_.heading) + ">";
            html += "<" + level;
            append_shortened(html, compare::words_of_tag(group.tag));
            html += "</" + level;
        }
        return html.append(start_of_list);
    }

    bool write_fields(const std::vector<FieldChange>& fields) {
        return std::ranges::all_of(fields,
                                   [this](const auto& field) { return write_field(field); });
    }

    bool write_folded(const std::vector<FieldChange>& fields,
                      std::string (*words)(const std::vector<FieldChange>&)) {
        if (fields.empty()) return true;
        parts_.begin(start_of_fold("group", words(fields)).append(start_of_list),
                     "</ul></details>\n");
        return write_fields(fields);
    }

    bool write_mass_changes() {
        parts_.begin("<section class=\"group\">", "</section>\n");
        return std::ranges::all_of(view_.document.mass_changes, [this](const auto& line) {
            return take(mass_change(line), 1);
        });
    }

    bool write_field(const FieldChange& field) {
        if (field.op != Op::replaced) return write_values(field, field.values);
        const auto& value = field.values.front();
        const auto old_size = size_of(*value.before, value),
                   new_size = size_of(*value.after, value);
        if (old_size > 0 && new_size > 0) return take(line_of(field), old_size + new_size);
        const FieldChange old{field.rank, Op::removed, field.path, {}};
        const FieldChange now{field.rank, Op::added, field.path, {}};
        return write_values(old, {{value.number, value.before, nullptr, value.left_out}}) &&
               write_values(now, {{0, nullptr, value.after, 0}});
    }

    // Returns the number of nodes that a value of a field that was replaced takes; 0: too many.
    [[nodiscard]] std::size_t size_of(const Node& node, const FieldValue& value) const {
        return is_rewording(value) && &node == value.before ? 1 : count_within(node, style_);
    }

    // Writes as many values at a time as a piece holds, and those that are too large for one by
    // their children.
    //   like  what the values have in common
    bool write_values(const FieldChange& like, const std::vector<FieldValue>& values) {
        FieldChange piece{like.rank, like.op, like.path, {}};
        std::size_t nodes = 0;
        const auto flush = [&] {
            if (piece.values.empty()) return true;
            const auto line = line_of(piece);
            piece.values.clear();
            return take(line, std::exchange(nodes, 0));
        };
        for (const auto& value : values) {
            const auto size = count_within(value.node(), style_);
            if ((size == 0 || nodes + size > most_nodes_of_piece) && !flush()) return false;
            if (size == 0 && !write_large(like, value)) return false;
            if (size == 0) continue;
            piece.values.push_back(value);
            nodes += size;
        }
        return flush();
    }

    bool write_large(const FieldChange& like, const FieldValue& value) {
        const auto& node = value.node();
        const bool added = like.op == Op::added;
        FieldChange below{like.rank, like.op, like.path, {}};
        // A tag is part of what the lines below it say.
        if (node.cell.kind != tree::CellKind::tag) {
            const Node alone{node.cell, node.stamp, {}};
            below.values = {{value.number, added ? nullptr : &alone, added ? &alone : nullptr,
                             value.left_out}};
            if (!take(line_of(below), 1)) return false;
        }
        below.path.push_back(&node.cell);
        below.values.clear();
        std::vector<FieldValue> children;
        children.reserve(node.children.size());
        for (const auto& child : node.children)
            children.push_back({0, added ? nullptr : &child, added ? &child : nullptr, 0});
        return write_values(below, children);
    }

    // -- one line

    std::string line_of(const FieldChange& field) {
        const auto number = field.values.front().number;
        std::string html = "<li class=\"change ";
        html.append(name_of(field.op)) += '"';
        append_id(html, number);
        html += '>';
        append_op(html, field.op, number);
        html += "<div class=\"field\">";
        append_shortened(html, compare::begins_sentence(words_of(field)));
        append_owner(html, field, view_.site, view_.references, Ids::in_small, most_of_path);
        if (number == 0) html += " (continued)";
        html += "</div><div class=\"value\">";
        if (field.op == Op::replaced)
            append_replaced(html, field.values.front());
        else if (!is_bare_tag(field))
            append_values(html, field);
        if (const auto bytes = left_out_of(field); bytes > 0)
            html += "<p class=\"place\">" + left_out_text(bytes) + "</p>";
        html += "</div>";
        append_who(html, field);
        return html += "</li>\n";
    }

    // Places are named once: a tag that came with others below it is several lines.
    void append_id(std::string& html, std::size_t number) {
        if (number == 0 || view_.id.empty() || !placed_.insert(number).second) return;
        html += " id=\"";
        append_html(html, view_.id);
        html += suffix_of(number) + "\"";
        if (number == view_.number) found_ = has_wanted_ = true;
    }

    // The sign links to the change itself, so that readers can pass on its address.
    void append_op(std::string& html, Op op, std::size_t number) const {
        const bool linked = number > 0 && !view_.id.empty();
        html += linked ? "<a class=\"op\" href=\"#" : "<span class=\"op\">";
        if (linked) {
            append_html(html, view_.id);
            html += suffix_of(number) + "\">";
        }
        html += "<span aria-hidden=\"true\">";
        html += op == Op::added ? "+" : op == Op::removed ? "\xE2\x88\x92" : "\xC2\xB1";
        html += "</span><span class=\"unseen\">";
        html += name_of(op);
        html += linked ? ": </span></a>" : ": </span></span>";
    }

    // Who wrote what was removed did not remove it.
    [[nodiscard]] NodeStyle style_for(const FieldChange& field) const {
        auto style = style_;
        style.has_stamps = field.op != Op::removed;
        if (has_one_stamp(field)) style.stamp_shown = field.values.front().node().stamp;
        return style;
    }

    void append_who(std::string& html, const FieldChange& field) const {
        const auto& stamp = field.values.front().node().stamp;
        if (field.op == Op::removed || !has_one_stamp(field) ||
            !is_of_change(stamp, view_.stamps_since))
            return;
        std::string who;
        append_small_stamp(who, stamp, view_.people, view_.site);
        if (!who.empty()) html += "<div class=\"who\">" + who + "</div>";
    }

    void append_values(std::string& html, const FieldChange& field) {
        const auto style = style_for(field);
        const auto& values = field.values;
        const bool in_line = is_in_line(field);
        if (!in_line) html += "<ul>";
        for (const auto& value : values) {
            const bool first = &value == &values.front();
            if (in_line && !first) html += ", ";
            const bool marked = !in_line || !first;
            if (marked) html += in_line ? "<span" : "<li";
            if (marked) append_id(html, value.number);
            if (marked) html += '>';
            std::ignore = append_node(html, value.node(), style);
            if (marked) html += in_line ? "</span>" : "</li>";
        }
        if (!in_line) html += "</ul>";
    }

    void append_replaced(std::string& html, const FieldValue& value) const {
        const auto& before = *value.before;
        const auto& after = *value.after;
        auto style = style_;
        style.stamp_shown = after.stamp;
        // What is below both is true of the new one as well.
        const bool same_below = before.children.empty() || before.children == after.children;
        if (is_rewording(value)) {
            append_rewording(html, difference_of(before.cell.text, after.cell.text));
        } else if (same_below && !tree::same_content(before.cell, after.cell)) {
            html += "<del>";
            append_cell(html, before.cell, view_.site, view_.references, Ids::in_small);
            html.append("</del>").append(compare::became).append("<ins>");
            append_cell(html, after.cell, view_.site, view_.references, Ids::in_small);
            html += "</ins>";
        } else {
            auto plain = style_;
            plain.has_stamps = false;
            html += "<del>";
            std::ignore = append_node(html, before, plain);
            html.append("</del>").append(compare::became).append("<ins>");
            std::ignore = append_node(html, after, style);
            html += "</ins>";
            return;
        }
        if (!after.children.empty()) std::ignore = append_below(html, after, {}, style);
    }

    static void append_rewording(std::string& html, const TextDifference& difference) {
        for (const auto& place : difference.places) {
            html += "<p>";
            const auto where = words_for(place);
            if (!where.empty()) html += "<span class=\"place\">" + where + "</span>";
            if (!where.empty() && !place.white_space_only) html += ": ";
            if (!place.white_space_only) append_runs(html, place.runs, Sides::both);
            html += "</p>";
        }
        if (difference.shortened)
            html += "<p class=\"place\">Further differences are not shown.</p>";
    }

    // "line 12, from character 301"; empty for texts of one line.
    static std::string words_for(const TextPlace& place) {
        std::string words;
        if (place.line > 0) words = "line " + with_separators(place.line);
        if (place.character > 0)
            words += (words.empty() ? "from character " : ", from character ") +
                     with_separators(place.character);
        if (place.white_space_only)
            words += words.empty() ? "only white space differs" : ": only white space differs";
        return words;
    }

    std::string mass_change(const MassChangeLine& line) {
        std::string html = "<p class=\"mass\"";
        append_id(html, line.number);
        html += "><b>";
        append_mass_change(html, *line.mass_change, "</b>");
        return html + "</p>\n";
    }

    const ChangesView& view_;
    PartCollector& parts_;
    NodeStyle style_;
    bool has_headings_ = false;
    bool has_wanted_ = false;  // the next piece has the change of view_.number
    bool found_ = false;
    std::set<std::size_t> placed_;  // numbers of changes that have their place
};

std::string words_for_held(const FieldDocument& document) {
    std::size_t values = count_values(document.minor) + count_values(document.echoes);
    for (const auto& group : document.groups) values += count_values(group.fields);
    return "Content when it was last seen: " + counted(values, "value", "values");
}

}  // namespace

PartOfPage part_of_changes(const ChangesView& view, const PartSize& size, std::size_t part) {
    const auto fold =
        view.folded ? start_of_fold("held", words_for_held(view.document)) : std::string();
    const auto taken = view.folded ? fold.size() + end_of_fold.size() : 0;
    const PartSize left{size.bytes - std::min(size.bytes, taken), size.nodes};
    const bool by_number = view.number > 0;
    PartCollector parts(left, by_number ? no_part : std::max<std::size_t>(part, 1));
    PageWriter writer(view, parts);
    const bool more = !writer.write();
    if (by_number && !writer.found()) {
        auto first = view;
        first.number = 0;
        return part_of_changes(first, size, 1);
    }
    auto shown = std::move(parts).finish(more);
    if (view.folded && !shown.html.empty())
        shown.html = fold + shown.html + std::string(end_of_fold);
    return shown;
}

}  // namespace render
