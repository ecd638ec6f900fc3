// SPDX-License-Identifier: MIT
#include "render/page_changes.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "render/cells.hpp"
#include "render/html.hpp"
#include "render/links.hpp"
#include "render/page_nodes.hpp"
#include "render/page_parts.hpp"
#include "render/page_sides.hpp"
#include "render/shown_text.hpp"
#include "render/text.hpp"

namespace render {
namespace {

using compare::Change;
using compare::Op;
using tree::Node;
using Path = std::vector<const tree::Cell*>;

constexpr std::size_t most_of_piece = 8'000;  // bytes
constexpr std::size_t most_of_path = 8;       // cells of a path that are shown, its last ones
constexpr std::string_view arrow = " &gt; ";
constexpr std::string_view ellipsis = "\xE2\x80\xA6";

const Node* node_of(const Change& change) {
    if (!change.after.empty()) return &change.after.front();
    return change.before.empty() ? nullptr : &change.before.front();
}

// The first tag of a change; empty for what stands in no tag (texts, members of a KeySet).
std::string_view group_of(const Change& change) {
    const auto& first = change.path.empty() ? node_of(change)->cell : change.path.front();
    return first.kind == tree::Kind::tag ? std::string_view(first.text) : std::string_view();
}

// Indices by first tag, groups in the order of their first change.
std::vector<std::vector<std::size_t>> grouped(const ShownChanges& shown) {
    std::vector<std::vector<std::size_t>> groups;
    std::unordered_map<std::string_view, std::size_t> known;
    for (std::size_t i = 0; i < shown.changes.size(); ++i) {
        if (!node_of(shown.changes[i]) || shown.aside.holds(i)) continue;
        const auto [group, is_new] = known.try_emplace(group_of(shown.changes[i]), groups.size());
        if (is_new) groups.emplace_back();
        groups[group->second].push_back(i);
    }
    return groups;
}

// Gathers pieces until the wanted part is full; a part that begins inside of a group repeats
// its heading.
class Parts {
   public:
    Parts(std::size_t room, std::size_t wanted, int heading)
        : room_(room), wanted_(wanted), level_(std::to_string(heading)) {}

    // False: the wanted part is full, and something follows.
    bool take(std::string_view group, const std::string& piece) {
        const auto start = group == group_ && open_ ? std::string() : start_of(group);
        if (!html_.empty() && html_.size() + start.size() + piece.size() + end_.size() > room_) {
            if (part_ == wanted_) return false;
            html_.clear();
            open_ = false;
            ++part_;
            return take(group, piece);
        }
        if (!start.empty()) {
            close();
            html_ += start;
            open_ = true;
            group_ = group;
        }
        html_ += piece;
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
    std::size_t room_, wanted_, part_ = 1;
    std::string level_, html_, group_;
    bool open_ = false;
};

// The pieces of the changes, one after the other, until there is no more room for them.
class Walk {
   public:
    Walk(const ShownChanges& shown, Parts& parts) : shown_(shown), parts_(parts) {}

    // False: some are left.
    bool take_all() {
        for (const auto& group : grouped(shown_)) {
            group_ = group_of(shown_.changes[group.front()]);
            for (const auto i : group)
                if (!take(shown_.changes[i], i + 1)) return false;
        }
        group_ = {};
        for (const auto& line : shown_.aside.lines)
            if (!parts_.take(group_, mass_change(line))) return false;
        return true;
    }

   private:
    bool take(const Change& change, std::size_t number) {
        Path path;
        for (const auto& cell : change.path) path.push_back(&cell);
        if (change.op != Op::replaced || change.before.empty() || change.after.empty())
            return take(change.op, path, *node_of(change), number);
        const auto& before = change.before.front();
        const auto& after = change.after.front();
        if (const auto sides = sides_of(before, after))
            return parts_.take(group_, piece(Op::replaced, path, number, *sides));
        return take(Op::removed, path, before, number) && take(Op::added, path, after, 0);
    }

    // number  of the change, for the first piece of it; 0: not the first
    bool take(Op op, Path path, const Node& node, std::size_t number) {
        // A tag ends the path that stands above, instead of standing below it.
        const bool in_path = node.cell.kind == tree::Kind::tag;
        if (in_path) path.push_back(&node.cell);
        if (const auto content = content_of(node, in_path))
            return parts_.take(group_, piece(op, path, number, sided(op, *content)));
        if (!in_path || number > 0) {
            Node alone{node.cell, node.stamp, {}};
            const auto content = content_of(alone, in_path);
            if (!parts_.take(group_, piece(op, path, number, sided(op, content.value_or("")))))
                return false;
        }
        if (!in_path) path.push_back(&node.cell);
        return take_children(op, path, node.children);
    }

    // As many at a time as a piece holds; those that are too large for one, by their children.
    bool take_children(Op op, const Path& path, const std::vector<Node>& nodes) {
        std::string list;
        const auto flush = [&] {
            if (list.empty()) return true;
            const auto content = sided(op, "<ul>" + list + "</ul>");
            list.clear();
            return parts_.take(group_, piece(op, path, 0, content));
        };
        for (const auto& node : nodes) {
            const auto content = content_of(node, false);
            const bool fits = content && list.size() + content->size() < most_of_piece / 2;
            if (!fits && !flush()) return false;
            if (content)
                list += "<li>" + *content + "</li>";
            else if (!take(op, path, node, 0))
                return false;
        }
        return flush();
    }

