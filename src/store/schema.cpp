// SPDX-License-Identifier: MIT
#include "store/schema.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <simdjson.h>

#include "base/text.hpp"
#include "base/words.hpp"
#include "store/dialect.hpp"
#include "store/row_counts.hpp"
#include "store/store.hpp"
#include "store/tag_bits.hpp"
#include "store/words.hpp"

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
    OwnColumn{"renames", "new_name"},
    OwnColumn{"words", "word"},
    OwnColumn{"watch_lists", "last_used"},
    OwnColumn{"row_counts", "slot"},
    OwnColumn{"dictionaries", "dictionary"},
    OwnColumn{"topics", "url_digest"},
    OwnColumn{"subscriptions", "callback_digest"},
    OwnColumn{"notifications", "made_at"},
    OwnColumn{"hub_notes", "number"},
    OwnColumn{"feeds", "next_fetch_attempt"},
    OwnColumn{"fetch_events", "event"},
    OwnColumn{"base_urls", "free_at"},
    OwnColumn{"feed_hubs", "token"},
    OwnColumn{"entries", "guid_digest"},
    OwnColumn{"entry_changes", "notes"},
    OwnColumn{"mentions", "mentioned_at"},
    OwnColumn{"archives", "next_url"},
    OwnColumn{"known_urls", "hash"},
    OwnColumn{"harvest_notes", "number"},
};

std::string numbered(int schema) { return "schema " + std::to_string(schema); }

Result<void> refuse_newer(int schema) {
    if (schema <= newest_schema()) return {};
    return refuse("the store has " + numbered(schema) + ", this program knows " +
                  numbered(newest_schema()) + ": use a newer version of Varve");
}

// Returns the new name in the notes of a vanished object; empty when they have none.
std::string new_name_in(const std::string& notes) {
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    std::string_view name;
    if (parser.parse(notes).get(root) != simdjson::SUCCESS) return {};
    if (root["renamed_to"]["name"].get(name) != simdjson::SUCCESS) return {};
    return std::string(name);
}

// The content that the created object had, which is that of the vanished one.
std::string content_of(Transaction& transaction, const Value& version, const Value& class_name,
                       const std::string& name) {
    const auto rows = transaction.query(
        "SELECT h.signature FROM history h JOIN objects o ON o.oid = h.oid WHERE o.class = ? AND"
        " o.name = ? AND h.version = ?",
        {class_name, Value{name}, version});
    return rows.empty() ? "" : rows.front().text(0);
}

// Writes the renames that some rows tell of, from `oid` on. Returns the last oid that it read;
// nullopt when there are no more rows.
//   select  columns oid, class, digest and notes; of parameters version and oid
std::optional<std::int64_t> fill_some_renames(Connection& connection, const std::string& select,
                                              const Value& version, std::int64_t oid) {
    static const Insert a_rename{"renames",
                                 {"version", "oid", "digest", "class", "signature", "new_name"},
                                 {"version", "oid", "digest"}};
    Transaction transaction(connection, Access::write);
    const auto rows =
        transaction.query(select + " ORDER BY x.oid LIMIT 1000", {version, Value{oid}});
    if (rows.empty()) return std::nullopt;
    for (const auto& row : rows) {
        const auto name = new_name_in(row.text(3));
        if (name.empty()) continue;
        const std::vector<Value> values{
            version,
            row.value(0),
            row.value(2),
            row.value(1),
            Value{content_of(transaction, version, row.value(1), name)},
            Value{name}};
        static_cast<void>(insert_unless_there(transaction, a_rename, values));
    }
    transaction.commit();
    return rows.back().integer(0);
}

void run_step(Connection& connection, const Migration& step) {
    if (step.fill != nullptr) step.fill(connection);
    Transaction transaction(connection, Access::write);
    // Somebody else may have run it while this program waited for the lock.
    if (schema_of(connection).value_or(0) >= step.number) return;
    const auto script = connection.engine() == Engine::sqlite ? step.sqlite : step.mysql;
    for (const auto& sql : statements_of(script)) transaction.execute(sql);
    transaction.execute("UPDATE meta SET value = ? WHERE name = 'schema'",
                        {std::int64_t{step.number}});
    transaction.commit();
}

