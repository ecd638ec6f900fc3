// Small trees for tests: short constructors, and random trees.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <rapidcheck.h>
#include <string>
#include <utility>
#include <vector>

#include "tree/object.hpp"

namespace support {

using tree::CellKind;
using tree::Node;
using Nodes = std::vector<Node>;

inline Node node(CellKind kind, std::string text, Nodes children = {}, std::string stamp = {}) {
    return Node{{kind, std::move(text), {}}, std::move(stamp), std::move(children)};
}
inline Node tag(std::string text, Nodes children = {}) {
    return node(CellKind::tag, std::move(text), std::move(children));
}
inline Node text(std::string value, Nodes children = {}) {
    return node(CellKind::text, std::move(value), std::move(children));
}
inline Nodes remark(std::string words) { return {tag("Remark", {text(std::move(words))})}; }
inline Node reference(std::string class_name, std::string name, Nodes children = {}) {
    return Node{
        {CellKind::reference, std::move(name), std::move(class_name)}, {}, std::move(children)};
}
inline Node stamped(Node node, std::string stamp) {
    node.stamp = std::move(stamp);
    return node;
}

// Makes few different cells, so that random trees have many in common.
inline Nodes random_nodes(int depth, bool with_duplicates = false) {
    Nodes nodes;
    const auto count = *rc::gen::inRange(0, depth > 0 ? 5 : 1);
    for (int i = 0; i < count; ++i) {
        const auto kind = *rc::gen::element(CellKind::tag, CellKind::text, CellKind::integer,
                                            CellKind::real, CellKind::date, CellKind::reference,
                                            CellKind::comment, CellKind::member);
        const auto word = *rc::gen::element<std::string>("1", "1.0", "2", "a", "b", "c\nd", "Z");
        Node made{{kind, word, {}}, {}, {}};
        if (kind == CellKind::reference || kind == CellKind::member)
            made.cell.class_name = *rc::gen::element<std::string>("Gene", "Paper");
        if (*rc::gen::inRange(0, 3) == 0) made.stamp = "2008-02-01_09:15:20_sylvia";
        made.children = random_nodes(depth - 1, with_duplicates);
        nodes.push_back(std::move(made));
    }
    if (!with_duplicates) tree::merge_duplicates(nodes);
    return nodes;
}

// Returns every node as the list of cells from the first tag down to it.
using Unfolded = std::vector<std::vector<std::string>>;
inline void unfold(const Nodes& nodes, std::vector<std::string>& path, Unfolded& into) {
    for (const auto& each : nodes) {
        path.push_back(each.cell.kind == CellKind::comment ? "-C " + each.cell.text
                                                           : each.cell.text);
        into.push_back(path);
        unfold(each.children, path, into);
        path.pop_back();
    }
}
inline Unfolded unfolded(const Nodes& nodes, std::vector<std::string> path = {}) {
    Unfolded into;
    unfold(nodes, path, into);
    std::sort(into.begin(), into.end());
    return into;
}

// Returns every node, each before those below it, as the contents of the cells down to it.
using ContentPath = std::vector<std::string>;
inline void add_content_paths(const Nodes& nodes, ContentPath& path,
                              std::vector<ContentPath>& into) {
    for (const auto& each : nodes) {
        path.push_back(tree::content_key(each.cell));
        into.push_back(path);
        add_content_paths(each.children, path, into);
        path.pop_back();
    }
}
inline std::vector<ContentPath> content_paths(const Nodes& nodes) {
    ContentPath path;
    std::vector<ContentPath> into;
    add_content_paths(nodes, path, into);
    return into;
}

}  // namespace support
