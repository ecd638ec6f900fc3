// feed/gzip.hpp -- bodies that are packed with gzip whatever the server says of them.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace feed {

[[nodiscard]] inline bool is_gzip(std::string_view bytes) {
    return bytes.starts_with("\x1F\x8B\x08");
}

// Returns the content of all members, cut at `most` bytes.
//   error  malformed: "damaged gzip data"
[[nodiscard]] base::Result<std::string> read_gzip(std::string_view packed, std::size_t most);

}  // namespace feed
