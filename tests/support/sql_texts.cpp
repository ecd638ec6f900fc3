// SPDX-License-Identifier: MIT
#include "support/sql_texts.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>

#include "store/store.hpp"
#include "support/forwarding_connection.hpp"
#include "support/stores.hpp"

namespace support {
namespace {

class SqlTexts {
   public:
    static SqlTexts& only() {
        static SqlTexts texts;
        return texts;
    }
    void keep(std::string_view sql) {
        const std::scoped_lock lock(mutex_);
        if (texts_.find(sql) == texts_.end()) texts_.emplace(sql);
    }
    [[nodiscard]] std::set<std::string> all() const {
        const std::scoped_lock lock(mutex_);
        return {texts_.begin(), texts_.end()};
    }

   private:
    struct Hash : std::hash<std::string_view> {
        using is_transparent = void;
    };
    mutable std::mutex mutex_;
    std::unordered_set<std::string, Hash, std::equal_to<>> texts_;
};

class KeepingConnection final : public ForwardingConnection {
   public:
    explicit KeepingConnection(std::unique_ptr<store::Connection> real)
        : ForwardingConnection(std::move(real)) {}
    [[nodiscard]] store::Rows query(std::string_view sql,
                                    std::span<const store::Value> values = {}) override {
        auto rows = ForwardingConnection::query(sql, values);
        SqlTexts::only().keep(sql);
        return rows;
    }
    std::int64_t execute(std::string_view sql,
                         std::span<const store::Value> values = {}) override {
        const auto count = ForwardingConnection::execute(sql, values);
        SqlTexts::only().keep(sql);
        return count;
    }
};

// What store/dialect.hpp writes for SQLite, and for MariaDB.
std::string in_mariadb_words(std::string sql) {
    static const std::array<std::pair<std::regex, const char*>, 7> words{{
        {std::regex(" CROSS JOIN "), " STRAIGHT_JOIN "},
        {std::regex(" INDEXED BY (\\w+)"), " FORCE INDEX ($1)"},
        {std::regex("CAST\\(([\\w.'-]+) AS BLOB\\)"), "CAST($1 AS BINARY)"},
        {std::regex(" ON CONFLICT DO NOTHING$"), ""},
        {std::regex(" ON CONFLICT \\([\\w, ]+\\) DO UPDATE SET "), " ON DUPLICATE KEY UPDATE "},
        {std::regex("\\bexcluded\\.(\\w+)"), "VALUES($1)"},
        {std::regex("^DELETE FROM (\\w+) WHERE \\(([\\w, ]+)\\) IN \\(SELECT \\2 FROM \\1"
                    " ORDER BY \\2 LIMIT \\?\\)$"),
         "DELETE FROM $1 ORDER BY $2 LIMIT ?"},
    }};
    for (const auto& [sqlite, mariadb] : words) sql = std::regex_replace(sql, sqlite, mariadb);
    return sql;
}

// Returns the statements that make the schema of SQLite; MariaDB has its own.
std::set<std::string> schema_texts() {
    const auto statements = store::statements_of(store::schema_sql(store::Engine::sqlite));
    return {statements.begin(), statements.end()};
}

// Returns whether a text is for SQLite alone. Those of the product have a twin beside them, in
// store/dialect.cpp and tables/objects.cpp. Tests look at plans and tables of SQLite, and make rows
// with WITH RECURSIVE and zeroblob(), which the product does not use.
bool is_for_sqlite_alone(const std::string& sql) {
    static const auto of_schema = schema_texts();
    for (const auto* begin : {"PRAGMA ", "CREATE ", "ALTER ", "DROP ", "WITH RECURSIVE ",
                              "EXPLAIN QUERY PLAN ", "SELECT name FROM sqlite_schema "})
        if (sql.starts_with(begin)) return true;
    return of_schema.contains(sql) || sql == "SELECT strftime('%Y-%m-%dT%H:%M:%SZ', 'now')" ||
           sql == "SELECT last_insert_rowid()" || sql.find("(zeroblob(") != std::string::npos ||
           sql.find(" FROM pragma_table_info(?) ") != std::string::npos;
}

// Returns why MariaDB cannot prepare it; empty when it can.
std::string refusal_of(store::Connection& connection, const std::string& sql) {
    // A statement is prepared before its values are counted, and one value too many keeps it from
    // being executed.
    const std::vector<store::Value> too_many(
        static_cast<std::size_t>(std::ranges::count(sql, '?')) + 1);
    try {
        (void)connection.query(sql, too_many);
    } catch (const std::logic_error&) {
        return {};
    } catch (const store::Failure& failure) {
        // Tests make tables of their own. That both engines have ours is tested elsewhere.
        constexpr int no_such_table = 1146;
        if (failure.code() == no_such_table && sql.find("sqlite_") == std::string::npos)
            return {};
        return failure.what();
    }
    return "was executed";
}

}  // namespace

store::Connect keeping_texts(store::Connect real) {
    return [real = std::move(real)] { return std::make_unique<KeepingConnection>(real()); };
}

}  // namespace support

// This file is linked last, so its test runs after all others.
TEST_CASE("Each SQL text that ran on SQLite can be prepared on MariaDB") {
    using namespace support;
    const FreshStore sqlite(store::Engine::sqlite), mariadb(store::Engine::mysql);
    const std::string good = "SELECT value FROM meta WHERE name = ?", bad = "SELECT 'a' GLOB 'a'";
    {
        const auto kept = sqlite.connect()();
        (void)kept->query(good, std::array<store::Value, 1>{"schema"});
        const auto refused = mariadb.connect()();
        CHECK(refusal_of(*refused, bad).find("GLOB") != std::string::npos);
    }
    const auto texts = SqlTexts::only().all();
    CHECK(texts.contains(good));
    const auto connection = mariadb.connect()();
    for (const auto& text : texts) {
        if (is_for_sqlite_alone(text)) continue;
        INFO(text);
        CHECK(refusal_of(*connection, in_mariadb_words(text)) == "");
    }
}
