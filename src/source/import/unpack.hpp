// source/unpack.hpp -- packed dump files made plain, once, beside the index: an object is then
// one seek away, as in a plain dump.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "source/build_folder.hpp"
#include "source/file.hpp"

namespace source::import {

// What a hostile file may unpack to.
struct UnpackLimits {
    std::uint64_t most = std::uint64_t{64} << 30;  // bytes in all
    std::uint64_t ratio = 1000;                    // output : input, above `free` bytes
    std::uint64_t free = std::uint64_t{1} << 30;
};

// What `packed` holds (all members or frames of it), written for `path` but not yet put in its
// place: some files are read once more before they have their plain form.
//   error  refused (damaged, cut off, above the limits), unavailable (a full disk)
[[nodiscard]] base::Result<NewFile> unpack(const File& packed, Packing packing,
                                           const std::string& path,
                                           const UnpackLimits& limits = {});

}  // namespace source::import
