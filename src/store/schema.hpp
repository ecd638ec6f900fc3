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
    // Does what SQL cannot do, or not to millions of rows at once. Runs before the script, in
    // short transactions of its own. Repeatable on both engines, and safe to run twice at the
    // same time (two people run `varve init`). nullptr: nothing.
    void (*fill)(Connection&) = nullptr;
};
[[nodiscard]] std::span<const Migration> migrations();

// Returns the statements of a script, without -- comments; each ends with a semicolon outside of
// quotes.
[[nodiscard]] std::vector<std::string> statements_of(std::string_view script);

// Returns the number in `meta`; nullopt when there is none.
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

// Creates the newest schema where there is none; otherwise runs the steps above the number of the
// schema, one after the other. Throws Failure.
void upgrade(Connection& connection, std::span<const Migration> steps);

// Fills objects.label_key in the step to schema 4: the label with its ASCII letters in lower case
// where it is not the name. Reads 10,000 objects a transaction and updates those that differ.
//   throws  Failure; transactions until then stay committed
//   cost    a read of all objects, and an UPDATE by key for each that has a label
void fill_label_keys(Connection& connection);

// The step to schema 5: creates the table renames and fills it from the notes of rows that
// vanished, 1,000 rows a transaction. Where the created object has no row, the content is unknown
// and stays empty.
//   throws  Failure; what was done stays done
//   cost    a read of all rows of vanished objects
void fill_renames(Connection& connection);

// The step to schema 6: creates the table words and fills it from names and labels, 10,000 objects
// a transaction. Other names follow when an object is recorded again.
//   throws  Failure; what was done stays done
//   cost    a read of all objects, and an insert for each of their words
void fill_words(Connection& connection);

// Three parts of the step to schema 8. This one writes class, name and bytes into the rows of history, 2,000 rows a transaction,
// and counts the rows of a release a transaction.
//   throws  Failure; what was done stays done
//   cost    an UPDATE of all rows, and a walk over them in an index
void fill_row_counts(Connection& connection);

// Writes tag_bits into the rows of history that have none, up to 2,000 rows or 8 MB of notes a
// transaction.
//   throws  Failure; what was done stays done
//   cost    a read of all notes, and an UPDATE of all rows
void fill_tag_bits(Connection& connection);

// Makes objects.label_key and the words again with base::search_key(), from
// labels, names, other names and, because of former labels, the words, 10,000 objects a transaction.
//   throws  Failure; what was done stays done
//   cost    a read of all words and all objects, and a write for each label and word whose key differs
void fill_search_keys(Connection& connection);

}  // namespace store
