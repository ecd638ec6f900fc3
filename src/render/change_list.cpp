// SPDX-License-Identifier: MIT
#include "render/change_list.hpp"

#include <algorithm>
#include <unordered_map>

#include "render/cells.hpp"
#include "render/shown_text.hpp"
#include "render/text.hpp"

namespace render {
namespace {

using compare::Change;
using compare::Op;
using tree::Kind;
using tree::Node;

// Nested lists deeper than this help nobody, and readers' parsers give up on them.
constexpr int deepest_list = 24;

const Node& node_of(const Change& change) {
    return change.after.empty() ? change.before.front() : change.after.front();
}

const tree::Cell& first_cell_of(const Change& change) {
    return change.path.empty() ? node_of(change).cell : change.path.front();
}

// The first tag of a change; empty for what stands in no tag (texts, members of a KeySet).
std::string_view group_of(const Change& change) {
    const auto& first = first_cell_of(change);
    return first.kind == Kind::tag ? std::string_view(first.text) : std::string_view();
}

class ChangeList {
 public:
    ChangeList(Html& html, const history::Row& row, const Site& site)
        : html_(html), row_(row), site_(site) {}

    bool add() {
        auto order = grouped();
        const bool all = order.size() <= most_changes;
        if (!all) order.resize(most_changes);
        for (auto at = order.cbegin(); at != order.cend() && !html_.full();)
            at = add_group(at, order.cend());
        return all && whole_ && !html_.full();
    }

 private:
    using Order = std::vector<std::size_t>;

    // Numbers of the changes, those of one first tag together, else as they are.
    Order grouped() const {
        std::unordered_map<std::string_view, std::size_t> groups;
        std::vector<std::pair<std::size_t, std::size_t>> places;  // group, number
        for (std::size_t i = 0; i < row_.notes.changes.size(); ++i) {
            if (row_.notes.changes[i].before.empty() && row_.notes.changes[i].after.empty())
                continue;
            const auto known =
                groups.try_emplace(group_of(row_.notes.changes[i]), groups.size()).first;
            places.emplace_back(known->second, i);
        }
        std::sort(places.begin(), places.end());
        Order order;
        for (const auto& place : places) order.push_back(place.second);
        return order;
    }

    Order::const_iterator add_group(Order::const_iterator at, Order::const_iterator end) {
        const auto group = group_of(row_.notes.changes[*at]);
        std::string start;
        if (!group.empty()) {
            start = "<p><b>";
            append_shortened(start, group);
            start += "</b></p>";
            if (!html_.add(start)) return end;
        }
        if (!html_.open("ul", "<ul>")) return end;
        for (; at != end && group_of(row_.notes.changes[*at]) == group; ++at)
            add_change(row_.notes.changes[*at], *at + 1);
        html_.close();
        return at;
    }

    void add_change(const Change& change, std::size_t number) {
        if (!html_.open("li", "<li>" + heading_of(change, number))) return;
        if (change.op == Op::replaced && !change.before.empty() && !change.after.empty())
            add_replaced(change.before.front(), change.after.front());
        else if (names_itself(change))
            add_children(node_of(change), ": ");
        else
            add_node(node_of(change), ": ", {});
        html_.close();
    }

    // Added and removed tags end the path that is linked, instead of standing behind it.
    static bool names_itself(const Change& change) {
        return change.op != Op::replaced && node_of(change).cell.kind == Kind::tag;
    }

