// base/gzip.hpp -- compression with gzip (RFC 1952).
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace base {

// Returns the gzip form of bytes. Equal bytes give equal bytes: the header has no time, name or system.
//   throws  std::runtime_error when zlib has no memory
//   cost    about 7 us a KB
[[nodiscard]] std::string gzip(std::string_view bytes);

[[nodiscard]] inline bool is_gzip(std::string_view bytes) {
    return bytes.starts_with("\x1F\x8B\x08");
}

// Returns the content of all members, cut at `most` bytes.
//   error  malformed: "damaged gzip data"
[[nodiscard]] Result<std::string> gunzip(std::string_view packed, std::size_t most);

}  // namespace base
