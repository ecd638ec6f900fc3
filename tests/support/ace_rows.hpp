// support/ace_rows.hpp -- the lines of an object as rows of cells, from a dump or from a recorded
// reply to `show -j -T`.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace support {

struct AceCell {
    std::string class_name, name, stamp;  // name as `show -j` escapes it
    std::string as_ace;                   // as the dump has it
    [[nodiscard]] bool is_tag() const { return class_name == "tag"; }
    bool operator==(const AceCell&) const = default;
};
using AceRow = std::vector<AceCell>;

[[nodiscard]] std::vector<AceRow> rows_of_dump(std::string_view bytes);
// Reads rows that omit their first cell and what they share with the row above.
[[nodiscard]] std::vector<AceRow> rows_of_java(std::string_view reply);

// Writes `\` and `?` with a backslash, LF and TAB as letters.
[[nodiscard]] std::string java_escaped(std::string_view text);
// Returns where the line after the header of an object begins.
[[nodiscard]] std::size_t behind_header(std::string_view bytes);

}  // namespace support
