// SPDX-License-Identifier: MIT
#include "render/page_changes.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "render/display_text.hpp"
#include "render/html.hpp"
#include "render/item.hpp"
#include "render/markup.hpp"

namespace render {
namespace {

using compare::Op;
using tree::Node;
using CellPath = std::vector<const tree::Cell*>;

constexpr std::size_t most_nodes_of_piece = 40;  // of a piece
constexpr std::size_t most_levels_of_piece = 8;  // of lists: deeper ones have no room on a phone
constexpr std::size_t most_of_path = 8;          // cells of a path that are shown, its last ones

// Collects pieces until the wanted part is full. A part that begins inside of a group repeats the
// group's heading.
class PartCollector {
   public:
    PartCollector(const PartSize& size, std::size_t wanted, int heading)
        : size_(size), wanted_(wanted), level_(std::to_string(heading)) {}

    // Returns false if the wanted part is full: this piece belongs to the next one.
    bool take(std::string_view group, const std::string& piece, std::size_t nodes) {
        const auto start = group == group_ && open_ ? std::string() : start_of(group);
        const bool fits =
            html_.size() + start.size() + piece.size() + end_.size() <= size_.bytes &&
            nodes_ + nodes <= size_.nodes;
        if (!html_.empty() && !fits) {
            if (part_ == wanted_) return false;
            html_.clear();
            nodes_ = 0;
            open_ = false;
            ++part_;
            return take(group, piece, nodes);
        }
        if (!start.empty()) {
            close();
            html_ += start;
            open_ = true;
            group_ = group;
        }
        html_ += piece;
        nodes_ += nodes;
        return true;
    }

    PartOfChanges finish(bool more) && {
        close();
        return {std::move(html_), part_, more};
    }

   private:
    [[nodiscard]] std::string start_of(std::string_view group) const {
        std::string html = "<section class=\"group\">";
        if (group.empty()) return html;
        html += "<h" + level_ + ">";
        append_shortened(html, group);
        return html + "</h" + level_ + ">";
    }
    void close() {
        if (open_) html_ += end_;
        open_ = false;
    }

    static constexpr std::string_view end_ = "</section>\n";
    PartSize size_;
    std::size_t wanted_, part_ = 1;
    std::size_t nodes_ = 0;
    std::string level_, html_, group_;
    bool open_ = false;
};

// Writes the pieces of a document one after the other, until the wanted part is full.
class PageWriter {
   public:
    PageWriter(const ChangesView& view, PartCollector& parts)
        : view_(view), parts_(parts), style_{view.people,         view.site,
                                             view.references,     true,
                                             most_nodes_of_piece, most_levels_of_piece,
                                             view.stamps_since} {}

    // Returns false if some pieces remain. So do all functions below that write pieces.
    bool write() {
        for (const auto& group : view_.document.groups) {
            group_ = group.tag;
            for (const auto& change : group.changes)
                if (!write_change(change)) return false;
        }
        group_ = {};
        return std::ranges::all_of(view_.document.mass_changes, [this](const auto& line) {
            return parts_.take(group_, mass_change(line), 1);
        });
    }

   private:
    bool write_change(const DocumentChange& change) {
        CellPath path;
        for (const auto& cell : change.parents) path.push_back(&cell);
        left_out_ = change.left_out;
        if (change.op != Op::replaced)
            return write_tree(change.op, path, change.node(), change.number);
        const auto& before = *change.before;
        const auto& after = *change.after;
        const bool is_text = change.replaces_text();
        const auto old_size = is_text ? 1 : count_within(before, style_);
        const auto new_size = count_within(after, style_);
        if (old_size > 0 && new_size > 0) {
            const auto both = is_text ? text_sides(before, after) : sides(before, after);
            return parts_.take(group_, piece(Op::replaced, path, change.number, both),
                               old_size + new_size);
        }
        return write_tree(Op::removed, path, before, change.number) &&
               write_tree(Op::added, path, after, 0);
    }

    // Writes a subtree as one piece, or a piece for its root and pieces for its children.
    //   number  of the change, for its first piece; 0: this is not the first
    bool write_tree(Op op, CellPath path, const Node& node, std::size_t number) {
        // A tag is the end of the path in the heading. Anything else is below the heading.
        const bool in_path = node.cell.kind == tree::CellKind::tag;
        if (in_path) path.push_back(&node.cell);
        const auto write = [&](const Node& written, std::size_t size) {
            const auto content = side(op, content_of(written, in_path));
            return parts_.take(group_, piece(op, path, number, content), size);
        };
        if (const auto size = count_within(node, style_); size > 0) return write(node, size);
        if (!in_path || number > 0) {
            if (!write({node.cell, node.stamp, {}}, 1)) return false;
        }
        if (!in_path) path.push_back(&node.cell);
        return write_children(op, path, node.children);
    }

    // Writes as many children at a time as a piece holds, and those that are too large for one
    // by their own children.
    bool write_children(Op op, const CellPath& path, const std::vector<Node>& nodes) {
        std::string list;
        std::size_t count = 0;
        const auto flush = [&] {
            if (list.empty()) return true;
            const auto content = side(op, "<ul>" + list + "</ul>");
            list.clear();
            return parts_.take(group_, piece(op, path, 0, content), std::exchange(count, 0));
        };
        for (const auto& node : nodes) {
            const auto size = count_within(node, style_);
            if ((size == 0 || count + size > most_nodes_of_piece) && !flush()) return false;
            count += size;
            if (size > 0)
                list += "<li>" + content_of(node, false) + "</li>";
            else if (!write_tree(op, path, node, 0))
                return false;
        }
        return flush();
    }

