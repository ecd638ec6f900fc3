// store/schema.hpp -- the schema as a list of numbered steps, and what a database has of it. For
// this room, archive/ and their tests.
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

// A step from schema number - 1 to `number`. The first is 2, because an empty database gets the
// newest schema at once. Append-only: a released step never changes.
// MariaDB ends the transaction at the first CREATE or ALTER and then commits each statement by
// itself. So every statement for it must be repeatable after an interruption (IF NOT EXISTS,
// WHERE NOT EXISTS).
struct Migration {
    int number;
    std::string_view sqlite, mysql;
};
// None so far: schema 1 is the only one.
[[nodiscard]] std::span<const Migration> migrations();

// Returns the statements of a script, without -- comments; each ends with a semicolon outside of
// quotes.
[[nodiscard]] std::vector<std::string> statements_of(std::string_view script);

// Returns the number in `meta`; nullopt when there is none.
[[nodiscard]] std::optional<int> schema_of(Connection& connection);

// The row of `meta` that marks a store while an import fills it (archive/import.cpp).
inline constexpr std::string_view import_mark_name = "importing";

// Does what check_schema() does, but accepts the mark of an import.
[[nodiscard]] base::Result<void> check_tables(Connection& connection);

// Creates the newest schema where there is none; otherwise runs the steps above the number of the
// schema, one after the other. Throws Failure.
void upgrade(Connection& connection, std::span<const Migration> steps);

}  // namespace store
