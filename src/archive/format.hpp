// archive/format.hpp -- the parts of an archive: its tables, and its lines, written and read from
// any bytes. For this room and its tests.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <simdjson.h>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "archive/archive.hpp"
#include "base/result.hpp"
#include "store/dialect.hpp"

namespace archive {

// Longer lines are neither written nor read. A row is one line; its blobs take 4/3 of their size.
inline constexpr std::size_t longest_line = std::size_t{256} << 20;

// A test compares these with the schema.
struct Table {
    std::string_view name;
    std::vector<std::string_view> keys;          // columns of the primary key, in its order
    std::vector<std::string_view> long_columns;  // columns that can hold megabytes
};

// Every table of the schema, a table before those that refer to it; `builds` and `meta` last,
// so that no release counts as recorded before all of its rows are imported.
[[nodiscard]] std::span<const Table> tables();

// A table with its columns as a store has them.
struct TableShape {
    const Table* table;
    std::vector<store::Column> columns;  // in the order of the schema

    [[nodiscard]] std::optional<std::size_t> index_of(std::string_view column) const;
};

// Returns the shapes of tables(), in their order.
[[nodiscard]] std::vector<TableShape> shapes_of(store::Connection& connection);

struct HeaderLine {
    std::int64_t schema = 0;
};
struct RowLine {
    std::size_t table = 0;             // index of its shape
    std::vector<store::Value> values;  // one for each column, in the order of the shape
};
struct EndLine {
    std::vector<std::uint64_t> rows;  // of each table
};
using Line = std::variant<HeaderLine, RowLine, EndLine>;

// Each appends one line with its line end.
void append_header(std::string& out, int schema);
void append_end(std::string& out, const RowCounts& counts);
//   error  malformed: text that is not UTF-8, with the name of the column
[[nodiscard]] base::Result<void> append_row(std::string& out, const TableShape& shape,
                                            const store::Row& row);

// Parses lines of an archive. Pure; a parser belongs to one thread at a time.
class LineParser {
   public:
    // Requires that the shapes outlive the parser.
    explicit LineParser(std::span<const TableShape> shapes) : shapes_(shapes) {}

    // So many bytes behind the line must be readable, whatever they are.
    static constexpr std::size_t padding = 64;

    //   line     without its line end, at most longest_line bytes
    //   returns  values of the types of their columns, every column once
    //   error    malformed, without the number of the line
    //   cost     ten bytes of memory for each byte of the longest line so far
    [[nodiscard]] base::Result<Line> parse(std::string_view line);

   private:
    std::span<const TableShape> shapes_;
    simdjson::dom::parser parser_;
};

// Splits a stream of bytes into lines.
class LineReader {
   public:
    //   longest  of a line, in bytes
    //   padding  readable bytes behind each line, whatever they are
    LineReader(ReadBytes read, std::size_t longest, std::size_t padding);

    // Returns the next line without its LF, which the last line may lack; nullopt at the end.
    // The line is valid until the next call.
    //   error  too_large, with the number of the line; and whatever `read` returns
    //   cost   memory: 1 MB, or twice the longest line
    [[nodiscard]] base::Result<std::optional<std::string_view>> next();

    // Returns the number of the line that next() returned last, from 1; 0 before the first.
    [[nodiscard]] std::uint64_t number() const { return number_; }

   private:
    [[nodiscard]] base::Result<void> read_more();
    void make_room();

    ReadBytes read_;
    std::size_t longest_, padding_;
    std::string buffer_;  // its size is what is allocated
    // begin <= searched <= end <= size - padding: no LF lies between begin and searched.
    std::size_t begin_ = 0, searched_ = 0, end_ = 0;
    bool at_end_ = false;
    std::uint64_t number_ = 0;
};

}  // namespace archive
