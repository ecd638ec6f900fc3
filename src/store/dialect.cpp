// SPDX-License-Identifier: MIT
#include "store/dialect.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "base/text.hpp"

namespace store {
namespace {

using base::join;

enum class Update : unsigned char { replace, add };

// Returns what follows an INSERT so that a row that has the keys already gets the other columns: the new values, or its
// own and those added up.
std::string on_conflict(Engine engine, const Insert& insert, Update update) {
    const bool is_mysql = engine == Engine::mysql;
    std::string list;
    for (const auto column : insert.columns) {
        if (std::ranges::find(insert.keys, column) != insert.keys.end()) continue;
        const std::string name(column);
        list += (list.empty() ? "" : ", ") + name + " = ";
        if (update == Update::add) list += name + " + ";
        list += is_mysql ? "VALUES(" + name + ")" : "excluded." + name;
    }
    return is_mysql ? " ON DUPLICATE KEY UPDATE " + list
                    : " ON CONFLICT (" + join(insert.keys, ", ") + ") DO UPDATE SET " + list;
}

// "bigint", "INTEGER", "longblob", "varchar", …
ColumnType type_called(std::string_view name) {
    const std::string folded = base::fold_ascii(name);
    if (folded.find("int") != std::string::npos) return ColumnType::integer;
    return folded.ends_with("blob") ? ColumnType::blob : ColumnType::text;
}

// Rows of one statement, and bytes of its values when it has more than one row: a server rejects
// a statement above max_allowed_packet, by default 16 MB.
constexpr std::array<std::size_t, 4> group_sizes{64, 16, 4, 1};
constexpr std::size_t most_bytes = std::size_t{1} << 20;

std::size_t bytes_of(const Value& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return text->size();
    if (const auto* blob = std::get_if<Blob>(&value)) return blob->bytes.size();
    return sizeof(std::int64_t);
}

// Returns how many of the first rows fit into one statement, 0 … 64.
std::size_t rows_that_fit(std::span<const Value> values, std::size_t columns) {
    const std::size_t rows = std::min(group_sizes.front(), values.size() / columns);
    std::size_t bytes = 0;
    for (std::size_t at = 0; at < rows * columns; ++at) {
        bytes += bytes_of(values[at]);
        if (bytes > most_bytes) return at / columns;
    }
    return rows;
}

// Returns the largest group that fits; 1 for a row above the limit.
std::size_t next_group(std::span<const Value> values, std::size_t columns) {
    const std::size_t fitting = std::max<std::size_t>(rows_that_fit(values, columns), 1);
    return *std::ranges::find_if(group_sizes, [&](std::size_t rows) { return rows <= fitting; });
}

//   behind  what follows the rows in the statement
void insert_rows(Transaction& transaction, const Insert& insert, std::span<const Value> values,
                 std::string_view behind) {
    const std::size_t columns = insert.columns.size();
    if (columns == 0 || values.size() % columns != 0)
        throw std::logic_error("not a whole number of rows for " + std::string(insert.table));
    const bool in_groups = transaction.engine() == Engine::mysql;
    std::size_t rows = 0;  // of `sql`
    std::string sql;
    while (!values.empty()) {
        const std::size_t step = in_groups ? next_group(values, columns) : 1;
        if (step != rows) sql = insert_sql(insert, rows = step).append(behind);
        transaction.execute(sql, values.first(step * columns));
        values = values.subspan(step * columns);
    }
}

}  // namespace

std::string insert_sql(const Insert& insert, std::size_t rows) {
    const std::vector<std::string_view> marks(insert.columns.size(), "?");
    const std::string row = "(" + join(marks, ", ") + ")";
    return "INSERT INTO " + std::string(insert.table) + " (" + join(insert.columns, ", ") +
           ") VALUES " + join(std::vector<std::string_view>(rows, row), ", ");
}

std::string upsert_sql(Engine engine, const Insert& insert) {
    return insert_sql(insert) + on_conflict(engine, insert, Update::replace);
}

bool insert_unless_there(Transaction& transaction, const Insert& insert,
                         std::span<const Value> values) {
    try {
        transaction.execute(insert_sql(insert), values);
        return true;
    } catch (const Failure& failure) {
        // Both engines undo only this statement; the transaction continues.
        if (failure.kind().duplicate) return false;
        throw;
    }
}

void insert_many(Transaction& transaction, const Insert& insert, std::span<const Value> values) {
    insert_rows(transaction, insert, values, "");
}

void insert_missing(Transaction& transaction, const Insert& insert,
                    std::span<const Value> values) {
    const std::string key(insert.keys.front());
    insert_rows(transaction, insert, values,
                transaction.engine() == Engine::mysql
                    ? " ON DUPLICATE KEY UPDATE " + key + " = " + key
                    : " ON CONFLICT DO NOTHING");
}

void add_many(Transaction& transaction, const Insert& insert, std::span<const Value> values) {
    insert_rows(transaction, insert, values,
                on_conflict(transaction.engine(), insert, Update::add));
}

void expect_many_writes(Connection& connection, std::size_t cache_mb) {
    if (connection.engine() == Engine::mysql) return;
    (void)connection.query("PRAGMA cache_size = -" + std::to_string(cache_mb * 1024));  // KB
    (void)connection.query("PRAGMA wal_autocheckpoint = 16384");  // pages of 4 KB
}

std::string_view for_update(Engine engine) {
    return engine == Engine::mysql ? " FOR UPDATE" : "";
}

std::string_view for_share(Engine engine) {
    return engine == Engine::mysql ? " LOCK IN SHARE MODE" : "";
}

base::Seconds now(Transaction& transaction) {
    const std::string_view sql = transaction.engine() == Engine::mysql
                                     ? "SELECT DATE_FORMAT(UTC_TIMESTAMP(), '%Y-%m-%dT%H:%i:%sZ')"
                                     : "SELECT strftime('%Y-%m-%dT%H:%M:%SZ', 'now')";
    const auto time = base::parse_rfc3339(transaction.query(sql).at(0).text(0));
    if (!time) throw std::logic_error("the store's clock gives no time");
    return *time;
}

std::string_view read_first(Engine engine) {
    return engine == Engine::mysql ? " STRAIGHT_JOIN " : " CROSS JOIN ";
}

std::string by_index(Engine engine, std::string_view index) {
    const std::string name(index);
    return engine == Engine::mysql ? " FORCE INDEX (" + name + ")" : " INDEXED BY " + name;
}

std::vector<Column> columns_of(Connection& connection, const std::string& table) {
    // SQLite reports a rowid that is a primary key as nullable, which it is not.
    const std::string_view sql =
        connection.engine() == Engine::mysql
            ? "SELECT column_name, data_type, is_nullable = 'YES' FROM"
              " information_schema.columns WHERE table_schema = DATABASE() AND table_name = ?"
              " ORDER BY ordinal_position"
            : "SELECT name, type, \"notnull\" = 0 AND pk = 0 FROM pragma_table_info(?)"
              " ORDER BY cid";
    const std::vector<Value> values{table};
    std::vector<Column> columns;
    for (const auto& row : connection.query(sql, values))
        columns.push_back({row.text(0), type_called(row.text(1)), row.integer(2) != 0});
    return columns;
}

BehindKey behind_key(Engine engine, std::span<const std::string_view> keys) {
    const std::vector<std::string_view> marks(keys.size(), "?");
    BehindKey behind;
    if (engine == Engine::sqlite) {
        behind.sql = "(" + join(keys, ", ") + ") > (" + join(marks, ", ") + ")";
        for (std::size_t key = 0; key < keys.size(); ++key) behind.values.push_back(key);
        return behind;
    }
    for (std::size_t last = 0; last < keys.size(); ++last) {
        behind.sql += last == 0 ? "(" : " OR ";
        for (std::size_t key = 0; key <= last; ++key) {
            behind.sql.append(key == 0 ? "(" : " AND ").append(keys[key]);
            behind.sql += key == last ? " > ?)" : " = ?";
            behind.values.push_back(key);
        }
    }
    behind.sql += ")";
    return behind;
}

std::string delete_some_sql(Engine engine, std::string_view table,
                            std::span<const std::string_view> keys) {
    const std::string from = "DELETE FROM " + std::string(table);
    const std::string first = " ORDER BY " + join(keys, ", ") + " LIMIT ?";
    if (engine == Engine::mysql) return from + first;
    return from + " WHERE (" + join(keys, ", ") + ") IN (SELECT " + join(keys, ", ") + " FROM " +
           std::string(table) + first + ")";
}

std::string byte_length(Engine engine, std::string_view column) {
    const std::string name(column);
    return engine == Engine::mysql ? "LENGTH(" + name + ")"
                                   : "LENGTH(CAST(" + name + " AS BLOB))";
}

}  // namespace store