// Returns the key of schema 4.
std::string label_key_of(const std::string& name, const std::string& label) {
    return label == name ? "" : base::fold_ascii(label);
}

// Calls fn with 10,000 objects (oid, class, name, label, label_key and what is asked for besides), and so
// on, each time in a transaction of its own, until the store has the schema `step`: what it writes may
// mean something else in a later one.
template <class F>
void for_objects(Connection& connection, int step, F&& fn, const std::string& columns = "") {
    constexpr std::int64_t objects_at_once = 10'000;
    for (std::int64_t last = 0;;) {
        Transaction transaction(connection, Access::write);
        if (schema_of(connection).value_or(0) >= step) return;
        const auto objects =
            transaction.query("SELECT oid, class, name, label, label_key" + columns +
                                  " FROM objects WHERE oid > ? ORDER BY oid LIMIT ?",
                              {Value{last}, Value{objects_at_once}});
        if (objects.empty()) return;
        fn(transaction, objects);
        transaction.commit();
        last = objects.back().integer(0);
    }
}

// Compares the label again: whoever changed it meanwhile wrote its key too.
//   object  as for_objects() reads it
void set_label_key(Transaction& transaction, const Row& object, const std::string& key) {
    if (key != object.text(4))
        transaction.execute("UPDATE objects SET label_key = ? WHERE oid = ? AND label = ?",
                            {Value{key}, object.value(0), object.value(3)});
}

// Replaces the words that no question asks for any more by those that are asked for instead: those
// of former labels stand nowhere else.
void replace_words_without_key(Connection& connection) {
    constexpr std::array<std::string_view, 3> keys{"word", "class", "name"};
    constexpr std::int64_t words_at_once = 10'000;
    const auto behind = behind_key(connection.engine(), keys);
    std::vector<Value> last(keys.size(), Value{std::string()});
    for (;;) {
        Transaction transaction(connection, Access::write);
        std::vector<Value> values;
        for (const auto key : behind.values) values.push_back(last[key]);
        values.emplace_back(words_at_once);
        const auto words =
            transaction.query("SELECT word, class, name FROM words WHERE " + behind.sql +
                                  " ORDER BY word, class, name LIMIT ?",
                              values);
        if (words.empty()) return;
        for (std::size_t key = 0; key < keys.size(); ++key) last[key] = words.back().value(key);
        std::vector<SearchedObject> called;
        for (const auto& row : words) {
            if (base::search_key(row.text(0)) == row.text(0)) continue;
            called.push_back({row.text(1), {row.text(2), {}, row.text(0)}});
            transaction.execute("DELETE FROM words WHERE word = ? AND class = ? AND name = ?",
                                {row.value(0), row.value(1), row.value(2)});
        }
        add_words(transaction, called);
        transaction.commit();
    }
}

// Sets the bits of rows, of 64 by one statement.
void set_tag_bits(Transaction& transaction, std::int64_t bits, std::span<const Value> sids) {
    constexpr std::size_t at_once = 64;
    for (std::size_t at = 0; at < sids.size(); at += at_once) {
        const auto some = sids.subspan(at, std::min(at_once, sids.size() - at));
        const auto marks = some.size() == 1 ? 1 : at_once;
        std::vector<Value> values{Value{bits}};
        std::string sql = "UPDATE history SET tag_bits = ? WHERE sid IN (";
        for (std::size_t mark = 0; mark < marks; ++mark) {
            sql += mark == 0 ? "?" : ", ?";
            values.push_back(some[std::min(mark, some.size() - 1)]);
        }
        transaction.execute(sql + ")", values);
    }
}

// Adds a column to the history unless it is there: another program may upgrade the store too.
//   column  its name and what it is
void add_to_history(Connection& connection, const std::string& column) {
    Transaction transaction(connection, Access::write);
    if (!has(columns_of(connection, "history"), column.substr(0, column.find(' '))))
        transaction.execute(
            "ALTER TABLE history ADD COLUMN " +
            std::string(connection.engine() == Engine::sqlite ? "" : "IF NOT EXISTS ") + column);
    transaction.commit();
}

