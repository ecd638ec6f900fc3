// SPDX-License-Identifier: MIT
#include "store/schema.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "base/text.hpp"
#include "store/adoption.hpp"
#include "store/dialect.hpp"
#include "store/import_mark.hpp"
#include "store/store.hpp"

namespace store {

// sql/*.sql, compiled in by the Makefile.
extern const std::string_view mysql_schema, sqlite_schema, mysql_upgrade_2, sqlite_upgrade_2,
    mysql_upgrade_3, sqlite_upgrade_3, mysql_upgrade_4, sqlite_upgrade_4;

namespace {

using base::Kind;
using base::Result;

auto refuse(std::string text) { return base::fail(Kind::refused, std::move(text)); }

bool has(const std::vector<std::string>& columns, std::string_view name) {
    return std::ranges::find(columns, name) != columns.end();
}

// By this column a table of ours is known from one of somebody else's with the same name.
struct Mark {
    const char* table;
    const char* column;
};
constexpr std::array marks{
    Mark{"releases", "released_on"},  Mark{"objects", "name_key"},
    Mark{"history", "recorded_at"},   Mark{"trees", "tree"},
    Mark{"accepted", "accepted_at"},  Mark{"meta", "value"},
    Mark{"warmed", "warmed_at"},      Mark{"failed", "reason"},
    Mark{"leases", "expires_at"},     Mark{"mass_changes", "of_objects"},
    Mark{"replacements", "revision"}, Mark{"tokens", "token_hash"},
};

struct Survey {
    std::optional<int> schema;
    bool first_system = false;  // its tables are here, and not all of them adopted
};

Result<Survey> survey(Connection& connection) {
    Survey found;
    for (const auto& [table, column] : marks) {
        const auto columns = columns_of(connection, table);
        if (columns.empty() || has(columns, column)) continue;
        const bool first = is_first_objects(columns) || is_first_history(columns);
        if (!first)
            return refuse(std::string("table ") + table + " is not one of Varve's: use a " +
                          "database of its own");
        if (!columns_of(connection, std::string("first_") + table).empty())
            return refuse(std::string("table first_") + table + " is in the way of adopting " +
                          table);
        found.first_system = true;
    }
    found.schema = schema_of(connection);
    found.first_system = found.first_system || adoption_is_unfinished(connection);
    return found;
}

std::string numbered(int schema) { return "schema " + std::to_string(schema); }

Result<void> refuse_newer(int schema) {
    if (schema <= newest_schema()) return {};
    return refuse("the store has " + numbered(schema) + ", this program knows " +
                  numbered(newest_schema()) + ": use a newer program");
}

void run_step(Connection& connection, const Migration& step) {
    if (step.fill != nullptr) step.fill(connection);
    Transaction transaction(connection, Access::write);
    // Somebody else may have run it while we waited for the lock.
    if (schema_of(connection).value_or(0) >= step.number) return;
    const auto script = connection.engine() == Engine::sqlite ? step.sqlite : step.mysql;
    for (const auto& sql : statements_of(script)) transaction.execute(sql);
    transaction.execute("UPDATE meta SET value = ? WHERE name = 'schema'",
                        {std::int64_t{step.number}});
    transaction.commit();
}

}  // namespace

std::string_view schema_sql(Engine engine) {
    return engine == Engine::sqlite ? sqlite_schema : mysql_schema;
}

std::span<const Migration> migrations() {
    static const std::array all{Migration{2, sqlite_upgrade_2, mysql_upgrade_2},
                                Migration{3, sqlite_upgrade_3, mysql_upgrade_3},
                                Migration{4, sqlite_upgrade_4, mysql_upgrade_4, fill_label_keys}};
    return all;
}

int newest_schema() { return migrations().back().number; }

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
        run_step(connection, {newest_schema(), sqlite_schema, mysql_schema});
    for (const auto& step : steps)
        if (schema_of(connection).value_or(0) < step.number) run_step(connection, step);
}

Result<Upgraded> initialise(Connection& connection, base::Seconds now) {
    const auto found = survey(connection);
    if (!found) return tl::unexpected(found.error());
    if (auto known = refuse_newer(found->schema.value_or(0)); !known)
        return tl::unexpected(known.error());
    Upgraded done;
    done.from = found->first_system ? -1 : found->schema.value_or(0);
    done.to = newest_schema();
    if (found->first_system) set_first_tables_aside(connection);
    upgrade(connection, migrations());
    if (found->first_system) adopt(connection, now, done);
    return done;
}

Result<void> check_tables(Connection& connection) {
    const auto schema = schema_of(connection);
    if (!schema) return refuse("the store has no schema yet: run varve init");
    if (auto known = refuse_newer(*schema); !known) return known;
    if (*schema < newest_schema())
        return refuse("the store has " + numbered(*schema) + ", this program needs " +
                      numbered(newest_schema()) + ": run varve init");
    if (adoption_is_unfinished(connection))
        return refuse("the first system's tables are not all adopted: run varve init");
    return {};
}

Result<void> check_schema(Connection& connection) {
    if (auto fits = check_tables(connection); !fits) return fits;
    if (import_is_unfinished(connection))
        return refuse("an import into this store was broken off, or goes on now: "
                      "varve import --again FILE begins anew");
    return {};
}

}  // namespace store
