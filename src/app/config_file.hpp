// app/config_file.hpp -- reads varve.conf. INI (docs in varve.conf.example): one key a line, no inline
// comments; paths are relative to the file.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "app/config.hpp"
#include "base/result.hpp"

namespace app {

// Returns the configuration in `file`, with releases.tsv beside it if there is one, the passwords and
// the templates that it names.
//   error  refused, naming file, line, section and key of what is wrong; unavailable: no such file
[[nodiscard]] base::Result<Config> load_config(const std::filesystem::path& file);

// Returns the configuration where none is named: varve.conf of the current folder if it is there or
// that of the host is not, else /etc/varve/varve.conf.
[[nodiscard]] std::filesystem::path usual_config_file();

// Returns a text without the mark that some editors begin UTF-8 with.
//   error  unavailable: the file cannot be read
[[nodiscard]] base::Result<std::string> read_file(const std::filesystem::path& file);

// Returns a password: the first line of the file; without a file an empty one. Errors never contain it.
//   error  unavailable: the file cannot be read; refused: it holds no password
[[nodiscard]] base::Result<std::string> read_password(const std::filesystem::path& file);

// Returns the releases in releases.tsv beside this configuration file, lines of version, TAB, date; none without
// the file.
//   error  refused, naming file and line; unavailable
[[nodiscard]] base::Result<std::vector<base::Release>> read_releases(
    const std::filesystem::path& config_file);

// Returns text that differs once somebody wrote or replaced that file; costs a look at its inode.
[[nodiscard]] std::string identity_of_releases(const std::filesystem::path& config_file);

}  // namespace app
