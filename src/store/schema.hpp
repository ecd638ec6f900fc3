// store/schema.hpp -- the schema as a list of numbered steps. For this room and its tests.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "store/connection.hpp"

namespace store {

// A step from schema number - 1 to number; the first is 2, since an empty database gets the
// whole of the newest schema at once. Append-only: a released one is never changed.
// MariaDB ends the transaction at the first CREATE or ALTER, and from there each statement
// stands alone. So all of a step's statements for it must bear being run again after a run
// that was broken off (IF NOT EXISTS, WHERE NOT EXISTS).
struct Migration {
    int number;
    std::string_view sqlite, mysql;
};
[[nodiscard]] std::span<const Migration> migrations();

// The statements of a script: without -- comments, ended by a semicolon outside of quotes.
[[nodiscard]] std::vector<std::string> statements_of(std::string_view script);

// The number in `meta`; nullopt: there is none.
[[nodiscard]] std::optional<int> schema_of(Connection& connection);

// check_schema() but for its last question: whether an import is unfinished.
[[nodiscard]] base::Result<void> check_tables(Connection& connection);

// Makes the newest schema where there is none, then runs the steps above the schema's number,
// each to its end before the next. Throws Failure.
void upgrade(Connection& connection, std::span<const Migration> steps);

}  // namespace store
