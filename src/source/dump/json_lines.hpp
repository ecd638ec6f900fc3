// source/json_lines.hpp -- objects as JSON, one a line: the door for every other database, and
// the plain form of files in which an object can't be sought (XML, curators' .ace).
//   {"class":"Gene","name":"WBGene00006763","tree":[node,…]}   and "stamp" or "at" and "by"
// Nodes have the shape of tree/json.hpp. A key that is needed twice, or not a string where one
// is needed, makes a line malformed; unknown keys are passed over.
// Source: docs/sources.md, "JSON Lines"; RFC 8259.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <xxhash.h>

#include "base/result.hpp"
#include "source/ace_text.hpp"
#include "source/file.hpp"
#include "tree/object.hpp"

namespace source::dump {

// The object as one line, LF included.
void append_json_line(std::string& out, const tree::Object& object);

// The object of a line, with or without its LF; duplicates merged.
//   error  malformed (what is wrong: no JSON, no class, no name, a cell of no known kind);
//          too_large when nodes nest deeper than tree::deepest_node
[[nodiscard]] Parsed<tree::Object> parse_json_object(std::string_view line);

// The distinct stamps of its nodes.
[[nodiscard]] Parsed<std::vector<std::string>> json_stamps_of(std::string_view line);

// Where one object lies.
struct JsonLine {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;  // without its LF, and a CR before it
    std::uint64_t line = 0;    // counted from 1
    // Legal text, of any length; empty: a line not held, whose first 64 KiB do not name it.
    tree::ObjectName id;
    bool is_whole = true;    // false: longer than `most`, or nested too deep to be read
    XXH128_hash_t digest{};  // XXH3 of its bytes
};

class JsonLinesReader {
   public:
    // `file` and `name` (for errors) outlive the reader. Holds one block, or one line up to
    // `most` bytes and what simdjson needs for it (some 4 times that, 14 times at worst).
    JsonLinesReader(const File& file, std::string_view name, std::size_t most);
    ~JsonLinesReader();
    JsonLinesReader(const JsonLinesReader&) = delete;
    JsonLinesReader& operator=(const JsonLinesReader&) = delete;

    // The next object; blank lines and a byte order mark are passed over; nullopt at the end.
    // The nodes are not looked at: whoever loads the object is told what is wrong with them.
    //   error  malformed (file:line: what); refused when the last line is cut off (no LF behind
    //          it, and no JSON or too long to tell), or the file holds nothing; unavailable
    //   cost   one parse of the line, one digest of it
    [[nodiscard]] base::Result<std::optional<JsonLine>> next();

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace source::dump
