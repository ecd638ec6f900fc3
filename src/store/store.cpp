// SPDX-License-Identifier: MIT
#include "store/store.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "base/text.hpp"
#include "store/dialect.hpp"
#include "store/mysql.hpp"
#include "store/sqlite.hpp"

namespace store {

// Returns the files of sql/ by name; tools/embed compiles them in.
const std::map<std::string_view, std::string_view>& sql_files();

namespace {

using base::ErrorKind;
using base::Result;

auto refuse(std::string text) { return base::fail(ErrorKind::refused, std::move(text)); }

bool has(const std::vector<Column>& columns, std::string_view name) {
    return std::ranges::find(columns, name, &Column::name) != columns.end();
}

struct Table {
    std::string name;
    std::vector<Column> columns;
};

// Returns the tables of the schema; of both engines, since twins have the same columns.
std::vector<Table> our_tables() {
    const auto connection = open_sqlite(":memory:", IfMissing::fail);
    for (const auto& sql : statements_of(schema_sql(Engine::sqlite))) connection->execute(sql);
    std::vector<Table> tables;
    for (const auto& row :
         connection->query("SELECT name FROM sqlite_schema WHERE type = 'table' AND"
                           " name NOT LIKE 'sqlite_%' ORDER BY rowid"))
        tables.push_back({row.text(0), columns_of(*connection, row.text(0))});
    return tables;
}

// Returns a table that has a name of ours and other columns; empty: there is none.
std::string foreign_table(Connection& connection) {
    for (const auto& [table, ours] : our_tables()) {
        const auto columns = columns_of(connection, table);
        const auto is_there = [&](const Column& column) { return has(columns, column.name); };
        if (!columns.empty() && !std::ranges::all_of(ours, is_there)) return table;
    }
    return {};
}

Result<void> refuse_other(int schema) {
    if (schema == schema_number) return {};
    return refuse(
        "the store has schema " + std::to_string(schema) + ", this program needs " +
        std::to_string(schema_number) + ": " +
        (schema > schema_number
             ? "use a newer version of Varve"
             : "it is from before the first release, so use a new one, and run varve init"));
}

}  // namespace

Connect connector(Url url, std::string password, IfMissing if_missing,
                  std::chrono::seconds answer_within) {
    if (url.engine == Engine::sqlite)
        return [path = std::move(url.path), if_missing,
                busy_for = std::min(answer_within, std::chrono::seconds(5))] {
            return open_sqlite(path, if_missing, busy_for);
        };
    return [url = std::move(url), password = std::move(password), answer_within] {
        return open_mysql(url, password, answer_within);
    };
}

std::string_view schema_sql(Engine engine) {
    return sql_files().at(engine == Engine::sqlite ? "objects_history.sqlite.sql"
                                                   : "objects_history.sql");
}

std::vector<std::string> statements_of(std::string_view script) {
    std::vector<std::string> statements;
    std::string statement;
    bool quoted = false;
    for (std::size_t at = 0; at < script.size(); ++at) {
        if (!quoted && script.substr(at, 2) == "--") {
            at = std::min(script.find('\n', at), script.size() - 1);
            statement += '\n';
        } else if (!quoted && script[at] == ';') {
            statements.emplace_back(base::trim(statement));
            statement.clear();
        } else {
            if (script[at] == '\'') quoted = !quoted;
            statement += script[at];
        }
    }
    if (const auto rest = base::trim(statement); !rest.empty()) statements.emplace_back(rest);
    return statements;
}

std::optional<int> schema_of(Connection& connection) {
    if (!has(columns_of(connection, "meta"), "value")) return std::nullopt;
    const auto rows = connection.query("SELECT value FROM meta WHERE name = 'schema'");
    if (rows.empty()) return std::nullopt;
    return static_cast<int>(rows.front().integer(0));
}

Result<bool> initialise(Connection& connection) {
    if (const auto schema = schema_of(connection))
        return refuse_other(*schema).map([] { return false; });
    if (const auto foreign = foreign_table(connection); !foreign.empty())
        return refuse("table " + foreign +
                      " belongs to another program: give Varve a database of its own");
    Transaction transaction(connection, Access::write);
    // Somebody else may have created it while this program waited for the lock.
    if (schema_of(connection)) return false;
    for (const auto& sql : statements_of(schema_sql(connection.engine())))
        transaction.execute(sql);
    transaction.commit();
    return true;
}

Result<void> check_tables(Connection& connection) {
    const auto schema = schema_of(connection);
    return schema ? refuse_other(*schema) : refuse("the store has no schema yet: run varve init");
}

Result<void> check_schema(Connection& connection) {
    if (auto fits = check_tables(connection); !fits) return fits;
    const std::vector<Value> mark{std::string(import_mark_name)};
    if (!connection.query("SELECT value FROM meta WHERE name = ?", mark).empty())
        return refuse("an import into this store was interrupted, or is running now: "
                      "varve import --again FILE starts over");
    return {};
}

Result<void> check_schema(Pool& pool) {
    constexpr int attempts = 3;
    for (int attempt = 1;; ++attempt) {
        const auto connection = pool.lease();
        try {
            return check_schema(*connection);
        } catch (const Failure& failure) {
            if (!failure.kind().lost_connection || attempt == attempts) throw;
        }
    }
}

std::vector<std::string> missing_parts(Connection& connection) {
    std::vector<std::string> missing;
    for (const auto& [table, ours] : our_tables()) {
        const auto columns = columns_of(connection, table);
        if (columns.empty()) {
            missing.push_back("table " + table);
            continue;
        }
        for (const auto& column : ours)
            if (!has(columns, column.name))
                missing.push_back("column " + table + "." + column.name);
    }
    return missing;
}

void check_writable(Connection& connection) {
    Transaction transaction(connection, Access::write);
    if (transaction.execute("UPDATE meta SET value = value + 1 WHERE name = 'probe'") == 0)
        (void)insert_unless_there(
            transaction, {"meta", {"name", "value"}, {"name"}},
            std::vector{Value{std::string("probe")}, Value{std::int64_t{1}}});
    transaction.commit();
    connection.require_room();
}

}  // namespace store
