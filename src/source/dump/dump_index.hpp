// source/dump_index.hpp -- the index of a build folder: found, or made.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "source/build_folder.hpp"
#include "source/file.hpp"
#include "source/index.hpp"
#include "tree/model.hpp"

namespace source::dump {

struct IndexedBuild {
    Index index;
    std::vector<File> files;  // plain forms, in the order of Facts::files; included ones closed
};

struct IndexSettings {
    std::string index_dir;
    std::uint64_t largest = 0;             // bytes of an object that must be loadable
    const tree::Models* models = nullptr;  // of the folder
};

// The index of the folder, and its files' plain forms open. Made where there is none, it is
// damaged, or the inode, size or time of a file it was made of changed; a lock keeps two
// processes from making it at once (without locks both make it, and the last one stands).
//   error  malformed, refused, unavailable (source/dump.hpp); a file that is cut off is no error
//          here: the index says so (Facts::flaw)
[[nodiscard]] base::Result<IndexedBuild> open_index(const BuildFolder& folder,
                                                    const IndexSettings& settings);

// Where the index of a release lies.
[[nodiscard]] std::string index_path(const std::string& index_dir, const std::string& version);

// Tag paths can't be restored (tree/restore.hpp): a warning, and what to do.
inline constexpr const char* unstamped_without_models =
    "a dump without stamps shortens tag paths; put the database's models.wrm beside it";

}  // namespace source::dump
