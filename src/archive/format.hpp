// store/archive_line.hpp -- one line of an archive: written, and read from any bytes.
// Pure. A parser belongs to one thread at a time.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "store/archive.hpp"
#include "store/archive_tables.hpp"

namespace store {

struct HeaderLine {
    std::int64_t schema = 0;
};
struct RowLine {
    std::size_t table = 0;      // its number in the shapes
    std::vector<Value> values;  // one for each column, in the order of the shape
};
struct EndLine {
    std::vector<std::uint64_t> rows;  // of each table
};
using ArchiveLine = std::variant<HeaderLine, RowLine, EndLine>;

// Each appends one line with its line end.
void append_header(std::string& out, int schema);
void append_end(std::string& out, const RowCounts& counts);
//   error  malformed: text that is no UTF-8, with the column's name
[[nodiscard]] base::Result<void> append_row(std::string& out, const TableShape& shape,
                                            const Row& row);

class LineParser {
   public:
    //   needs  shapes outlive the parser
    explicit LineParser(std::span<const TableShape> shapes);
    ~LineParser();

    // Bytes behind the line that must be readable, whatever they are.
    static constexpr std::size_t padding = 64;

    //   line     without its line end, at most longest_archive_line bytes
    //   returns  values of the types of their columns, all columns, none twice
    //   error    malformed; what it says of the line is one sentence without the line's number
    //   cost     ten bytes of memory for a byte of the longest line yet
    [[nodiscard]] base::Result<ArchiveLine> parse(std::string_view line);

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace store
