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

// A step from schema number - 1 to number; the first is 2, since an empty database gets the
// whole of the newest schema at once. Append-only: a released one is never changed.
// MariaDB ends the transaction at the first CREATE or ALTER, and from there each statement
// stands alone. So all of a step's statements for it must bear being run again after a run
// that was broken off (IF NOT EXISTS, WHERE NOT EXISTS).
struct Migration {
    int number;
    std::string_view sqlite, mysql;
    // What SQL can't do, or not to millions of rows at once: runs before the script, outside of
    // any transaction, in short ones of its own. Bears being run again on both engines, and
    // beside itself (two who run `varve init`). nullptr: nothing.
    void (*fill)(Connection&) = nullptr;
};
[[nodiscard]] std::span<const Migration> migrations();

// The statements of a script: without -- comments, ended by a semicolon outside of quotes.
[[nodiscard]] std::vector<std::string> statements_of(std::string_view script);

// The number in `meta`; nullopt: there is none.
[[nodiscard]] std::optional<int> schema_of(Connection& connection);

// Returns the tables that have a name of ours and other columns.
[[nodiscard]] std::vector<std::string> foreign_tables(Connection& connection);

// The row of `meta` that marks a store while an import fills it (archive/import.cpp).
inline constexpr std::string_view import_mark_name = "importing";

// Returns whether the first system's tables were renamed to first_…, and not all of their rows
// were copied (archive/adoption.hpp).
[[nodiscard]] bool adoption_is_unfinished(Connection& connection);

// Does what check_schema() does, but accepts the mark of an import.
[[nodiscard]] base::Result<void> check_tables(Connection& connection);

// Makes the newest schema where there is none, then runs the steps above the schema's number,
// each to its end before the next. Throws Failure.
void upgrade(Connection& connection, std::span<const Migration> steps);

// The step to schema 4: objects.label_key, the label with its ASCII letters in lower case where
// it is not the name. 10,000 objects a transaction, of which only those are written that are not
// as they should be.
//   throws  Failure; what was done stays done
//   cost    a read of all objects, and an UPDATE by key for each that has a label
void fill_label_keys(Connection& connection);

}  // namespace store
