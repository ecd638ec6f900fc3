// source/sign.hpp -- the signature of every object of a dump file, without making trees.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace source {

struct Signed {
    std::uint64_t offset = 0;    // of the object in the file
    std::string_view header;     // its first line, as it stands
    std::string_view signature;  // 32 hex digits: tree::signature_of its nodes
};

// Calls `visit` for each object of a plain dump, in the order of the file; views last for the
// call. One core; memory for one object.
//   returns  how many there were
//   error    malformed (file:line: object: what), refused (cut off), too_large above most_bytes,
//            absent, unavailable
[[nodiscard]] base::Result<std::uint64_t> sign_file(
    const std::string& path, std::size_t most_bytes,
    const std::function<void(const Signed&)>& visit);

}  // namespace source
