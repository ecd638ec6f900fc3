// source/build_folder.hpp -- the folder that holds a build: files of objects, release.ini
// and models.wrm.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/release.hpp"
#include "base/result.hpp"
#include "source/file.hpp"
#include "source/index/index.hpp"
#include "tree/model.hpp"

namespace source {

// The suffix of a file shows how its objects are written and how it is packed (.gz, .zst).
enum class Format { ace, xml, json_lines };
enum class Packing { none, gzip, zstd };

// Returns nullopt for a file that holds no objects.
[[nodiscard]] std::optional<Format> format_of(std::string_view file_name);
[[nodiscard]] Packing packing_of(std::string_view file_name);

// A folder that is held open, so that a switched link can't mix two builds.
struct BuildFolder {
    std::string path;  // links resolved
    File directory;
    base::Release release;
    std::vector<BuildFile> files;  // of objects, by name; plain_size is 0 where they are packed
};

// Opens a folder.
//   error  refused (release.ini is missing or wrong, no files of objects), with the folder and
//          what to do; unavailable (not there, not readable)
[[nodiscard]] base::Result<BuildFolder> open_folder(const std::string& path);

// Returns text that changes when a file changes that the build is read from. Costs a stat per file.
//   error  unavailable
[[nodiscard]] base::Result<std::string> identity_of(const std::string& folder);

// models.wrm, parsed, and the MD5 of its text.
struct ReadModels {
    tree::Models models;
    std::string digest;
};
// Reads models.wrm; without the file, the models and their digest are empty.
//   error  unavailable; too_large above 64 MB
[[nodiscard]] base::Result<ReadModels> read_models(const BuildFolder& folder);

// True when an object can be sought in the file itself: it is neither packed nor XML. Otherwise its plain
// file is a converted copy (source/import): of JSON Lines where the file is XML.
[[nodiscard]] bool is_plain(const BuildFile& file);

// Opens a file of the build.
//   error  unavailable: it changed since the folder was listed, or is gone
[[nodiscard]] base::Result<File> open_listed(const BuildFolder& folder, const std::string& name,
                                             const FileIdentity& listed);

// Opens the plain file of a file: itself, or the converted copy in `plain_dir`.
//   error  unavailable, absent: it changed, or is gone
[[nodiscard]] base::Result<File> open_plain(const BuildFolder& folder, const BuildFile& file,
                                            const std::string& plain_dir);

}  // namespace source
