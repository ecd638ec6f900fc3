// app/version.hpp -- the program's version: here and nowhere else.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace app {

inline constexpr std::string_view program_version = "0.1.0";

}  // namespace app
