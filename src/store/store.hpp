// store/store.hpp -- opens a database by its URL, and creates its schema.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "store/connection.hpp"
#include "store/pool.hpp"
#include "store/url.hpp"

namespace store {

// Returns a function that opens one connection at each call, with time-outs, utf8mb4 and 5 s lock
// wait. Of several hosts it tries the next one when one is not reached or not ready, or is sending
// its state to another node, which may halt it (unless no other can be reached).
//   password       from store.password_file, without its line end; may be empty
//   answer_within  limit of one statement on MariaDB, after which the connection counts as lost; and of a
//                  lock wait if it is less than 5 s
[[nodiscard]] Connect connector(Url url, std::string password, IfMissing if_missing,
                                std::chrono::seconds answer_within = std::chrono::seconds(30));

// The number of the schema that sql/objects_history.sql creates.
inline constexpr int schema_number = 3;

// Returns the text of sql/objects_history.sql, or of its SQLite twin.
[[nodiscard]] std::string_view schema_sql(Engine engine);

// Creates the schema, and continues a run that was interrupted.
//   returns  false when it is there already
//   error    refused: a schema of another number, or tables of another program
//   throws   Failure
[[nodiscard]] base::Result<bool> initialise(Connection& connection);

// Checks that this program can work with the schema.
//   error  refused: no schema ("run varve init") or one of another number, an import that is running or
//          was interrupted
[[nodiscard]] base::Result<void> check_schema(Connection& connection);

// Does so on a connection of the pool, and again on another one when that connection is lost: its
// node may have died after it was opened.
//   throws  Failure: no node can be reached
[[nodiscard]] base::Result<void> check_schema(Pool& pool);

// Returns what the tables lack of the schema: "table words", "column objects.label_key".
[[nodiscard]] std::vector<std::string> missing_parts(Connection& connection);

// Checks that this process can write: a store that is read-only or full can be queried, but records
// nothing. Counts in a row of `meta` that means nothing else.
//   throws  Failure: that of the write
void check_writable(Connection& connection);

// -- for archive/ and tests

// Returns the statements of a script, without -- comments; each ends with a semicolon outside of
// quotes.
[[nodiscard]] std::vector<std::string> statements_of(std::string_view script);

// Returns the number in `meta`; nullopt when there is none.
[[nodiscard]] std::optional<int> schema_of(Connection& connection);

// The row of `meta` that marks a store while an import fills it (archive/import.cpp).
inline constexpr std::string_view import_mark_name = "importing";

// Does what check_schema() does, but accepts the mark of an import.
[[nodiscard]] base::Result<void> check_tables(Connection& connection);

}  // namespace store
