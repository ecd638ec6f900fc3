// SPDX-License-Identifier: MIT
#include "render/change_list.hpp"

#include <algorithm>

#include "render/cells.hpp"
#include "render/links.hpp"
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
    ChangeList(Html& html, const tables::Row& row, const SetAside& aside,
               const query::People& people, const Site& site)
        : html_(html), row_(row), aside_(aside), people_(people), site_(site) {
        append_html(page_, page_of(row, site));
    }

    bool add() {
        for (const auto& group : grouped())
            if (left_ > 0 && !html_.full()) add_group(group);
        if (!aside_.lines.empty() && left_ > 0) add_mass_changes();
        return aside_.listed(row_) <= most_changes && whole_ && !html_.full();
    }

   private:
    struct Group {
        std::string_view tag;
        std::vector<std::size_t> changes;  // indices, at most most_changes
    };

    // The changes by first tag, both in the order of the row. There can't be more groups listed
    // than changes, so a tree of 100,000 first tags costs no more than one of 200.
    std::vector<Group> grouped() const {
        std::vector<Group> groups;
        const auto& changes = row_.notes.changes;
        for (std::size_t i = 0; i < changes.size(); ++i) {
            if (changes[i].before.empty() && changes[i].after.empty()) continue;
            if (aside_.holds(i)) continue;
            const auto tag = group_of(changes[i]);
            auto group = std::find_if(groups.begin(), groups.end(),
                                      [tag](const Group& each) { return each.tag == tag; });
            if (group == groups.end()) {
                if (groups.size() == most_changes) continue;
                group = groups.insert(group, {tag, {}});
            }
            if (group->changes.size() < most_changes) group->changes.push_back(i);
        }
        return groups;
    }

    void add_group(const Group& group) {
        const auto heading = [&group](std::string& html) {
            html += "<p><b>";
            append_shortened(html, group.tag);
            html += "</b></p>";
        };
        if (!group.tag.empty() && !html_.add(heading)) return;
        if (!html_.open("ul", "<ul>")) return;
        for (const auto i : group.changes) {
            if (left_ == 0 || html_.full()) break;
            --left_;
            add_change(row_.notes.changes[i], i + 1);
        }
        html_.close();
    }

    void add_mass_changes() {
        if (!html_.open("ul", "<ul>")) return;
        for (const auto& line : aside_.lines) {
            if (left_ == 0 || html_.full()) break;
            --left_;
            html_.add([&](std::string& html) { append_mass_change(html, line); });
        }
        html_.close();
    }

    void append_mass_change(std::string& html, const SetAside::Line& line) const {
        html += "<li>";
        append_page_link(html, line.number);
        append_shortened(html, line.mass_change->place);
        html += "</a>: changed in this release in ";
        html += with_separators(line.mass_change->objects);
        html += " of the ";
        html += with_separators(line.mass_change->of);
        html += " objects of class ";
        append_shortened(html, row_.object.class_name);
        html += "</li>";
    }

    // "<a href="PAGE#WS187-c3">"
    void append_page_link(std::string& html, std::size_t number) const {
        html += "<a href=\"";
        html += page_;
        html += suffix_of(number);
        html += "\">";
    }

    void add_change(const Change& change, std::size_t number) {
        const auto heading = [&](std::string& html) { append_heading(html, change, number); };
        if (!html_.open("li", heading)) return;
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

    // "<li>added <a href="…">Name &gt; Other_name</a>". The first tag heads the group already;
    // it stands here where nothing else would link to the page.
    void append_heading(std::string& html, const Change& change, std::size_t number) const {
        const auto cell_at = [&change](std::size_t i) -> const tree::Cell& {
            return i < change.path.size() ? change.path[i] : node_of(change).cell;
        };
        const auto size = change.path.size() + (names_itself(change) ? 1 : 0);
        const bool skips_first =
            size > 1 && cell_at(0).kind == Kind::tag && link_of(cell_at(1), site_).empty();
        const std::size_t first = skips_first ? 1 : 0;
        html += "<li>";
        if (size > 0) html.append(name_of(change.op)) += ' ';
        append_page_link(html, number);
        if (size == 0) html += name_of(change.op);
        bool linked = true;  // up to the first cell that is a link of its own
        for (auto i = first; i < size; ++i) {
            if (linked && i > first && !link_of(cell_at(i), site_).empty()) {
                html += "</a>";
                linked = false;
            }
            if (i > first) html += " &gt; ";
            if (linked)
                append_cell_text(html, cell_at(i));
            else
                append_cell(html, cell_at(i), site_);
        }
        if (linked) html += "</a>";
    }

    void add_replaced(const Node& before, const Node& after) {
        const bool texts = is_plain_text(before.cell) && is_plain_text(after.cell);
        if (texts && (is_long(before.cell.text) || is_long(after.cell.text))) {
            html_.add([&](std::string& html) {
                html += ':';
                append_stamp(html, after.stamp, people_, site_);
            });
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
        const auto piece = [&](std::string& html) {
            html += before;
            append_node(html, node, shown);
        };
        if (html_.add(piece)) add_children_of(node, " &gt; ", shown);
    }

    void add_children(const Node& node, std::string_view before) {
        if (node.children.empty())
            html_.add([&](std::string& html) { append_stamp(html, node.stamp, people_, site_); });
        add_children_of(node, before, {});
    }

    void add_children_of(const Node& node, std::string_view before, std::string_view shown) {
        const auto* parent = &node;
        while (parent->children.size() == 1) {
            parent = &parent->children.front();
            const auto piece = [&](std::string& html) {
                html += before;
                append_node(html, *parent, shown);
            };
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
            const auto piece = [&](std::string& html) {
                html += "<li>";
                append_node(html, node, shown_here);
            };
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
        append_stamp(html, node.stamp, people_, site_);
        shown = node.stamp;
    }

    Html& html_;
    const tables::Row& row_;
    const SetAside& aside_;
    const query::People& people_;
    const Site& site_;
    std::string page_;  // of the row, escaped
    std::size_t left_ = most_changes;
    int depth_ = 0;
    bool whole_ = true;  // nothing was left out for its depth
};

}  // namespace

bool add_changes(Html& html, const tables::Row& row, const SetAside& aside,
                 const query::People& people, const Site& site) {
    return ChangeList(html, row, aside, people, site).add();
}

}  // namespace render
