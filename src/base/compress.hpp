// base/compress.hpp -- compression with zstd, for the store, and with gzip (RFC 1952), for HTTP.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace base {

// Returns one zstd frame that states the size of its content (RFC 8878 section 3.1.1.1.4).
//   throws  std::runtime_error when zstd has no memory
[[nodiscard]] std::string compress(std::string_view bytes);

// Returns the content of such a frame.
//   error  malformed; too_large when the content is, or claims to be, above `most` bytes
[[nodiscard]] Result<std::string> decompress(std::string_view frame, std::size_t most);

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
