// store/dialect.hpp -- what SQL has to say differently to each engine: the one place for it.
// Both engines take: ? for values, || to join texts, 'x' as text (a backslash is a backslash),
// "x" as a name, LIMIT ?, CAST(x AS CHAR). Ids are read back by natural key, not asked for.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/connection.hpp"
#include "store/pool.hpp"

namespace store {

// One row to be written: table and columns as they are called in the schema, never foreign text.
struct Insert {
    std::string_view table;
    std::vector<std::string_view> columns;  // in the order of the values
    std::vector<std::string_view> keys;     // those of a PRIMARY or UNIQUE key; upsert only
};

// INSERT INTO table (columns) VALUES (?, …), the same for both.
//   rows  that many rows in one statement, 1 … 64
[[nodiscard]] std::string insert_sql(const Insert& insert, std::size_t rows = 1);

// Writes the row, or lays the values of the columns that are no keys over the row that has
// these keys. Its count says nothing: MariaDB counts 1 or 2, SQLite 1.
[[nodiscard]] std::string upsert_sql(Engine engine, const Insert& insert);

// Writes the row unless a UNIQUE key is taken.
//   returns  whether this call wrote it
//   why      ON DUPLICATE KEY UPDATE x = x counts 1 in both cases where matched rows are
//            counted, and INSERT IGNORE turns every other error into a warning
bool insert_unless_there(Transaction& transaction, const Insert& insert,
                         std::span<const Value> values);

// Writes many rows of one table in the caller's transaction. MariaDB gets statements of 64, 16,
// 4 and 1 rows, so that four texts a table serve any number of rows, and of at most 1 MB of
// values where they hold more than one row; SQLite, to which a statement costs no journey, one
// row at a time.
//   values  row after row, each in the order of insert.columns; no row at all is fine
//   throws  Failure (duplicate: a UNIQUE key is taken), after which some rows may stand: roll
//           the transaction back; logic_error when the values are no whole number of rows
//   cost    a journey for 64 small rows; no copy of the values here
//           (rows of `objects`, indexes kept, a commit each 1,000: SQLite 220,000 a second,
//           MariaDB 110,000; of two short columns 950,000 and 310,000)
void insert_many(Transaction& transaction, const Insert& insert, std::span<const Value> values);

// Makes this connection ready to write a database from end to end: SQLite gets so much memory to
// keep pages in, and writes its log into the file every 64 MB. Nothing for MariaDB, whose server
// decides on both.
void expect_many_writes(Connection& connection, std::size_t cache_mb = 128);

// Put behind a SELECT whose rows the same transaction goes on to write: other writers wait.
// Empty for SQLite, where a writing transaction is alone anyway.
[[nodiscard]] std::string_view for_update(Engine engine);

// Between two tables whose rows are to be looked up in this order: the first one's, and for each
// the second one's. "a" + read_first(engine) + "b ON …"
[[nodiscard]] std::string_view read_first(Engine engine);

// Names of a table's columns, in their order; none: no such table.
[[nodiscard]] std::vector<std::string> columns_of(Connection& connection,
                                                  const std::string& table);

enum class ColumnType { integer, text, blob };
struct Column {
    std::string name;
    ColumnType type = ColumnType::text;
    bool nullable = false;
    bool operator==(const Column&) const = default;
};
// The same with what they hold; equal for both engines.
[[nodiscard]] std::vector<Column> described_columns_of(Connection& connection,
                                                       const std::string& table);

// The condition of the rows behind one row in the order of their key, which both engines answer
// from the key's index: MariaDB reads all rows for (a, b) > (?, ?), SQLite for its long form.
struct BehindKey {
    std::string sql;
    std::vector<std::size_t> values;  // for each ? the number of the key column whose value it is
};
[[nodiscard]] BehindKey behind_key(Engine engine, std::span<const std::string_view> keys);

// DELETE of so many of a table's rows as its one value tells, the first ones by key.
[[nodiscard]] std::string delete_some_sql(Engine engine, std::string_view table,
                                          std::span<const std::string_view> keys);

// The bytes of a text column as they lie in the table, in no character set.
[[nodiscard]] std::string as_bytes(Engine engine, std::string_view column);

}  // namespace store