    std::string content_of(const Node& node, bool below_only) const {
        std::string html;
        if (below_only && node.children.empty())
            append_small_stamp(html, node.stamp, view_.people, view_.site);
        else if (below_only)
            std::ignore = append_below(html, node, {}, style_);
        else
            std::ignore = append_node(html, node, style_);
        return html;
    }

    static std::string side(Op op, std::string_view content) {
        if (content.empty()) return {};
        const bool added = op == Op::added;
        std::string html = added ? "<div class=\"after\"><ins>" : "<div class=\"before\"><del>";
        html += content;
        return html += added ? "</ins></div>" : "</del></div>";
    }

    static void append_sides(std::string& html, std::string_view classes, std::string_view before,
                             std::string_view after) {
        html.append("<div class=\"").append(classes).append("\"><div class=\"before\">");
        html.append(before).append("</div><div class=\"after\">");
        html.append(after).append("</div></div>");
    }

    std::string sides(const Node& before, const Node& after) const {
        std::string html;
        append_sides(html, "sides", "<del>" + content_of(before, false) + "</del>",
                     "<ins>" + content_of(after, false) + "</ins>");
        return html;
    }

    std::string text_sides(const Node& before, const Node& after) const {
        const auto difference = difference_of(before.cell.text, after.cell.text);
        std::string html;
        for (const auto& place : difference.places) {
            if (const auto where = words_for(place); !where.empty())
                html += "<p class=\"place\">" + where + "</p>";
            std::string left, right;
            append_runs(left, place.runs, Sides::before);
            append_runs(right, place.runs, Sides::after);
            append_sides(html, "sides words", left, right);
        }
        if (difference.shortened)
            html += "<p class=\"place\">Further differences are not shown.</p>";
        // Both sides' children describe a text that has changed; those of the new one are true.
        std::string below;
        append_small_stamp(below, after.stamp, view_.people, view_.site);
        if (!after.children.empty()) below += content_of(after, true);
        return below.empty() ? html : html + "<div class=\"by\">" + below + "</div>";
    }

    // "line 12, from character 301"; empty for texts of one line.
    static std::string words_for(const TextPlace& place) {
        std::string words;
        if (place.line > 0) words = "line " + with_separators(place.line);
        if (place.character > 0)
            words += (words.empty() ? "from character " : ", from character ") +
                     with_separators(place.character);
        if (place.white_space_only && !words.empty()) words += ": only white space differs";
        return words;
    }

    std::string piece(Op op, const CellPath& path, std::size_t number,
                      std::string_view content) const {
        std::string html = "<div class=\"change\"";
        append_id(html, number);
        html += "><p>";
        append_op(html, op, number);
        append_path(html, path);
        html += number == 0 ? " (continued)</p>" : "</p>";
        html += content;
        if (number > 0 && left_out_ > 0)
            html += "<p class=\"place\">" + left_out_text(left_out_) + "</p>";
        return html += "</div>\n";
    }

    void append_id(std::string& html, std::size_t number) const {
        if (number == 0 || view_.id.empty()) return;
        html += " id=\"";
        append_html(html, view_.id);
        html += suffix_of(number) + "\"";
    }

    // The word links to the change itself, so that readers can pass on its address.
    void append_op(std::string& html, Op op, std::size_t number) const {
        const bool linked = number > 0 && !view_.id.empty();
        html += linked ? "<a class=\"op " : "<span class=\"op ";
        html += name_of(op);
        if (linked) {
            html += "\" href=\"#";
            append_html(html, view_.id);
            html += suffix_of(number);
        }
        html += "\">";
        html += name_of(op);
        html += linked ? "</a>" : "</span>";
    }

    // The first tag is left out, because it heads the group.
    void append_path(std::string& html, const CellPath& path) const {
        const bool headed = !path.empty() && path.front()->kind == tree::CellKind::tag;
        const std::size_t first = headed ? 1 : 0;
        const auto from = path.size() > most_of_path + first ? path.size() - most_of_path : first;
        html += ' ';
        if (from > first) html.append(ellipsis) += path_arrow;
        for (auto i = from; i < path.size(); ++i) {
            if (i > from) html += path_arrow;
            append_cell(html, *path[i], view_.site, view_.references);
        }
    }

    std::string mass_change(const MassChangeLine& line) const {
        std::string html = "<p class=\"mass\"";
        append_id(html, line.number);
        html += "><b>";
        append_mass_change(html, *line.mass_change, "</b>");
        return html + "</p>\n";
    }

    const ChangesView& view_;
    PartCollector& parts_;
    NodeStyle style_;
    std::string_view group_;
    std::size_t left_out_ = 0;  // of the change that is written
};

}  // namespace

PartOfChanges part_of_changes(const ChangesView& view, const PartSize& size, std::size_t part) {
    PartCollector parts(size, std::max<std::size_t>(part, 1), view.heading);
    const bool more = !PageWriter(view, parts).write();
    return std::move(parts).finish(more);
}

}  // namespace render
