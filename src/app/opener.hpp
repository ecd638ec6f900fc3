// app/opener.hpp -- how builds are opened, whatever kind of source is configured: by the server
// and by every command.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "app/config.hpp"
#include "history/current.hpp"
#include "source/acedb/database.hpp"

namespace app {

// How the configured build is told, opened, and followed back. Holds the sessions to a running
// database, so it lives as long as its configuration.
[[nodiscard]] history::BuildOpener build_opener(const Config& config);

// The running database of the configuration; no session is opened yet. nullptr: files are read.
[[nodiscard]] std::shared_ptr<source::acedb::Database> database_of(const SourceConfig& config);

// The same configuration with a folder of dump files as its source, whatever it was before.
[[nodiscard]] Config with_folder(Config config, const std::filesystem::path& folder);

// What people call the source: a folder, or host:port.
[[nodiscard]] std::string name_of(const SourceConfig& config);

}  // namespace app
