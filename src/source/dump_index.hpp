// source/dump_index.hpp -- the index of a build folder: found, or made.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "source/build_folder.hpp"
#include "source/file.hpp"
#include "source/index.hpp"

namespace source {

struct IndexedBuild {
    Index index;
    std::vector<File> files;  // plain, in the order of Facts::files
};

// The index of the folder, and its dump files open. Made where there is none, it is damaged,
// or a dump file's inode, size or time changed; a lock keeps two processes from making it at
// once (without locks both make it, and the last one stands).
//   error  malformed, unavailable (source/dump.hpp); a dump that is cut off is no error here:
//          the index says so (Facts::flaw)
[[nodiscard]] base::Result<IndexedBuild> open_index(const BuildFolder& folder,
                                                    const std::string& index_dir);

// Where the index of a release lies.
[[nodiscard]] std::string index_path(const std::string& index_dir, const std::string& version);

}  // namespace source
