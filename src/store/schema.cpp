// SPDX-License-Identifier: MIT
#include "store/store.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "base/text.hpp"
#include "store/dialect.hpp"

namespace store {

// Returns the files of sql/ by name; tools/embed compiles them in.
const std::map<std::string_view, std::string_view>& sql_files();

namespace {

using base::ErrorKind;
using base::Result;

auto refuse(std::string text) { return base::fail(ErrorKind::refused, std::move(text)); }

bool has(const std::vector<std::string>& columns, std::string_view name) {
    return std::ranges::find(columns, name) != columns.end();
}

// A column that only our table of this name has.
struct OwnColumn {
    const char* table;
    const char* column;
};
constexpr std::array own_columns{
    OwnColumn{"releases", "released_on"},
    OwnColumn{"objects", "name_key"},
    OwnColumn{"history", "recorded_at"},
    OwnColumn{"trees", "tree"},
    OwnColumn{"accepted", "accepted_at"},
    OwnColumn{"meta", "value"},
    OwnColumn{"warmed", "warmed_at"},
    OwnColumn{"failed", "reason"},
    OwnColumn{"leases", "expires_at"},
    OwnColumn{"mass_changes", "of_objects"},
    OwnColumn{"replacements", "revision"},
    OwnColumn{"tokens", "token_hash"},
    OwnColumn{"words", "word"},
    OwnColumn{"watch_lists", "last_used"},
    OwnColumn{"topics", "url_digest"},
    OwnColumn{"notifications", "made_at"},
    OwnColumn{"subscriptions", "callback_digest"},
    OwnColumn{"hub_notes", "number"},
    OwnColumn{"feeds", "next_fetch_attempt"},
    OwnColumn{"fetch_events", "event"},
    OwnColumn{"base_urls", "free_at"},
    OwnColumn{"entries", "guid_digest"},
    OwnColumn{"entry_changes", "notes"},
    OwnColumn{"mentions", "mentioned_at"},
    OwnColumn{"archives", "next_url"},
    OwnColumn{"known_urls", "hash"},
    OwnColumn{"harvest_notes", "number"},
};

// Returns a table that has a name of ours and other columns; empty: there is none.
std::string foreign_table(Connection& connection) {
    for (const auto& [table, column] : own_columns) {
        const auto columns = columns_of(connection, table);
        if (!columns.empty() && !has(columns, column)) return table;
    }
    return {};
}

std::string numbered(int schema) { return "schema " + std::to_string(schema); }

Result<void> refuse_newer(int schema) {
    if (schema <= newest_schema()) return {};
    return refuse("the store has " + numbered(schema) + ", this program knows " +
                  numbered(newest_schema()) + ": use a newer version of Varve");
}

void run_step(Connection& connection, const Migration& step) {
    Transaction transaction(connection, Access::write);
    // Somebody else may have run it while this program waited for the lock.
    if (schema_of(connection).value_or(0) >= step.number) return;
    const auto script = connection.engine() == Engine::sqlite ? step.sqlite : step.mysql;
    for (const auto& sql : statements_of(script)) transaction.execute(sql);
    transaction.execute("UPDATE meta SET value = ? WHERE name = 'schema'",
                        {std::int64_t{step.number}});
    transaction.commit();
}

}  // namespace

std::string_view schema_sql(Engine engine) {
    return sql_files().at(engine == Engine::sqlite ? "objects_history.sqlite.sql"
                                                   : "objects_history.sql");
}

std::span<const Migration> migrations() { return {}; }

int newest_schema() {
    const auto steps = migrations();
    return steps.empty() ? 1 : steps.back().number;
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

void upgrade(Connection& connection, std::span<const Migration> steps) {
    if (!schema_of(connection))
        run_step(connection,
                 {newest_schema(), schema_sql(Engine::sqlite), schema_sql(Engine::mysql)});
    for (const auto& step : steps)
        if (schema_of(connection).value_or(0) < step.number) run_step(connection, step);
}

Result<Upgraded> initialise(Connection& connection) {
    if (const auto foreign = foreign_table(connection); !foreign.empty())
        return refuse("table " + foreign +
                      " belongs to another program: give Varve a database of its own");
    const int from = schema_of(connection).value_or(0);
    if (auto known = refuse_newer(from); !known) return tl::unexpected(known.error());
    upgrade(connection, migrations());
    return Upgraded{from, newest_schema()};
}

Result<void> check_tables(Connection& connection) {
    const auto schema = schema_of(connection);
    if (!schema) return refuse("the store has no schema yet: run varve init");
    if (auto known = refuse_newer(*schema); !known) return known;
    if (*schema < newest_schema())
        return refuse("the store has " + numbered(*schema) + ", this program needs " +
                      numbered(newest_schema()) + ": run varve init");
    return {};
}

Result<void> check_schema(Connection& connection) {
    if (auto fits = check_tables(connection); !fits) return fits;
    const std::vector<Value> mark{std::string(import_mark_name)};
    if (!connection.query("SELECT value FROM meta WHERE name = ?", mark).empty())
        return refuse("an import into this store was interrupted, or is running now: "
                      "varve import --again FILE starts over");
    return {};
}

std::vector<std::string> missing_parts(Connection& connection) {
    constexpr std::string_view create = "CREATE TABLE IF NOT EXISTS ";
    std::vector<std::string> missing;
    // Its twin has the same columns.
    for (const auto& statement : statements_of(schema_sql(Engine::sqlite))) {
        if (!statement.starts_with(create)) continue;
        const auto lines = base::split(statement, '\n');
        const auto first_word = [](std::string_view line) {
            return std::string(line.substr(0, line.find(' ')));
        };
        const auto table = first_word(lines.front().substr(create.size()));
        const auto columns = columns_of(connection, table);
        if (columns.empty()) {
            missing.push_back("table " + table);
            continue;
        }
        for (const auto line : lines) {
            // A line of the table begins with the name of a column, or with a word of SQL.
            const auto name = first_word(base::trim(line));
            const bool is_column = !name.empty() && name.front() >= 'a' && name.front() <= 'z';
            if (is_column && !has(columns, name))
                missing.push_back("column " + table + "." + name);
        }
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
