// SPDX-License-Identifier: MIT
#include "source/import/xml_tree.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "base/text.hpp"
#include "source/import/xml_cell.hpp"

namespace source::import {
namespace {

using tree::Kind;
using tree::Node;

constexpr std::size_t size_of_node = 32;

tl::unexpected<base::Error> malformed(std::string what) {
    return base::fail(base::Kind::malformed, std::move(what));
}

tl::unexpected<base::Error> too_deep() {
    return base::fail(base::Kind::too_large,
                      "elements nest deeper than " + std::to_string(tree::deepest_node));
}

tl::unexpected<base::Error> no_xml() {
    return base::fail(base::Kind::refused,
                      "this is AceDB's `show -x`, which is no XML (nothing in it is escaped): "
                      "dump with `dump -T`, or write it with AcePerl's asXML");
}

std::string quoted(std::string_view name) { return '<' + std::string(name.substr(0, 100)) + '>'; }

// `show -x` with its types: those of asXML and of other programs have a class.
bool is_of_show(const XmlElement& element) {
    constexpr std::array<std::string_view, 6> types{"object_ref", "tag",   "txt",
                                                    "int",        "float", "date"};
    return !element.class_name &&
           std::find(types.begin(), types.end(), element.type) != types.end();
}

// `GPS-2` after `GPS`.
bool continues(std::string_view name, std::string_view column) {
    if (column.empty() || name.size() < column.size() + 2 || !name.starts_with(column) ||
        name[column.size()] != '-')
        return false;
    const auto number = name.substr(column.size() + 1);
    return std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// What a dump has of such a class: one text.
void tidy(std::string& text, Form form) {
    if (form == Form::sequence)
        std::erase_if(text, [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); });
    else if (text.ends_with('\n'))
        text.pop_back();
}

void finish(tree::Object& object, Form form) {
    const bool is_text = form != Form::tree && form != Form::key_set;
    if (is_text && object.nodes.size() == 1) {
        auto& cell = object.nodes.front().cell;
        if (cell.kind == Kind::text) tidy(cell.text, form);
        if (form == Form::sequence && cell.text.empty()) object.nodes.clear();
    }
    tree::merge_duplicates(object.nodes);
}

}  // namespace

base::Result<void> XmlTree::begin(const XmlElement& element) {
    if (in_object_) return begin_node(element);
    if (is_of_show(element)) return no_xml();
    if (element.class_name || element.value) return begin_object(element);
    if (open_.size() >= tree::deepest_node) return too_deep();
    open_.push_back({element.name, {}, nullptr, element.line, Role::wrapper, 0});
    return {};
}

base::Result<void> XmlTree::begin_object(const XmlElement& element) {
    const auto class_name = element.class_name.value_or("");
    if (class_name.empty() || class_name.starts_with('#') || element.value.value_or("").empty())
        return malformed(quoted(element.name) +
                         " should be an object: it needs a class and a value");
    form_ = form_of(class_name);
    // AcePerl says `Keyset`.
    const auto spelling = form_ == Form::key_set ? std::string_view("KeySet") : class_name;
    object_ = {};
    object_.object.id = {std::string(spelling), std::string(*element.value)};
    object_.object.stamp = element.stamp;
    object_.line = element.line;
    in_object_ = true;
    root_ = open_.size();
    depth_ = size_ = 0;
    return open(
        {element.name, element.name, &object_.object.nodes, element.line, Role::object, 0},
        element);
}

base::Result<void> XmlTree::begin_node(const XmlElement& element) {
    if (element.class_name.has_value() != element.value.has_value())
        return malformed(
            quoted(element.name) +
            " is neither tag nor value: a value has a class and a value, a tag none");
    if (!element.value) return begin_tag(element);
    auto cell = xml_cell(*element.class_name, *element.value);
    if (cell.kind == Kind::reference && cell.class_name.empty())
        return malformed(quoted(element.name) + " has an empty class");
    return begin_value(element, std::move(cell));
}

base::Result<void> XmlTree::begin_tag(const XmlElement& element) {
    auto* children = open_.back().children;
    if (children != nullptr) {
        auto& tag = add(*children, {Kind::tag, std::string(element.name), {}}, element.stamp);
        add_comment(tag, element);
        children = &tag.children;
    }
    return open({element.name, {}, children, element.line, Role::tag, 1}, element);
}

base::Result<void> XmlTree::begin_value(const XmlElement& element, tree::Cell cell) {
    const auto& parent = open_.back();
    const bool is_member = form_ == Form::key_set && parent.role == Role::object;
    const bool is_column = continues(element.name, parent.column);
    if (is_member && cell.kind == Kind::reference) cell.kind = Kind::member;
    const bool has_tag = !is_column && !is_member;
    auto* children = parent.children;
    if (children != nullptr) {
        auto& siblings = has_tag ? under_tag(*children, element.name) : *children;
        auto& value = add(siblings, std::move(cell), element.stamp);
        add_comment(value, element);
        children = &value.children;
    }
    const auto column = is_column ? parent.column : element.name;
    return open({element.name, column, children, element.line, Role::value, has_tag ? 2U : 1U},
                element);
}

base::Result<void> XmlTree::open(const Open& opened, const XmlElement& element) {
    depth_ += opened.levels;
    if (depth_ + (element.comment.empty() ? 0 : 1) > tree::deepest_node) return too_deep();
    open_.push_back(opened);
    if (element.is_cut || size_ > most_) pass_over();
    return {};
}

// Neighbours of one tag share it; others are merged in the end.
std::vector<Node>& XmlTree::under_tag(std::vector<Node>& siblings, std::string_view name) {
    const bool stands = !siblings.empty() && siblings.back().cell.kind == Kind::tag &&
                        siblings.back().cell.text == name;
    auto& tag = stands ? siblings.back() : add(siblings, {Kind::tag, std::string(name), {}}, {});
    return tag.children;
}

tree::Node& XmlTree::add(std::vector<Node>& siblings, tree::Cell cell, std::string_view stamp) {
    size_ += size_of_node + cell.text.size() + cell.class_name.size() + stamp.size();
    return siblings.emplace_back(Node{std::move(cell), std::string(stamp), {}});
}

void XmlTree::add_comment(Node& node, const XmlElement& element) {
    if (element.comment.empty()) return;
    add(node.children, {Kind::comment, std::string(element.comment), {}}, {});
}

void XmlTree::pass_over() {
    object_.is_whole = false;
    object_.object.nodes = {};
    for (auto at = open_.begin() + static_cast<std::ptrdiff_t>(root_); at != open_.end(); ++at)
        at->children = nullptr;
}

base::Result<void> XmlTree::text() const {
    if (open_.empty()) return malformed("no XML: text stands where an element should");
    if (open_.back().role == Role::wrapper) return no_xml();
    if (open_.back().role == Role::tag)
        return malformed(quoted(open_.back().name) + " holds text: values belong into the " +
                         "attributes class and value, as AcePerl's asXML writes them");
    return {};
}

std::optional<FileObject> XmlTree::end() {
    assert(is_open());
    const auto closed = open_.back();
    open_.pop_back();
    depth_ -= closed.levels;
    if (closed.role != Role::object) return std::nullopt;
    in_object_ = false;
    finish(object_.object, form_);
    return std::exchange(object_, {});
}

const XmlTree::Open* XmlTree::outermost() const {
    if (open_.empty()) return nullptr;
    return &open_[in_object_ ? root_ : 0];
}

std::string_view XmlTree::open_name() const {
    const auto* open = outermost();
    return open == nullptr ? std::string_view{} : open->name;
}

std::uint64_t XmlTree::open_line() const {
    const auto* open = outermost();
    return open == nullptr ? 0 : open->line;
}

}  // namespace source::import
