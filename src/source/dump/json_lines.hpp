// source/dump/json_lines.hpp -- objects as JSON, one a line: the notation for all other
// databases, and the plain file of XML builds, in which an object can't be sought.
//   {"class":"Gene","name":"WBGene00006763","tree":[node,…]}   and "stamp", or "at" and "by"
// Nodes have the shape of tree/json.hpp. A line is malformed when a key that is needed is
// missing, repeated, or of another type, or when a key is unknown.
// Source: docs/sources.md, "JSON Lines"; RFC 8259.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <xxhash.h>

#include "base/result.hpp"
#include "source/file.hpp"
#include "source/position.hpp"
#include "tree/object.hpp"

namespace source::dump {

// Appends the object as one line, LF included.
void append_json_line(std::string& out, const tree::Object& object);

// Returns the object of a line, with or without its LF; duplicates merged.
//   error  malformed (no JSON: with its place; no class, no name, a cell of an unknown kind);
//          too_large when nodes nest deeper than tree::deepest_node
[[nodiscard]] tl::expected<tree::Object, ParseError> parse_json_object(std::string_view line);

// Returns class and name from the first bytes of a line, if each of them is there once, and what precedes
// them is JSON.
[[nodiscard]] std::optional<tree::ObjectName> find_name(std::string_view head);

// Where one object is.
struct JsonLine {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;  // without its LF, and a CR before it
    std::uint64_t line = 0;    // counted from 1
    // Legal text, of any length; empty: a line whose name cannot be known.
    tree::ObjectName id;
    XXH128_hash_t digest{};  // XXH3 of its bytes
    // Why it cannot be read; nullopt: as far as was looked, it can. Not looked at are the nodes, and
    // the lines that are longer than `most` or nested too deeply.
    std::optional<ParseError> fault;
    bool is_one = true;  // false: it is no JSON, so other objects may be in it
};

class JsonLinesReader {
   public:
    // `file` and `name` (for errors) outlive the reader. It holds one block, or one line up to
    // `most` bytes and what simdjson needs for it (about 4 times that, at worst 14 times).
    JsonLinesReader(const File& file, std::string_view name, std::size_t most);
    ~JsonLinesReader();
    JsonLinesReader(const JsonLinesReader&) = delete;
    JsonLinesReader& operator=(const JsonLinesReader&) = delete;

    // Returns the next line; nullopt at the end. Skips blank lines and a byte order mark. Does
    // not look at the nodes: parse_json_object() finds what is wrong with them.
    //   error  refused when the last line is cut off (no LF after it, and no JSON, or too long to
    //          check), or the file holds no line, with its place; unavailable
    //   cost   one parse of the line, one digest of it
    [[nodiscard]] base::Result<std::optional<JsonLine>> next();

   private:
    struct State;
    std::unique_ptr<State> state_;
};

// Writes objects into a file that gets its name when it is whole. One thread at a time.
class JsonLinesWriter {
   public:
    //   error  unavailable
    [[nodiscard]] static base::Result<JsonLinesWriter> create(const std::string& path);

    //   error  unavailable (a full disk)
    [[nodiscard]] base::Result<void> add(const tree::Object& object);
    // Adds an object without its tree, which no reader takes for a whole one.
    [[nodiscard]] base::Result<void> add(const tree::ObjectName& name);

    //   returns  the size of the file
    //   error    unavailable
    [[nodiscard]] base::Result<std::uint64_t> put_in_place();

   private:
    explicit JsonLinesWriter(NewFile file) : file_(std::move(file)) {}
    [[nodiscard]] base::Result<void> flush(std::size_t least);

    NewFile file_;
    std::string pending_;        // lines that are not yet written
    std::uint64_t written_ = 0;  // bytes
};

}  // namespace source::dump
