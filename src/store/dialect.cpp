// SPDX-License-Identifier: MIT
#include "store/dialect.hpp"

#include <algorithm>

namespace store {
namespace {

std::string listed(const std::vector<std::string_view>& names) {
    std::string list;
    for (const auto name : names) list.append(list.empty() ? "" : ", ").append(name);
    return list;
}

// "a = <prefix>a<suffix>, …" for the columns that are no keys.
std::string assignments(const Insert& insert, std::string_view prefix, std::string_view suffix) {
    std::string list;
    for (const auto column : insert.columns) {
        if (std::ranges::find(insert.keys, column) != insert.keys.end()) continue;
        list.append(list.empty() ? "" : ", ").append(column).append(" = ");
        list.append(prefix).append(column).append(suffix);
    }
    return list;
}

}  // namespace

std::string insert_sql(const Insert& insert) {
    const std::vector<std::string_view> marks(insert.columns.size(), "?");
    return "INSERT INTO " + std::string(insert.table) + " (" + listed(insert.columns) +
           ") VALUES (" + listed(marks) + ")";
}

std::string upsert_sql(Engine engine, const Insert& insert) {
    if (engine == Engine::mysql)
        return insert_sql(insert) + " ON DUPLICATE KEY UPDATE " +
               assignments(insert, "VALUES(", ")");
    return insert_sql(insert) + " ON CONFLICT (" + listed(insert.keys) + ") DO UPDATE SET " +
           assignments(insert, "excluded.", "");
}

bool insert_unless_there(Transaction& transaction, const Insert& insert,
                         std::span<const Value> values) {
    try {
        transaction.execute(insert_sql(insert), values);
        return true;
    } catch (const Failure& failure) {
        // Both engines undo the statement alone; the transaction goes on.
        if (failure.meaning().duplicate) return false;
        throw;
    }
}

std::string_view for_update(Engine engine) {
    return engine == Engine::mysql ? " FOR UPDATE" : "";
}

std::vector<std::string> columns_of(Connection& connection, const std::string& table) {
    const std::string_view sql =
        connection.engine() == Engine::mysql
            ? "SELECT column_name FROM information_schema.columns"
              " WHERE table_schema = DATABASE() AND table_name = ? ORDER BY ordinal_position"
            : "SELECT name FROM pragma_table_info(?) ORDER BY cid";
    const std::vector<Value> values{table};
    std::vector<std::string> names;
    for (const auto& row : connection.query(sql, values)) names.push_back(row.text(0));
    return names;
}

std::string as_bytes(Engine engine, std::string_view column) {
    const std::string_view type = engine == Engine::mysql ? "BINARY" : "BLOB";
    return "CAST(" + std::string(column) + " AS " + std::string(type) + ")";
}

}  // namespace store
