// base/compress.hpp -- compression with zstd.
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

}  // namespace base
