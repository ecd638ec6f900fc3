// store/sqlite.hpp -- the embedded engine: one file, many readers, one writer.
// For this room and its tests.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>

#include "store/connection.hpp"
#include "store/url.hpp"

namespace store {

// Opens the file: WAL, synchronous FULL, foreign keys. A file that this process may not write is
// opened for reading; then every write fails with needs_operator.
//   busy_for  how long a statement waits for another writer before it fails as transient
//   throws    Failure; needs_operator when the file is missing, unreadable or not a database
[[nodiscard]] std::unique_ptr<Connection> open_sqlite(
    const std::filesystem::path& file, IfMissing if_missing,
    std::chrono::milliseconds busy_for = std::chrono::seconds(5));

// Returns what an extended result code means.
[[nodiscard]] FailureKind sqlite_failure_kind(int code);

}  // namespace store
