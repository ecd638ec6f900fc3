// store/dialect.hpp -- what differs between the SQL of the two engines.
// Both engines accept ? for values, || to join texts, 'x' as text (a backslash is a backslash),
// "x" as a name, LIMIT ?, CAST(x AS CHAR). Callers read new ids back by natural key.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/date.hpp"
#include "store/connection.hpp"
#include "store/pool.hpp"

namespace store {

// Where rows are inserted: names from the schema, never foreign text.
struct Insert {
    std::string_view table;
    std::vector<std::string_view> columns;  // in the order of the values
    std::vector<std::string_view> keys;     // those of a PRIMARY or UNIQUE key; upsert only
};

// Returns INSERT INTO table (columns) VALUES (?, …), the same for both engines.
//   rows  in one statement, 1 … 64
[[nodiscard]] std::string insert_sql(const Insert& insert, std::size_t rows = 1);

// Returns SQL that inserts a row, or updates the other columns of the row that has these keys. Its
// count means nothing: MariaDB counts 1 or 2, SQLite 1.
[[nodiscard]] std::string upsert_sql(Engine engine, const Insert& insert);

// Inserts the row unless a UNIQUE key is taken.
//   returns  whether this call inserted it
//   why      ON DUPLICATE KEY UPDATE x = x counts 1 in both cases where matched rows are
//            counted, and INSERT IGNORE turns every other error into a warning
bool insert_unless_there(Transaction& transaction, const Insert& insert,
                         std::span<const Value> values);

// Inserts many rows of one table in the caller's transaction. MariaDB gets statements of 64, 16, 4
// or 1 rows, so that four texts serve any number of rows, and of at most 1 MB of values where they
// have more than one row. SQLite, which needs no network round trip, gets one row at a time.
//   values  row after row, each in the order of insert.columns; may be empty
//   throws  Failure (duplicate: a UNIQUE key is taken), after which some rows may be inserted:
//           roll back; logic_error when the values are not a whole number of rows
//   cost    a round trip for 64 small rows (rows of `objects`, a commit every 1,000: SQLite
//           220,000 a second, MariaDB 110,000; of two short columns 950,000 and 310,000)
void insert_many(Transaction& transaction, const Insert& insert, std::span<const Value> values);

// Does the same, and leaves out rows whose key is taken.
//   needs  insert.keys
void insert_missing(Transaction& transaction, const Insert& insert,
                    std::span<const Value> values);

// Does the same, and adds to the other columns, which are numbers, of rows that have the key already.
//   needs  insert.keys
void add_many(Transaction& transaction, const Insert& insert, std::span<const Value> values);

// Prepares this connection for writing most of a database: gives SQLite so much memory for pages,
// and lets it checkpoint its log every 64 MB. Does nothing for MariaDB, whose server decides.
void expect_many_writes(Connection& connection, std::size_t cache_mb = 128);

// Returns the suffix of a SELECT whose rows the same transaction will write: other writers wait.
// It is empty for SQLite, where a writing transaction is alone anyway.
[[nodiscard]] std::string_view for_update(Engine engine);

// Returns the suffix of a SELECT whose rows stay as they were read until the transaction ends:
// others may read them in the same way, and writers of these rows wait. It is empty for SQLite.
[[nodiscard]] std::string_view for_share(Engine engine);

// Returns the time by the clock of the store: MariaDB's server, or for SQLite this host, which has
// the file. Times that another host compares later are taken from here, since the clocks of hosts
// may differ by any amount.
//   cost  one query
[[nodiscard]] base::Seconds now(Transaction& transaction);

// Returns the JOIN that reads the left table first, and for each of its rows looks up the right one:
// "a" + read_first(engine) + "b ON …"
[[nodiscard]] std::string_view read_first(Engine engine);

// Returns what follows a table in FROM so that it is read by this index, whatever the statistics say.
[[nodiscard]] std::string by_index(Engine engine, std::string_view index);

enum class ColumnType { integer, text, blob };
struct Column {
    std::string name;
    ColumnType type = ColumnType::text;
    bool nullable = false;
    bool operator==(const Column&) const = default;
};
// Returns a table's columns, in their order, equal for both engines; none when there is no such table.
[[nodiscard]] std::vector<Column> columns_of(Connection& connection, const std::string& table);

// The condition "after this row in the order of the key", in the form that each engine answers from
// the index: MariaDB would read all rows for (a, b) > (?, ?), SQLite for the long form.
struct BehindKey {
    std::string sql;
    std::vector<std::size_t> values;  // for each ? the index of the key column
};
[[nodiscard]] BehindKey behind_key(Engine engine, std::span<const std::string_view> keys);

// Returns SQL that deletes the first rows of a table by key, as many as its one value says.
[[nodiscard]] std::string delete_some_sql(Engine engine, std::string_view table,
                                          std::span<const std::string_view> keys);

// Returns SQL for how many bytes a column has: SQLite's LENGTH() counts the characters of a text.
[[nodiscard]] std::string byte_length(Engine engine, std::string_view column);

}  // namespace store
