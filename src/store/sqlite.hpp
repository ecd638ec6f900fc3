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

// Returns what has_moved() of store/store.hpp returns.
[[nodiscard]] bool sqlite_has_moved(Connection& connection);

// Checks that the disk of a SQLite file has room for what a request records: a small write may fit into
// pages that the file has already. Asks for 64 KB and gives them back.
//   throws  Failure: full, or above a quota
void require_sqlite_room(Connection& connection);

// Returns what an extended result code means.
[[nodiscard]] FailureKind sqlite_failure_kind(int code);

}  // namespace store
