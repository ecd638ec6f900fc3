// Feeds any bytes to the reader of archives. A row that it accepts is written and read again, and
// must be the same.
// SPDX-License-Identifier: MIT
#include <cstring>

#include "archive/format.hpp"
#include "fuzz/fuzz.hpp"

namespace {

using store::Column;
using store::ColumnType;

std::vector<archive::TableShape> shapes() {
    const std::vector<Column> columns{{"oid", ColumnType::integer, false},
                                      {"version", ColumnType::text, false},
                                      {"tree", ColumnType::blob, true}};
    std::vector<archive::TableShape> all;
    for (const auto& table : archive::tables()) all.push_back({&table, columns});
    return all;
}

// Reads the bytes in pieces of a size that depends on them, so that lines cross pieces.
archive::ReadBytes reading(std::string_view bytes) {
    const std::size_t piece = bytes.empty() ? 1 : 1 + static_cast<unsigned char>(bytes[0]) % 64;
    return [bytes, piece](std::span<char> into) mutable {
        const auto size = std::min({piece, into.size(), bytes.size()});
        std::memcpy(into.data(), bytes.data(), size);
        bytes.remove_prefix(size);
        return base::Result<std::size_t>(size);
    };
}

void write_and_read_again(const archive::TableShape& shape, const archive::RowLine& row,
                          archive::LineParser& parser) {
    std::string line;
    require(append_row(line, shape, store::Row(row.values)).has_value());
    line.resize(line.size() - 1 + archive::LineParser::padding);
    const auto length = line.size() - archive::LineParser::padding;
    const auto again = parser.parse(std::string_view(line).substr(0, length));
    require(again && std::get<archive::RowLine>(*again).values == row.values);
}

}  // namespace

void fuzz(std::string_view bytes) {
    static const auto known = shapes();
    archive::LineParser parser(known), second(known);
    archive::LineReader lines(reading(bytes), 4096, archive::LineParser::padding);
    for (auto line = lines.next(); line && *line; line = lines.next()) {
        const auto parsed = parser.parse(**line);
        if (!parsed) continue;
        if (const auto* row = std::get_if<archive::RowLine>(&*parsed))
            write_and_read_again(known[row->table], *row, second);
    }
}
