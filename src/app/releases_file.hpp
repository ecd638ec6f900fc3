// app/releases_file.hpp -- releases.tsv, in the folder of the configuration: lines of version, TAB, date.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/release.hpp"
#include "base/result.hpp"

namespace app {

// Returns the releases in the file beside this configuration file; none without a file.
//   error  refused, naming file and line; unavailable
[[nodiscard]] base::Result<std::vector<base::Release>> read_releases(
    const std::filesystem::path& config_file);

// Returns text that differs once somebody wrote or replaced that file; costs a look at its inode.
[[nodiscard]] std::string identity_of_releases(const std::filesystem::path& config_file);

}  // namespace app
