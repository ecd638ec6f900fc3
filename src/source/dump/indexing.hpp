// source/dump/indexing.hpp -- makes the index of a build from its plain files, those in which an
// object can be sought, in one pass. It knows two layouts: AceDB's dumps and JSON Lines.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "source/file.hpp"
#include "source/index/index.hpp"

namespace source::dump {

// What a plain file does not show of the file that it was converted from.
struct Original {
    std::vector<std::uint64_t> lines;  // of the original file, one for each object
    bool has_larger =
        false;         // than could be converted: the plain file has the names of such objects
    std::string flaw;  // where the original file is cut off; empty: it is whole
};

struct PlainFile {
    std::string place;     // folder and name of the build's file, for errors
    bool is_json = false;  // JSON Lines, not a dump
    File file;
    std::optional<Original> original;  // nullopt: the file was not converted, at most unpacked
};

// How a plain dump is cut into parts that threads read at once.
struct CutDumps {
    std::size_t threads = 1;
    std::uint64_t part = 960 << 10;  // bytes; a reader reads 1 MB at once
};

// Writes the index.
//   files    in the order of facts.files; all of one build
//   facts    with release, folder, files and remarks; the rest is filled in here
//   largest  bytes of an object that was converted
//   cut      how plain dumps are read; the index does not depend on it
//   check    is called before the index gets its name; its error stops it
//   error    malformed (file and line; an object twice, with both places); unavailable. A file
//            that is cut off is no error here: the index notes it (Facts::flaw)
[[nodiscard]] base::Result<void> write_index(IndexWriter writer,
                                             const std::vector<PlainFile>& files, Facts facts,
                                             std::uint64_t largest, const CutDumps& cut,
                                             const std::function<base::Result<void>()>& check);

}  // namespace source::dump
