// app/commands.hpp -- what commands share. Results go to stdout, progress and errors to stderr; each returns
// the program's exit status (0 ok, 1 failed, 2 wrong use or configuration, 3 the job finished, but some
// objects could not be read).
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.hpp"

namespace app {

inline constexpr std::string_view program_version = "0.1.0";  // nowhere else

inline constexpr int ok = 0, failed = 1, wrong_use = 2, unreadable = 3;

// Prints "varve: TEXT" on stderr and returns `status`.
int complain(std::string_view text, int status);

// Returns the exit status for an error.
[[nodiscard]] int status_of(const base::Error& error);

// Prints an error and returns its status.
int complain(const base::Error& error);

// Answers one request, of a web server that started the program as CGI program; also when the
// configuration cannot be used.
int serve_cgi(const std::filesystem::path& config_file);

// Runs the command of the command line, --help and --version included, and flushes stdout.
//   returns  the program's exit status
[[nodiscard]] int run_command_line(int argc, char** argv);

}  // namespace app
