// SPDX-License-Identifier: MIT
#include "store/mysql_connection.hpp"

#include <cppconn/datatype.h>
#include <cppconn/parameter_metadata.h>
#include <cppconn/prepared_statement.h>
#include <cppconn/resultset.h>
#include <cppconn/resultset_metadata.h>

#include <map>

#include "base/log.hpp"
#include "store/mysql_session.hpp"

namespace store {
namespace {

// The server keeps at most 16,382 for all its clients (max_prepared_stmt_count).
constexpr std::size_t most_statements = 128;

using Statement = std::unique_ptr<sql::PreparedStatement>;

void bind(sql::PreparedStatement& statement, unsigned at, const Value& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        statement.setInt64(at, *integer);
    else if (const auto* text = std::get_if<std::string>(&value))
        statement.setString(at, sql::SQLString(*text));
    else if (const auto* blob = std::get_if<Blob>(&value))
        statement.setString(at, sql::SQLString(blob->bytes));
    else
        statement.setNull(at, sql::DataType::SQLNULL);
}

enum class Shape : unsigned char { integer, text, blob };

Shape shape_of(sql::ResultSetMetaData& columns, unsigned at) {
    switch (columns.getColumnType(at)) {
        case sql::DataType::BIT:
        case sql::DataType::TINYINT:
        case sql::DataType::SMALLINT:
        case sql::DataType::MEDIUMINT:
        case sql::DataType::INTEGER:
        case sql::DataType::BIGINT: return Shape::integer;
        // SUM() of integers is a DECIMAL here and an integer for SQLite.
        case sql::DataType::DECIMAL:
        case sql::DataType::NUMERIC:
            return columns.getScale(at) == 0 ? Shape::integer : Shape::text;
        case sql::DataType::BINARY:
        case sql::DataType::VARBINARY:
        case sql::DataType::LONGVARBINARY: return Shape::blob;
        default: return Shape::text;
    }
}

std::string bytes_of(const sql::SQLString& text) { return {text.c_str(), text.length()}; }

Value value_at(sql::ResultSet& result, unsigned at, Shape shape) {
    if (result.isNull(at)) return std::monostate{};
    switch (shape) {
        case Shape::integer: return std::int64_t{result.getInt64(at)};
        case Shape::blob: return Blob{bytes_of(result.getString(at))};
        case Shape::text: break;
    }
    return bytes_of(result.getString(at));
}

Rows rows_of(sql::ResultSet& result) {
    auto& columns = *result.getMetaData();  // owned by the result
    std::vector<Shape> shapes;
    for (unsigned at = 1; at <= columns.getColumnCount(); ++at)
        shapes.push_back(shape_of(columns, at));
    Rows rows;
    rows.reserve(result.rowsCount());
    while (result.next()) {
        std::vector<Value> values;
        values.reserve(shapes.size());
        for (unsigned at = 1; at <= shapes.size(); ++at)
            values.push_back(value_at(result, at, shapes[at - 1]));
        rows.emplace_back(std::move(values));
    }
    return rows;
}

class MysqlConnection final : public Connection {
   public:
    explicit MysqlConnection(std::unique_ptr<sql::Connection> session)
        : session_(std::move(session)) {}

    [[nodiscard]] Engine engine() const override { return Engine::mysql; }

    [[nodiscard]] Rows query(std::string_view sql, std::span<const Value> values = {}) override {
        return telling(sql, [&] {
            auto& prepared = bound(sql, values);
            const std::unique_ptr<sql::ResultSet> result(prepared.executeQuery());
            return rows_of(*result);
        });
    }

    std::int64_t execute(std::string_view sql, std::span<const Value> values = {}) override {
        return telling(sql, [&] { return std::int64_t{bound(sql, values).executeUpdate()}; });
    }

    // The connector's own commit(), rollback() and setAutoCommit() drop the server's answer: a
    // lost commit would look like a good one. As statements they throw.
    void begin(Access access) override {
        if (access == Access::read) {
            // READ ONLY with one snapshot from here to the end.
            run("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
            return;
        }
        // What is read before it is written must be what stands now: after losing the race for
        // a UNIQUE key the winner's row has to be visible, which a snapshot would hide. It also
        // locks no gaps, so writers of neighbouring objects don't wait for each other.
        run("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
        run("START TRANSACTION READ WRITE");
    }

    void commit() override {
        try {
            run("COMMIT");
        } catch (const Failure& failure) {
            auto meaning = failure.meaning();
            // A refusal (deadlock, certification) is an answer; silence is not.
            meaning.in_doubt = meaning.lost_connection;
            throw Failure(failure.what(), meaning, failure.code(), failure.sqlstate());
        }
    }

    void rollback() noexcept override {
        if (broken_) return;  // the server rolls back when the connection is dropped
        try {
            run("ROLLBACK");
        } catch (const std::exception& error) {
            broken_ = true;
            base::log::warning("rollback failed", {{"reason", error.what()}});
        }
    }

    [[nodiscard]] bool is_broken() const noexcept override { return broken_; }

   private:
    template <class F>
    std::invoke_result_t<F&> telling(std::string_view sql, F&& work) {
        enter_mysql_thread();
        try {
            return work();
        } catch (const sql::SQLException& error) {
            auto failure = mysql_failure(error, sql);
            broken_ = broken_ || failure.meaning().lost_connection;
            throw failure;
        }
    }

    void run(const std::string& sql) {
        telling(sql, [&] { run_mysql(*session_, sql); });
    }

    sql::PreparedStatement& bound(std::string_view sql, std::span<const Value> values) {
        auto& prepared = statement(sql);
        if (prepared.wanted != values.size())
            throw std::logic_error("wrong number of values: " + std::string(sql));
        unsigned at = 0;
        for (const auto& value : values) bind(*prepared.statement, ++at, value);
        return *prepared.statement;
    }

    struct Prepared {
        Statement statement;
        std::size_t wanted;  // values
    };

    Prepared& statement(std::string_view sql) {
        if (const auto known = statements_.find(sql); known != statements_.end())
            return known->second;
        if (statements_.size() >= most_statements) statements_.clear();
        Statement prepared(session_->prepareStatement(sql::SQLString(std::string(sql))));
        const auto wanted = prepared->getParameterMetaData()->getParameterCount();
        return statements_
            .emplace(sql, Prepared{std::move(prepared), static_cast<std::size_t>(wanted)})
            .first->second;
    }

    // Declared in this order: statements die before the session that prepared them.
    std::unique_ptr<sql::Connection> session_;
    std::map<std::string, Prepared, std::less<>> statements_;
    bool broken_ = false;
};

}  // namespace

std::unique_ptr<Connection> open_mysql(const Url& url, const std::string& password,
                                       std::chrono::seconds answer_within) {
    return std::make_unique<MysqlConnection>(open_mysql_session(url, password, answer_within));
}

}  // namespace store
