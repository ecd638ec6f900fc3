// tree/json.hpp -- nodes as JSON and back, in the shape that docs/schema.md gives:
//   cell = {"tag":…} | {"class":…,"name":…} | {"text":…} | {"int":2} | {"float":"7.923100"}
//        | {"date":…} | {"comment":…}
//   node = cell + {"at":…,"by":…} when stamped, or {"stamp":…} when the stamp is opaque,
//          + {"children":[node,…]} when there are any
// Pure. Output is deterministic: the same nodes give the same bytes.
// A member of a KeySet is written as a reference and "member":true. An integer that JSON
// numbers can't hold as written is a "float".
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <simdjson.h>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "tree/object.hpp"

namespace tree {

// Each writes one JSON value. Text that is not legal (base/utf8) is written as such text.
void write_json(base::JsonWriter& json, const Cell& cell);
void write_json(base::JsonWriter& json, const Node& node);
void write_json(base::JsonWriter& json, const std::vector<Node>& nodes);
// Writes the members that say when and by whom: none for an empty stamp.
void write_stamp_fields(base::JsonWriter& json, std::string_view stamp);

// For rooms that still append to a string.
using base::append_json_string;
template <class T>
void append_json(std::string& out, const T& value) {
    base::JsonWriter json(out);
    write_json(json, value);
}

// The stamp that "at" and "by" tell.
//   error  malformed: no time, or nobody
[[nodiscard]] base::Result<std::string> stamp_from_json(std::string at, std::string_view by);

// Levels of JSON that nodes may need: each takes two, and what holds nodes a few more.
inline constexpr std::size_t json_levels = 2 * deepest_node + 64;

// JSON text, parsed; `root` lives as long as `parser`.
struct JsonText {
    std::unique_ptr<simdjson::dom::parser> parser;
    simdjson::dom::element root;
};
//   error  malformed (no JSON, no UTF-8, nested beyond what deepest_node nodes need); too_large
//   cost   1 GB/s and more; a feed's rows are read at each request that no page cache answers
[[nodiscard]] base::Result<JsonText> parse_json(std::string_view text);

// The nodes written so. Text is made legal at this door too (base/utf8); unknown keys are
// passed over.
//   error  malformed, with what was wrong; too_large above deepest_node levels
[[nodiscard]] base::Result<Cell> cell_from_json(const simdjson::dom::element& json);
[[nodiscard]] base::Result<std::vector<Node>> nodes_from_json(const simdjson::dom::element& json);
[[nodiscard]] base::Result<std::vector<Node>> parse_nodes(std::string_view text);

}  // namespace tree
