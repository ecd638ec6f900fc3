// SPDX-License-Identifier: MIT
#include "source/dump/json_lines.hpp"

#include <simdjson.h>

#include "base/utf8.hpp"
#include "source/distinct_stamps.hpp"
#include "source/dump/json_fields.hpp"
#include "tree/json.hpp"

namespace source::dump {
namespace {

Fault fault_of(base::Error error) { return {error.kind, 0, std::move(error.text)}; }

tl::unexpected<Fault> malformed(std::string what) {
    return tl::unexpected<Fault>(Fault{base::Kind::malformed, 0, std::move(what)});
}

Parsed<std::string> stamp_of(const JsonFields& fields) {
    if (!fields.at) return base::legal_text(fields.stamp.value_or(""));
    auto stamp = tree::stamp_from_json(base::legal_text(*fields.at),
                                       base::legal_text(fields.by.value_or("")));
    if (!stamp) return tl::unexpected(fault_of(stamp.error()));
    return std::move(*stamp);
}

void collect_stamps(const std::vector<tree::Node>& nodes, DistinctStamps& stamps) {
    for (const auto& node : nodes) {
        stamps.add(node.stamp);
        collect_stamps(node.children, stamps);
    }
}

}  // namespace

void append_json_line(std::string& out, const tree::Object& object) {
    base::JsonWriter json(out);
    json.begin_object().field("class", object.id.class_name).field("name", object.id.name);
    tree::write_stamp_fields(json, object.stamp);
    tree::write_json(json.key("tree"), object.nodes);
    json.end_object();
    out += '\n';
}

Parsed<tree::Object> parse_json_object(std::string_view line) {
    const auto json = tree::parse_json(line);
    if (!json) return tl::unexpected(fault_of(json.error()));
    JsonFields fields;
    if (const auto* what = read_fields(json->root, fields)) return malformed(what);
    auto stamp = stamp_of(fields);
    if (!stamp) return tl::unexpected(stamp.error());
    auto nodes = tree::nodes_from_json(fields.tree);
    if (!nodes) return tl::unexpected(fault_of(nodes.error()));
    tree::merge_duplicates(*nodes);
    return tree::Object{id_of(fields), std::move(*stamp), std::move(*nodes)};
}

Parsed<std::vector<std::string>> json_stamps_of(std::string_view line) {
    const auto object = parse_json_object(line);
    if (!object) return tl::unexpected(object.error());
    DistinctStamps stamps;
    collect_stamps(object->nodes, stamps);
    const auto views = stamps.take();
    return std::vector<std::string>(views.begin(), views.end());
}

}  // namespace source::dump
