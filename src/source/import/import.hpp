// source/import/import.hpp -- converts the files of a build in which an object can't be sought,
// once, before the build is indexed. The plain files are next to the index, in VERSION.plain/NAME:
//   packed files (.gz, .zst)  are unpacked
//   XML                       becomes JSON Lines, an object a line
// A plain dump or plain JSON Lines is its own plain file.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "source/build_folder.hpp"
#include "source/dump/indexing.hpp"

namespace source::import {

struct PlainBuild {
    std::vector<dump::PlainFile> files;  // in the order of the folder's files
    // Release, folder, files and has_unstamped are filled in.
    Facts facts;
};

// Makes the plain files of a build and opens them.
//   plain_dir  made where it is needed and not there
//   largest    bytes of an object that is converted; larger ones are known by name alone
//   error      malformed, unavailable, with file and line; refused: AceDB's dumper did not write a
//              .ace file. A file that is cut off is no error here (dump::Original::flaw)
[[nodiscard]] base::Result<PlainBuild> make_plain_files(const BuildFolder& folder,
                                                        const std::string& plain_dir,
                                                        std::uint64_t largest);

}  // namespace source::import