void fill_for_schema_8(Connection& connection) {
    fill_row_counts(connection);
    fill_tag_bits(connection);
    fill_search_keys(connection);
}

// Returns the step that sql/upgrade_<number>.sql and its SQLite twin make.
Migration upgrade_to(int number, void (*fill)(Connection&) = nullptr) {
    const auto name = "upgrade_" + std::to_string(number);
    return {number, sql_files().at(name + ".sqlite.sql"), sql_files().at(name + ".sql"), fill};
}

}  // namespace

std::string_view schema_sql(Engine engine) {
    return sql_files().at(engine == Engine::sqlite ? "objects_history.sqlite.sql"
                                                   : "objects_history.sql");
}

std::span<const Migration> migrations() {
    static const std::array all{upgrade_to(2),
                                upgrade_to(3),
                                upgrade_to(4, fill_label_keys),
                                upgrade_to(5, fill_renames),
                                upgrade_to(6, fill_words),
                                upgrade_to(7),
                                upgrade_to(8, fill_for_schema_8),
                                upgrade_to(9),
                                upgrade_to(10),
                                upgrade_to(11),
                                upgrade_to(12)};
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
        run_step(connection,
                 {newest_schema(), schema_sql(Engine::sqlite), schema_sql(Engine::mysql)});
    for (const auto& step : steps)
        if (schema_of(connection).value_or(0) < step.number) run_step(connection, step);
}

std::vector<std::string> foreign_tables(Connection& connection) {
    std::vector<std::string> foreign;
    for (const auto& [table, column] : own_columns) {
        const auto columns = columns_of(connection, table);
        if (!columns.empty() && !has(columns, column)) foreign.emplace_back(table);
    }
    return foreign;
}

bool adoption_is_unfinished(Connection& connection) {
    if (columns_of(connection, "first_objects").empty()) return false;
    if (columns_of(connection, "meta").empty()) return true;
    return connection.query("SELECT value FROM meta WHERE name = 'adopted'").empty();
}

