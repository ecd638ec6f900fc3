// app/sources.hpp -- the kinds of source that [source] kind names: everything about them that the
// rest of the program must know.
// To add a kind: add it to SourceKind and name_of() (config.hpp), to source_kind_of() in config_keys.cpp, and to each function of sources.cpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "app/config.hpp"
#include "base/release.hpp"
#include "base/result.hpp"
#include "history/current.hpp"
#include "source/acedb/database.hpp"

namespace app {

// Returns whether a source of this kind is a running AceDB, not files.
[[nodiscard]] constexpr bool is_running_database(SourceKind kind) {
    return kind == SourceKind::server;
}

// Returns the name of the source for people: a folder, or host:port.
[[nodiscard]] std::string name_of(const SourceConfig& config);

// Returns the running database of the configuration without opening a session; nullptr when the
// source is files.
[[nodiscard]] std::shared_ptr<source::acedb::Database> database_of(const SourceConfig& config);

// Returns how to identify and open the configured build, and how to find the one before. It holds
// the sessions of a running database, so keep it as long as the configuration.
[[nodiscard]] history::BuildOpener build_opener(const Config& config);

// Returns the release of the configured build. Makes no index: reads release.ini, or asks the
// database for its status.
//   error  as when the build is opened
[[nodiscard]] base::Result<base::Release> current_release(const Config& config);

// Returns the configuration with a folder of files as its source: a staged build (--build).
//   folder  empty: the configuration as it is
[[nodiscard]] Config with_folder(Config config, const std::filesystem::path& folder);

}  // namespace app
