// source/dump.hpp -- a build as files in a folder: AceDB's dumps (with stamps or without),
// curators' .ace files, XML (source/xml_objects.hpp), JSON Lines (source/json_lines.hpp), each
// packed or not.
// A build that is open goes on to answer when its folder is switched or deleted: its files are
// held open. It notices when one of them is written into (unavailable).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/release.hpp"
#include "base/result.hpp"
#include "source/source.hpp"

namespace source {

struct DumpSettings {
    std::string folder;              // or a link to one: followed once, when opened
    std::string index_dir;           // made where it is not there; packed dump files lie there
                                     // unpacked, and others written anew, in VERSION.plain, until
                                     // the build has gone
    std::size_t max_object_mb = 64;  // larger objects are known by name, and not loaded
    bool accept_cut = false;         // a file that is cut off is taken for what it holds; the
                                     // object in which it was cut is not there
};

// The build in the folder; its index is made where there is none that fits, once even when
// several processes ask for it.
//   error  refused: not whole (file and line), no release.ini, ...;
//          malformed: an object twice, a line that is none of a dump (file and line);
//          unavailable: not there, or the index can't be written
//   cost   a stat per file and a pass over the index when it fits; else a pass over the build
[[nodiscard]] base::Result<Build> open_dump(const DumpSettings& settings);

// What the index remembers of a build whose files may be gone: names, counts, digests. load()
// and is_loading_stamp() are unavailable, models() empty.
//   error  absent, malformed, unavailable
[[nodiscard]] base::Result<Build> open_kept_index(const std::string& path);

struct KeptIndex {
    base::Release release;
    std::string path;
    bool operator==(const KeptIndex&) const = default;
};

// The indexes in the folder, oldest release first; damaged ones are left out.
[[nodiscard]] std::vector<KeptIndex> kept_indexes(const std::string& index_dir);

// Text that differs when a file of the build folder does that the build may be read from; a stat
// per file. Files that are none of objects, release.ini or models.wrm count where there is a
// .ace file, which may include them.
//   error  unavailable
[[nodiscard]] base::Result<std::string> identity_of(const std::string& folder);

}  // namespace source
