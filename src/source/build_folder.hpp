// source/build_folder.hpp -- the folder that holds a build: files of objects, release.ini,
// models.wrm, and what curators' files include.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/release.hpp"
#include "base/result.hpp"
#include "source/file.hpp"
#include "source/index.hpp"
#include "tree/model.hpp"

namespace source {

// How the objects of a file are written; its suffix tells.
enum class Format { ace, xml, json_lines };
// As it is, `.gz`, `.zst`.
enum class Packing { none, gzip, zstd };

// nullopt: no file of objects.
[[nodiscard]] std::optional<Format> format_of(std::string_view file_name);
[[nodiscard]] Packing packing_of(std::string_view file_name);

struct OtherFile {
    std::string name;
    FileStamp stamp;
};

// A folder held open: a link switched meanwhile does not mix two builds.
struct BuildFolder {
    std::string path;  // links resolved
    File directory;
    base::Release release;
    std::vector<DumpFile> files;    // of objects, by name; plain_size 0 where packed
    std::vector<OtherFile> others;  // by name; without .names, and what no stat reaches

    // The other file of this name, or nullptr.
    [[nodiscard]] const OtherFile* other(std::string_view name) const;
};

//   error  refused (no or a wrong release.ini, no dump files), naming the folder and what to do;
//          unavailable (not there, not readable)
[[nodiscard]] base::Result<BuildFolder> open_folder(const std::string& path);

// Of models.wrm; empty models where there is none.
//   error  unavailable; too_large above 64 MB
[[nodiscard]] base::Result<tree::Models> read_models(const BuildFolder& folder);

}  // namespace source
