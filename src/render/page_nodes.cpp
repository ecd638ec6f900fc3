// SPDX-License-Identifier: MIT
#include "render/page_nodes.hpp"

#include "render/cells.hpp"

namespace render {
namespace {

using tree::Node;

// Deeper lists have no room on a phone; the caller then begins anew from there.
constexpr int deepest_list = 8;

class NodeWriter {
   public:
    NodeWriter(Html& html, const query::People& people, const Site& site)
        : html_(html), people_(people), site_(site) {}

    // shown  the stamp that was written last above: the same one is not written again
    bool add(const Node& node, std::string_view before, std::string_view shown) {
        const auto piece = [&](std::string& html) {
            html += before;
            append(html, node, shown);
        };
        return html_.add(piece) && add_below(node, " &gt; ", shown);
    }

    bool add_below(const Node& node, std::string_view before, std::string_view shown) {
        const auto* parent = &node;
        while (parent->children.size() == 1) {
            parent = &parent->children.front();
            const auto piece = [&](std::string& html) {
                html += before;
                append(html, *parent, shown);
            };
            if (!html_.add(piece)) return false;
            before = " &gt; ";
        }
        return parent->children.empty() || add_list(parent->children, shown);
    }

   private:
    bool add_list(const std::vector<Node>& nodes, std::string_view shown) {
        if (depth_ == deepest_list || !html_.open("ul", "<ul>")) return false;
        ++depth_;
        bool whole = true;
        for (const auto& node : nodes) {
            whole = html_.open("li", "<li>");
            if (!whole) break;
            whole = add(node, {}, shown);
            html_.close();
            if (!whole) break;
        }
        --depth_;
        html_.close();
        return whole;
    }

    // The stamp of a tag with values below tells little (a line loaded again sets it).
    void append(std::string& html, const Node& node, std::string_view& shown) const {
        append_cell(html, node.cell, site_);
        const bool tells = node.cell.kind != tree::Kind::tag || node.children.empty();
        if (!tells || node.stamp == shown) return;
        append_small_stamp(html, node.stamp, people_, site_);
        shown = node.stamp;
    }

    Html& html_;
    const query::People& people_;
    const Site& site_;
    int depth_ = 0;
};

}  // namespace

void append_small_stamp(std::string& html, std::string_view stamp, const query::People& people,
                        const Site& site) {
    constexpr std::string_view start = "<small>";
    const auto from = html.size();
    html += start;
    append_stamp(html, stamp, people, site);
    if (html.size() == from + start.size())
        html.resize(from);
    else
        html += "</small>";
}

bool add_node(Html& html, const Node& node, const query::People& people, const Site& site) {
    return NodeWriter(html, people, site).add(node, {}, {});
}

bool add_below(Html& html, const Node& node, const query::People& people, const Site& site) {
    return NodeWriter(html, people, site).add_below(node, {}, {});
}

}  // namespace render
