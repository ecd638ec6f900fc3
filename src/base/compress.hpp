// base/compress.hpp -- bytes made small and whole again, by zstd.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace base {

// One zstd frame that tells its content's size (RFC 8878 section 3.1.1.1.4).
//   throws  std::runtime_error when zstd has no memory
[[nodiscard]] std::string compress(std::string_view bytes);

// The bytes of such a frame.
//   error  malformed; too_large when the content is, or claims to be, above `most` bytes
[[nodiscard]] Result<std::string> decompress(std::string_view frame, std::size_t most);

}  // namespace base