Result<Upgraded> initialise(Connection& connection) {
    if (const auto foreign = foreign_tables(connection); !foreign.empty())
        return refuse("table " + foreign.front() +
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
    if (adoption_is_unfinished(connection))
        return refuse("the tables of the first system are not all adopted yet: run varve init");
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

void fill_label_keys(Connection& connection) {
    for_objects(connection, 4, [](Transaction& transaction, const Rows& objects) {
        for (const auto& object : objects)
            set_label_key(transaction, object, label_key_of(object.text(2), object.text(3)));
    });
}

void fill_renames(Connection& connection) {
    const auto script = sql_files().at(
        connection.engine() == Engine::sqlite ? "upgrade_5.sqlite.sql" : "upgrade_5.sql");
    for (const auto& sql : statements_of(script)) connection.execute(sql);
    const std::string selects[] = {
        "SELECT x.oid, o.class, '', x.notes FROM history x JOIN objects o ON o.oid = x.oid"
        " WHERE x.version = ? AND x.kind = 'vanished' AND x.oid > ?",
        "SELECT x.oid, o.class, x.digest, x.notes FROM replacements x"
        " JOIN objects o ON o.oid = x.oid"
        " WHERE x.version = ? AND x.kind = 'vanished' AND x.oid > ?"};
    for (const auto& release : connection.query("SELECT version FROM releases"))
        for (const auto& select : selects)
            for (std::optional<std::int64_t> last = 0; last;)
                last = fill_some_renames(connection, select, release.value(0), *last);
}

void fill_words(Connection& connection) {
    const auto script = sql_files().at(
        connection.engine() == Engine::sqlite ? "upgrade_6.sqlite.sql" : "upgrade_6.sql");
    for (const auto& sql : statements_of(script))
        if (sql.starts_with("CREATE")) connection.execute(sql);
    for_objects(connection, 6, [](Transaction& transaction, const Rows& objects) {
        std::vector<SearchedObject> called;
        for (const auto& object : objects)
            called.push_back({object.text(1), {object.text(2), object.text(3), {}}});
        add_words(transaction, called);
    });
}

void fill_search_keys(Connection& connection) {
    replace_words_without_key(connection);
    for_objects(
        connection, 8,
        [](Transaction& transaction, const Rows& objects) {
            std::vector<SearchedObject> called;
            for (const auto& object : objects) {
                const auto &name = object.text(2), &label = object.text(3);
                set_label_key(transaction, object, label == name ? "" : base::search_key(label));
                called.push_back({object.text(1), {name, label, object.text(5)}});
            }
            add_words(transaction, called);
        },
        ", other_names");
}

void fill_row_counts(Connection& connection) {
    constexpr std::int64_t rows_at_once = 2'000;
    const bool is_sqlite = connection.engine() == Engine::sqlite;
    const auto text = [&](const std::string& name, const std::string& length) {
        return name + (is_sqlite ? " TEXT NOT NULL DEFAULT '' CHECK (length(" + name +
                                       ") <= " + length + ")"
                                 : " VARCHAR(" + length + ") NOT NULL DEFAULT ''");
    };
    for (const auto& column : {text("class", "64"), text("name", "512"),
                               std::string(is_sqlite ? "bytes INTEGER NOT NULL DEFAULT 0"
                                                     : "bytes BIGINT NOT NULL DEFAULT 0")})
        add_to_history(connection, column);
    const auto script = sql_files().at(is_sqlite ? "upgrade_8.sqlite.sql" : "upgrade_8.sql");
    for (const auto& sql : statements_of(script))
        if (sql.find("row_counts") != std::string::npos) connection.execute(sql);
    for (std::int64_t last = 0;;) {
        Transaction transaction(connection, Access::write);
        const auto end = transaction.query("SELECT MAX(sid) FROM (SELECT sid FROM history"
                                           " WHERE sid > ? ORDER BY sid LIMIT ?) h",
                                           {Value{last}, Value{rows_at_once}});
        if (end.at(0).is_null(0)) break;
        transaction.execute(
            "UPDATE history SET class = (SELECT o.class FROM objects o WHERE o.oid = "
            "history.oid),"
            " name = (SELECT o.name FROM objects o WHERE o.oid = history.oid), bytes = " +
                byte_length(connection.engine(), "notes") +
                " WHERE sid > ? AND sid <= ? AND name = ''",
            {Value{last}, end.front().value(0)});
        transaction.commit();
        last = end.front().integer(0);
    }
    std::vector<std::string> versions;
    {
        Transaction transaction(connection, Access::read);
        versions = counted_versions(transaction);
    }
    for (const auto& version : versions) {
        Transaction transaction(connection, Access::write);
        count_again(transaction, version);
        transaction.commit();
    }
}

void fill_tag_bits(Connection& connection) {
    constexpr std::int64_t rows_at_once = 2'000, bytes_at_once = 8 << 20;
    add_to_history(connection, connection.engine() == Engine::sqlite
                                   ? "tag_bits INTEGER NOT NULL DEFAULT 0"
                                   : "tag_bits BIGINT NOT NULL DEFAULT 0");
    for (std::int64_t last = 0;;) {
        Transaction transaction(connection, Access::write);
        const auto sizes =
            transaction.query("SELECT sid, bytes FROM history WHERE sid > ? ORDER BY sid LIMIT ?",
                              {Value{last}, Value{rows_at_once}});
        if (sizes.empty()) return;
        auto end = sizes.front().integer(0);
        std::int64_t bytes = 0;
        for (const auto& row : sizes) {
            bytes += row.integer(1);
            if (bytes > bytes_at_once) break;
            end = row.integer(0);
        }
        std::map<std::int64_t, std::vector<Value>> sids;  // by their bits
        for (const auto& row : transaction.query(
                 "SELECT sid, notes FROM history WHERE sid > ? AND sid <= ? AND tag_bits = 0",
                 {Value{last}, Value{end}}))
            if (const auto bits = tag_bits_of(row.text(1)); bits != 0)
                sids[bits].push_back(row.value(0));
        for (const auto& [bits, of_bits] : sids) set_tag_bits(transaction, bits, of_bits);
        transaction.commit();
        last = end;
    }
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
