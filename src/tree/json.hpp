// tree/json.hpp -- nodes as JSON and back, in the shape that docs/schema.md gives:
//   cell = {"tag":…} | {"class":…,"name":…} | {"text":…} | {"int":2} | {"float":"7.923100"}
//        | {"date":…} | {"comment":…}
//   node = cell + {"at":…,"by":…} when stamped, or {"stamp":…} when the stamp is opaque,
//          + {"children":[node,…]} when there are any
// Pure. Output is deterministic: the same nodes give the same bytes.
// A member of a KeySet is written as a reference with "member":true. An integer that JSON
// numbers cannot represent as written is a "float".
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
// Writes the members of a cell: the caller begins and ends the object.
void write_cell_fields(base::JsonWriter& json, const Cell& cell);
// Writes the members that say when and by whom: none for an empty stamp.
void write_stamp_fields(base::JsonWriter& json, std::string_view stamp);

// For rooms that still append to a string.
using base::append_json_string;
template <class T>
void append_json(std::string& out, const T& value) {
    base::JsonWriter json(out);
    write_json(json, value);
}

// Returns the timestamp that "at" and "by" describe.
//   error  malformed: not a time, or no curator
[[nodiscard]] base::Result<std::string> stamp_from_json(std::string_view at, std::string_view by);

// Levels of JSON that nodes can need: two for each, and a few for what contains them.
inline constexpr std::size_t json_levels = 2 * deepest_node + 64;

struct JsonParser;
// Parsed JSON; `root` is valid as long as `parser` exists. Stays in the thread that parsed it.
struct JsonText {
    struct GiveBack {
        void operator()(JsonParser* parser) const;
    };
    using Parser = std::unique_ptr<JsonParser, GiveBack>;
    Parser parser;
    simdjson::dom::element root;
};
// Parses JSON. Each half of a surrogate pair that stands alone is U+FFFD: programs that cut a text in the middle of an
// emoji write such halves, which RFC 8259 allows.
//   error  malformed (not JSON, not UTF-8), too_large (also: nested deeper than deepest_node needs)
//   cost   1 GB/s and more
[[nodiscard]] base::Result<JsonText> parse_json(std::string_view text);

// Returns JSON with \ufffd for each escaped half of a surrogate pair that stands alone.
[[nodiscard]] std::string without_lone_surrogates(std::string_view json);

// Read what write_json wrote. They make text legal (base/utf8) and refuse unknown members, so that a new
// one needs a new version of the schema.
//   error  malformed, with what was wrong; too_large above deepest_node levels
[[nodiscard]] base::Result<Cell> cell_from_json(const simdjson::dom::element& json);
[[nodiscard]] base::Result<std::vector<Node>> nodes_from_json(const simdjson::dom::element& json);
[[nodiscard]] base::Result<std::vector<Node>> parse_nodes(std::string_view text);

}  // namespace tree
