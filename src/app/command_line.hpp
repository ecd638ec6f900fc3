// app/command_line.hpp -- the words of the command line, and what they mean.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>

#include "app/config.hpp"
#include "app/logs.hpp"

namespace app {

// Runs a command with the configuration in `file`, its log opened.
//   returns  the command's exit status; wrong_use where the configuration is wrong
[[nodiscard]] int with_config(const std::filesystem::path& file, Speaker speaker,
                              const std::function<int(const Config&)>& run);

// Does what the words say, --help and --version included, and writes stdout out.
//   returns  the program's exit status
[[nodiscard]] int run_words(int argc, char** argv);

}  // namespace app