    // "added <a href="…">Name &gt; Other_name</a>"; below a first tag that is a group's head.
    std::string heading_of(const Change& change, std::size_t number) const {
        std::vector<const tree::Cell*> cells;
        for (const auto& cell : change.path) cells.push_back(&cell);
        if (names_itself(change)) cells.push_back(&node_of(change).cell);
        if (cells.size() > 1 && cells.front()->kind == Kind::tag) cells.erase(cells.begin());
        std::string html;
        if (!cells.empty()) html += std::string(name_of(change.op)) + " ";
        html += "<a href=\"";
        append_html(html, page_of(row_, number, site_));
        html += "\">";
        if (cells.empty()) html += name_of(change.op);
        bool linked = true;  // up to the first cell that is a link of its own
        for (const auto* cell : cells) {
            const bool first = cell == cells.front();
            if (linked && !first && !link_of(*cell, site_).empty()) {
                html += "</a>";
                linked = false;
            }
            if (!first) html += " &gt; ";
            if (linked)
                append_cell_text(html, *cell);
            else
                append_cell(html, *cell, site_);
        }
        if (linked) html += "</a>";
        return html;
    }

    void add_replaced(const Node& before, const Node& after) {
        const bool texts = is_plain_text(before.cell) && is_plain_text(after.cell);
        if (texts && (is_long(before.cell.text) || is_long(after.cell.text))) {
            std::string stamp = ":";
            append_stamp(stamp, after.stamp);
            html_.add(stamp);
            add_difference(html_, before.cell.text, after.cell.text);
            // Both rest on a text that has changed; the new one's is what is true now.
            if (!after.children.empty()) add_children(after, " with ");
            return;
        }
        add_marked("del", ": <del>", before);
        add_marked("ins", " <ins>", after);
    }

    void add_marked(std::string_view element, std::string_view start, const Node& node) {
        if (!html_.add(start.substr(0, start.find('<'))) ||
            !html_.open(element, start.substr(start.find('<'))))
            return;
        add_node(node, "", {});
        html_.close();
    }

    // A node and what is below it: only children in a row behind it, several as a list.
    //   shown  the stamp that was written last above it: the same one is not written again
    void add_node(const Node& node, std::string_view before, std::string_view shown) {
        std::string piece(before);
        append_node(piece, node, shown);
        if (!html_.add(piece)) return;
        add_children_of(node, " &gt; ", shown);
    }

    void add_children(const Node& node, std::string_view before) {
        std::string_view shown;
        if (node.children.empty()) {
            std::string stamp;
            append_stamp(stamp, node.stamp);
            html_.add(stamp);
        }
        add_children_of(node, before, shown);
    }

    void add_children_of(const Node& node, std::string_view before, std::string_view shown) {
        const auto* parent = &node;
        while (parent->children.size() == 1) {
            parent = &parent->children.front();
            std::string piece(before);
            append_node(piece, *parent, shown);
            if (!html_.add(piece)) return;
            before = " &gt; ";
        }
        if (!parent->children.empty()) add_list(parent->children, shown);
    }

    void add_list(const std::vector<Node>& nodes, std::string_view shown) {
        if (depth_ == deepest_list) {
            whole_ = false;
            html_.add(" \xE2\x80\xA6");
            return;
        }
        if (!html_.open("ul", "<ul>")) return;
        ++depth_;
        for (const auto& node : nodes) {
            auto shown_here = shown;
            std::string piece = "<li>";
            append_node(piece, node, shown_here);
            if (!html_.open("li", piece)) break;
            add_children_of(node, " &gt; ", shown_here);
            html_.close();
        }
        --depth_;
        html_.close();
    }

    void append_node(std::string& html, const Node& node, std::string_view& shown) const {
        append_cell(html, node.cell, site_);
        // The stamp of a tag with values below tells little (a line loaded again sets it).
        const bool tells = node.cell.kind != Kind::tag || node.children.empty();
        if (!tells || node.stamp == shown) return;
        append_stamp(html, node.stamp);
        shown = node.stamp;
    }

    Html& html_;
    const history::Row& row_;
    const Site& site_;
    int depth_ = 0;
    bool whole_ = true;  // nothing was left out for its depth
};

}  // namespace

bool add_changes(Html& html, const history::Row& row, const Site& site) {
    return ChangeList(html, row, site).add();
}

}  // namespace render
