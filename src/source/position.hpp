// source/position.hpp -- where something is in the text of a file, for people.
// Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace source {

// Both are counted from 1. A column counts bytes; those of a file in Latin-1 as they are in UTF-8.
struct Position {
    std::uint64_t line = 1, column = 1;
    bool operator==(const Position&) const = default;
};

// Returns the position behind these bytes, the first one of which is at `begin`.
[[nodiscard]] inline Position behind(std::string_view bytes, Position begin = {}) {
    for (auto lf = bytes.find('\n'); lf != std::string_view::npos; lf = bytes.find('\n')) {
        begin = {begin.line + 1, 1};
        bytes.remove_prefix(lf + 1);
    }
    begin.column += bytes.size();
    return begin;
}

// Returns an error with its place: "FILE:LINE:COLUMN: what".
[[nodiscard]] inline tl::unexpected<base::Error> fail_in(std::string_view file, Position at,
                                                         base::ErrorKind kind,
                                                         std::string_view what) {
    return base::fail_at(std::string(file) + ':' + std::to_string(at.line) + ':' +
                             std::to_string(at.column),
                         {kind, std::string(what)});
}

// What is wrong in the bytes of one object, and where. The caller knows file and line.
struct ParseError {
    base::ErrorKind kind = base::ErrorKind::malformed;
    std::size_t at = 0;  // offset into the object's bytes
    std::string what;
};

}  // namespace source
