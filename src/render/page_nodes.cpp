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
    NodeWriter(Html& html, const history::People& people, const Site& site)
        : html_(html), people_(people), site_(site) {}

    bool add(const Node& node, std::string_view before) {
        const auto piece = [&](std::string& html) {
            html += before;
            append(html, node);
        };
        return html_.add(piece) && add_below(node, " &gt; ");
    }

    bool add_below(const Node& node, std::string_view before) {
        const auto* parent = &node;
        while (parent->children.size() == 1) {
            parent = &parent->children.front();
            const auto piece = [&](std::string& html) {
                html += before;
                append(html, *parent);
            };
            if (!html_.add(piece)) return false;
            before = " &gt; ";
        }
        return parent->children.empty() || add_list(parent->children);
    }

   private:
    bool add_list(const std::vector<Node>& nodes) {
        if (depth_ == deepest_list || !html_.open("ul", "<ul>")) return false;
        ++depth_;
        bool whole = true;
        for (const auto& node : nodes) {
            whole = html_.open("li", "<li>");
            if (!whole) break;
            whole = add(node, {});
            html_.close();
            if (!whole) break;
        }
        --depth_;
        html_.close();
        return whole;
    }

    // The stamp of a tag with values below tells little (a line loaded again sets it).
    void append(std::string& html, const Node& node) const {
        append_cell(html, node.cell, site_);
        if (node.cell.kind != tree::Kind::tag || node.children.empty())
            append_stamp(html, node.stamp, people_, site_);
    }

    Html& html_;
    const history::People& people_;
    const Site& site_;
    int depth_ = 0;
};

}  // namespace

bool add_node(Html& html, const Node& node, const history::People& people, const Site& site) {
    return NodeWriter(html, people, site).add(node, {});
}

bool add_below(Html& html, const Node& node, const history::People& people, const Site& site) {
    return NodeWriter(html, people, site).add_below(node, {});
}

}  // namespace render
