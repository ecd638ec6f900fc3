// Small trees for tests: written by hand in a few words, or made at random.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <rapidcheck.h>
#include <string>
#include <utility>
#include <vector>

#include "tree/object.hpp"

namespace support {

using tree::Kind;
using tree::Node;
using Nodes = std::vector<Node>;

inline Node node(Kind kind, std::string text, Nodes children = {}, std::string stamp = {}) {
    return Node{{kind, std::move(text), {}}, std::move(stamp), std::move(children)};
}
inline Node tag(std::string text, Nodes children = {}) {
    return node(Kind::tag, std::move(text), std::move(children));
}
inline Node text(std::string value, Nodes children = {}) {
    return node(Kind::text, std::move(value), std::move(children));
}
inline Node reference(std::string class_name, std::string name, Nodes children = {}) {
    return Node{
        {Kind::reference, std::move(name), std::move(class_name)}, {}, std::move(children)};
}
inline Node stamped(Node node, std::string stamp) {
    node.stamp = std::move(stamp);
    return node;
}

// Few different cells, so that random trees meet each other often.
inline Nodes random_nodes(int depth, bool with_duplicates = false) {
    Nodes nodes;
    const auto count = *rc::gen::inRange(0, depth > 0 ? 5 : 1);
    for (int i = 0; i < count; ++i) {
        const auto kind =
            *rc::gen::element(Kind::tag, Kind::text, Kind::integer, Kind::real, Kind::date,
                              Kind::reference, Kind::comment, Kind::member);
        const auto word = *rc::gen::element<std::string>("1", "1.0", "2", "a", "b", "c\nd", "Z");
        Node made{{kind, word, {}}, {}, {}};
        if (kind == Kind::reference || kind == Kind::member)
            made.cell.class_name = *rc::gen::element<std::string>("Gene", "Paper");
        if (*rc::gen::inRange(0, 3) == 0) made.stamp = "2008-02-01_09:15:20_sylvia";
        made.children = random_nodes(depth - 1, with_duplicates);
        nodes.push_back(std::move(made));
    }
    if (!with_duplicates) tree::merge_duplicates(nodes);
    return nodes;
}

// Every node as the list of the cells from the first tag down to it.
using Unfolded = std::vector<std::vector<std::string>>;
inline void unfold(const Nodes& nodes, std::vector<std::string>& path, Unfolded& into) {
    for (const auto& each : nodes) {
        path.push_back(each.cell.kind == Kind::comment ? "-C " + each.cell.text : each.cell.text);
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

}  // namespace support
