// SPDX-License-Identifier: MIT
#include "feed/feed.hpp"

#include <algorithm>
#include <utility>

namespace feed {
namespace {

using tree::CellKind;
using tree::Node;

// "2026-11-24_09:15:20"
std::string date_text(base::Seconds time) {
    auto text = base::format_rfc3339(time);
    text.pop_back();
    std::ranges::replace(text, 'T', '_');
    return text;
}

Node value_node(CellKind kind, std::string text) { return {{kind, std::move(text), {}}, {}, {}}; }

void add_field(std::vector<Node>& nodes, const char* tag, std::vector<Node> values) {
    if (values.empty()) return;
    auto node = value_node(CellKind::tag, tag);
    node.children = std::move(values);
    nodes.push_back(std::move(node));
}

void add_text(std::vector<Node>& nodes, const char* tag, std::string text) {
    if (!text.empty()) add_field(nodes, tag, {value_node(CellKind::text, std::move(text))});
}

void add_time(std::vector<Node>& nodes, const char* tag,
              const std::optional<base::Seconds>& time) {
    if (time) add_field(nodes, tag, {value_node(CellKind::date, date_text(*time))});
}

std::string text_of(const Author& author) {
    if (!author.name.empty()) return author.name;
    return author.mail.empty() ? author.url : author.mail;
}

}  // namespace

std::vector<Node> tree_of(const Entry& entry, std::string content) {
    std::vector<Node> nodes, authors, categories;
    for (const auto& author : entry.authors)
        authors.push_back(value_node(CellKind::text, text_of(author)));
    for (const auto& category : entry.categories)
        categories.push_back(value_node(CellKind::text, category));
    add_text(nodes, "Title", entry.title);
    add_text(nodes, "Link", entry.link);
    add_field(nodes, "Author", std::move(authors));
    add_time(nodes, "Published", entry.published);
    add_time(nodes, "Updated", entry.updated);
    add_field(nodes, "Category", std::move(categories));
    add_text(nodes, "Content", std::move(content));
    for (auto& node : nodes) tree::merge_duplicates(node.children);
    return nodes;
}

}  // namespace feed