    // nullopt: more than a piece holds.
    std::optional<std::string> content_of(const Node& node, bool below_only) const {
        Html html(most_of_piece / 2);
        const auto add = below_only ? add_below : add_node;
        if (!add(html, node, shown_.people, shown_.site)) return std::nullopt;
        if (below_only && node.children.empty())
            html.add([&](std::string& text) {
                append_small_stamp(text, node.stamp, shown_.people, shown_.site);
            });
        return std::move(html).take();
    }

    static std::string sided(Op op, std::string_view content) {
        if (content.empty()) return {};
        const bool added = op == Op::added;
        std::string html = added ? "<div class=\"after\"><ins>" : "<div class=\"before\"><del>";
        html += content;
        return html += added ? "</ins></div>" : "</del></div>";
    }

    // marks  whether words in the sides are marked, and not all of both
    enum class Marks { whole, words };
    static void append_sides(std::string& html, std::string_view before, std::string_view after,
                             Marks marks) {
        html += marks == Marks::words ? "<div class=\"sides words\"><div class=\"before\">"
                                      : "<div class=\"sides\"><div class=\"before\">";
        html += before;
        html += "</div><div class=\"after\">";
        html += after;
        html += "</div></div>";
    }

    // nullopt: more than a piece holds.
    std::optional<std::string> sides_of(const Node& before, const Node& after) const {
        if (is_plain_text(before.cell) && is_plain_text(after.cell))
            return text_sides(before, after);
        const auto old_side = content_of(before, false), new_side = content_of(after, false);
        if (!old_side || !new_side) return std::nullopt;
        std::string html;
        append_sides(html, "<del>" + *old_side + "</del>", "<ins>" + *new_side + "</ins>",
                     Marks::whole);
        return html;
    }

    std::optional<std::string> text_sides(const Node& before, const Node& after) const {
        // Both rest on a text that has changed; what hangs on the new one is what is true now.
        const auto below = content_of(after, true);
        if (!below) return std::nullopt;
        const auto texts = side_by_side(before.cell.text, after.cell.text);
        std::string html;
        for (const auto& place : texts.places) {
            const bool same = place.before == place.after;
            if (!place.place.empty() && html.size() < most_of_piece)
                html += "<p class=\"place\">" + place.place +
                        (same ? ": only white space differs" : "") + "</p>";
            if (html.size() + place.before.size() + place.after.size() > 2 * most_of_piece) {
                html += "<p class=\"place\">more differs further on</p>";
                break;
            }
            append_sides(html, place.before, place.after, Marks::words);
        }
        if (texts.cut) html += "<p class=\"place\">more differs further on</p>";
        std::string stamp;
        append_small_stamp(stamp, after.stamp, shown_.people, shown_.site);
        if (!after.children.empty()) stamp += *below;
        return stamp.empty() ? html : html + "<div class=\"by\">" + stamp + "</div>";
    }

    std::string piece(Op op, const Path& path, std::size_t number,
                      std::string_view content) const {
        std::string html = "<div class=\"change\"";
        append_id(html, number);
        html += "><p>";
        append_op(html, op, number);
        append_path(html, path);
        html += number == 0 ? " (continued)</p>" : "</p>";
        html += content;
        return html += "</div>\n";
    }

    void append_id(std::string& html, std::size_t number) const {
        if (number == 0 || shown_.id.empty()) return;
        html += " id=\"";
        append_html(html, shown_.id);
        html += suffix_of(number) + "\"";
    }

    // The word is the link to the change itself, for who wants to pass it on.
    void append_op(std::string& html, Op op, std::size_t number) const {
        const bool linked = number > 0 && !shown_.id.empty();
        html += linked ? "<a class=\"op " : "<span class=\"op ";
        html += name_of(op);
        if (linked) {
            html += "\" href=\"#";
            append_html(html, shown_.id);
            html += suffix_of(number);
        }
        html += "\">";
        html += name_of(op);
        html += linked ? "</a>" : "</span>";
    }

    // Without the first tag, which heads the group.
    void append_path(std::string& html, const Path& path) const {
        const bool headed = !path.empty() && path.front()->kind == tree::Kind::tag;
        const std::size_t first = headed ? 1 : 0;
        const auto from = path.size() > most_of_path + first ? path.size() - most_of_path : first;
        html += ' ';
        if (from > first) html.append(ellipsis) += arrow;
        for (auto i = from; i < path.size(); ++i) {
            if (i > from) html += arrow;
            append_cell(html, *path[i], shown_.site);
        }
    }

    std::string mass_change(const SetAside::Line& line) const {
        std::string html = "<p class=\"mass\"";
        append_id(html, line.number);
        html += "><b>";
        append_shortened(html, line.mass_change->place);
        html += "</b>: changed in this release in " + with_separators(line.mass_change->objects) +
                " of the " + with_separators(line.mass_change->of) + " objects of class ";
        append_shortened(html, shown_.class_name);
        return html + "</p>\n";
    }

    const ShownChanges& shown_;
    Parts& parts_;
    std::string_view group_;
};

}  // namespace

PartOfChanges part_of_changes(const ShownChanges& shown, std::size_t room, std::size_t part) {
    Parts parts(room, std::max<std::size_t>(part, 1), shown.heading);
    const bool more = !Walk(shown, parts).take_all();
    return std::move(parts).finish(more);
}

}  // namespace render
