// source/build_folder.hpp -- the folder that holds a build: dump files, release.ini, models.wrm.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/release.hpp"
#include "base/result.hpp"
#include "source/file.hpp"
#include "source/index.hpp"
#include "tree/model.hpp"

namespace source {

// A folder held open: a link switched meanwhile does not mix two builds.
struct BuildFolder {
    std::string path;  // links resolved
    File directory;
    base::Release release;
    std::vector<DumpFile> files;  // by name; plain_size 0 where packed
};

//   error  refused (no or a wrong release.ini, no dump files), naming the folder and what to do;
//          unavailable (not there, not readable)
[[nodiscard]] base::Result<BuildFolder> open_folder(const std::string& path);

// Of models.wrm; empty models where there is none.
//   error  unavailable; too_large above 64 MB
[[nodiscard]] base::Result<tree::Models> read_models(const BuildFolder& folder);

// `*.ace` as it is, `*.ace.gz`, `*.ace.zst`.
enum class Packing { none, gzip, zstd };
[[nodiscard]] Packing packing_of(std::string_view file_name);

}  // namespace source
