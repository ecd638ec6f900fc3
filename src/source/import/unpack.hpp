// source/import/unpack.hpp -- unpacks files that are packed by gzip or zstd.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "source/build_folder.hpp"
#include "source/file.hpp"

namespace source::import {

// Unpacks all members or frames of `packed` into a file for `path` that does not have its name
// yet: some files are converted once more before they have their plain file.
//   error  refused (damaged, cut off, above the limits), unavailable (a full disk)
[[nodiscard]] base::Result<NewFile> unpack(const File& packed, Packing packing,
                                           const std::string& path);

}  // namespace source::import
