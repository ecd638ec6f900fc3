// source/files_build.hpp -- a build of files in a folder: AceDB's dumps (with stamps or without),
// XML, JSON Lines, each packed or not.
// An open build keeps answering when its folder is switched or deleted, since its files stay open.
// It notices when somebody writes to one of them (unavailable).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "source/build_folder.hpp"  // identity_of(), for callers of open_files()
#include "source/source.hpp"

namespace source {

struct FilesSettings {
    std::string folder;              // or a link to one: followed once, when the build is opened
    std::string index_dir;           // made if it is not there (source/index/index_folder.hpp)
    std::size_t max_object_mb = 64;  // larger objects are known by name, and not loaded
    // Serves what is there of a file that is cut off, without the object in which it was cut.
    bool accept_cut = false;
    std::vector<std::string> skip_classes = {};  // Source::skips()
    std::size_t threads = 1;                     // that make the index, at least 1
};

// Opens the build in the folder. Makes its index when none fits, once even when several processes
// ask for it; before that, converts files in which objects can't be sought (source/import).
//   error  refused: not whole (file and line), no release.ini, ...;
//          malformed: an object twice, a line that does not belong into a dump (file and line);
//          unavailable: not there, or the index can't be written
//   cost   a stat per file and a pass over the index when it fits; else a pass over the build
[[nodiscard]] base::Result<Build> open_files(const FilesSettings& settings);

}  // namespace source
