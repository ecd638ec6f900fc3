// app/command_line.hpp -- the command line: reads it and runs the command.
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

// Runs the command of the command line, --help and --version included, and flushes stdout.
//   returns  the program's exit status
[[nodiscard]] int run_command_line(int argc, char** argv);

}  // namespace app
