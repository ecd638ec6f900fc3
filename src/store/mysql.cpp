// SPDX-License-Identifier: MIT
#include "store/mysql.hpp"

#include <algorithm>
#include <array>
#include <cppconn/connection.h>
#include <cppconn/datatype.h>
#include <cppconn/driver.h>
#include <cppconn/exception.h>
#include <cppconn/parameter_metadata.h>
#include <cppconn/prepared_statement.h>
#include <cppconn/resultset.h>
#include <cppconn/resultset_metadata.h>
#include <cppconn/statement.h>
#include <map>
#include <mysql_driver.h>
#include <optional>
#include <utility>

#include "base/log.hpp"

namespace store {
namespace {

// The connector owns the driver. It is fetched once, because fetching is not thread-safe.
sql::Driver& driver() {
    static sql::Driver* const only = sql::mysql::get_driver_instance();
    return *only;
}

// Tells the client library when a thread begins and ends to use it.
struct ThreadOfDriver {
    ThreadOfDriver() { driver().threadInit(); }
    ~ThreadOfDriver() { driver().threadEnd(); }
    ThreadOfDriver(const ThreadOfDriver&) = delete;
    ThreadOfDriver& operator=(const ThreadOfDriver&) = delete;
};

constexpr int no_such_savepoint = 1305;     // ER_SP_DOES_NOT_EXIST
constexpr int not_prepared_for_use = 1047;  // ER_UNKNOWN_COM_ERROR: a node outside its cluster
constexpr int tls_refused = 2026;           // CR_SSL_CONNECTION_ERROR
constexpr std::size_t most_of_statement = 300;  // bytes in an error; it can insert 64 rows

template <std::size_t n>
bool one_of(int code, const std::array<int, n>& codes) {
    return std::ranges::find(codes, code) != codes.end();
}

sql::ConnectOptionsMap options_for(const Url& url, const Url::Host& host,
                                   const std::string& password, std::chrono::seconds limit) {
    sql::ConnectOptionsMap options;
    if (url.socket.empty()) {
        options["hostName"] = sql::SQLString("tcp://" + host.name);
        options["port"] = static_cast<int>(host.port);
    } else {
        options["hostName"] = sql::SQLString("unix://" + url.socket);
    }
    options["userName"] = sql::SQLString(url.user);
    options["password"] = sql::SQLString(password);
    options["schema"] = sql::SQLString(url.database);
    options["OPT_CHARSET_NAME"] = sql::SQLString("utf8mb4");
    // Seconds. Without them a server that is gone blocks its client for ever. One of several
    // hosts gets less time, because the next one may work.
    options["OPT_CONNECT_TIMEOUT"] = url.hosts.size() > 1 ? 2 : 5;
    const auto answer_within = static_cast<int>(limit.count());
    options["OPT_READ_TIMEOUT"] = answer_within;
    options["OPT_WRITE_TIMEOUT"] = answer_within;
    // It is on by default: a hostile server could ask for any file of this machine.
    options["OPT_LOCAL_INFILE"] = 0;
    // An UPDATE counts the rows it matched, not only those it changed.
    options["CLIENT_FOUND_ROWS"] = true;
    // The connector's other TLS options fall back to plain text silently.
    if (url.verify_tls) options["sslVerify"] = true;
    return options;
}

std::string setting(sql::Connection& session, const std::string& sql) {
    const std::unique_ptr<sql::Statement> statement(session.createStatement());
    const std::unique_ptr<sql::ResultSet> result(statement->executeQuery(sql));
    return result->next() ? result->getString(2).asStdString() : std::string();
}

void require_tls(sql::Connection& session) {
    if (setting(session, "SHOW SESSION STATUS LIKE 'Ssl_cipher'").empty())
        throw sql::SQLException("the server does not offer TLS, which tls=verify requires",
                                "08001", tls_refused);
}

bool is_in_cluster(sql::Connection& session) {
    return setting(session, "SHOW VARIABLES LIKE 'wsrep_on'") == "ON";
}

// Makes a session in a cluster see what another node has just committed.
void join_cluster(sql::Connection& session) {
    if (!is_in_cluster(session)) return;
    run_mysql(session, "SET SESSION wsrep_sync_wait = 1");
    if (setting(session, "SHOW STATUS LIKE 'wsrep_ready'") != "ON")
        throw sql::SQLException("the node of the cluster is not ready", "08S01",
                                not_prepared_for_use);
}

// A node that sends its state to another can be ready and yet not answer until it is done.
bool is_donor(sql::Connection& session) {
    constexpr auto donor = "2";
    return setting(session, "SHOW STATUS LIKE 'wsrep_local_state'") == donor;
}

void set_up(sql::Connection& session, const Url& url) {
    if (url.verify_tls) require_tls(session);
    // These modes make both engines read SQL alike: || joins texts, "x" is a name, a backslash is
    // a backslash, 0 is an ordinary id; and a value that does not fit is an error.
    run_mysql(session, "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,"
                       "ONLY_FULL_GROUP_BY,PIPES_AS_CONCAT,ANSI_QUOTES,NO_BACKSLASH_ESCAPES,"
                       "NO_AUTO_VALUE_ON_ZERO',"
                       " innodb_lock_wait_timeout = 5, lock_wait_timeout = 30");
    // Makes texts outside of columns compare as columns do. With SET NAMES … COLLATE results would
    // carry a collation number that the connector does not know and rejects.
    run_mysql(session, "SET SESSION collation_connection = utf8mb4_nopad_bin");
    run_mysql(session, "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    join_cluster(session);
}

void enter_mysql_thread() { thread_local const ThreadOfDriver thread; }

Failure mysql_failure(const sql::SQLException& error, std::string_view doing) {
    std::string what = std::string("MariaDB: ") + error.what() + " (" +
                       std::to_string(error.getErrorCode()) + ", ";
    what.append(doing.substr(0, most_of_statement)).append(")");
    return {what, mysql_failure_kind(error.getErrorCode(), error.getSQLState()),
            error.getErrorCode()};
}

// The server keeps at most 16,382 for all its clients (max_prepared_stmt_count).
constexpr std::size_t most_mysql_statements = 128;

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
        // SUM() of integers is a DECIMAL here, and an integer in SQLite.
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

// MariaDB commits before and after it.
bool commits_by_itself(std::string_view sql) {
    return sql.starts_with("CREATE ") || sql.starts_with("ALTER ") || sql.starts_with("DROP ");
}

class MysqlConnection final : public Connection {
   public:
    explicit MysqlConnection(std::unique_ptr<sql::Connection> session)
        : session_(std::move(session)) {}

    [[nodiscard]] Engine engine() const override { return Engine::mysql; }

    [[nodiscard]] Rows query(std::string_view sql, std::span<const Value> values = {}) override {
        return translating(sql, [&] {
            auto& prepared = bound(sql, values);
            const std::unique_ptr<sql::ResultSet> result(prepared.executeQuery());
            return rows_of(*result);
        });
    }

    std::int64_t execute(std::string_view sql, std::span<const Value> values = {}) override {
        if (commits_by_itself(sql)) end_guard();
        return translating(sql, [&] { return std::int64_t{bound(sql, values).executeUpdate()}; });
    }

    // The connector's own commit(), rollback() and setAutoCommit() ignore the server's answer: a
    // lost commit would look successful. As statements they throw.
    void begin(Access access) override {
        end_guard();  // of one that could not begin
        if (access == Access::read) {
            // Every query sees the snapshot of this moment.
            run("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
            return;
        }
        // A writer must read the latest rows: after losing the race for a UNIQUE key it has to see
        // the winner's row, which a snapshot would hide. This level also locks no gaps, so
        // writers of neighbouring objects do not wait for each other.
        run("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
        is_guarded_ = is_in_cluster();
        if (is_guarded_) run("SET autocommit = 0");
        run("START TRANSACTION READ WRITE");
        if (is_guarded_) run("SAVEPOINT begun");
    }

    void commit() override {
        require_same_transaction();
        try {
            run("COMMIT");
        } catch (const Failure& failure) {
            auto kind = failure.kind();
            // A rejection (deadlock, certification) is an answer; a lost connection is not.
            kind.in_doubt = kind.lost_connection;
            throw Failure(failure.what(), kind, failure.code());
        }
        end_quietly("session not reset", [this] { end_guard(); });
    }

    void rollback() noexcept override {
        if (broken_) return;  // the server rolls back when the connection is dropped
        end_quietly("rollback failed", [this] {
            run("ROLLBACK");
            end_guard();
        });
    }

    [[nodiscard]] bool is_broken() const noexcept override { return broken_; }
    [[nodiscard]] bool has_moved() override { return false; }
    [[nodiscard]] bool may_be_awaited() override { return true; }
    void require_room() override {}

   private:
    // When another node commits first, a Galera cluster rolls a transaction back, and sometimes no statement of it fails:
    // the statements that follow would be committed without those before them. So a writing transaction in a cluster
    // begins with a savepoint, which vanishes with it, and with autocommit off.
    void require_same_transaction() {
        if (!is_guarded_) return;
        try {
            run("RELEASE SAVEPOINT begun");
        } catch (const Failure& failure) {
            if (failure.code() != no_such_savepoint) throw;
            throw Failure("the cluster has rolled the transaction back", {.transient = true},
                          failure.code());
        }
    }
    template <class F>
    void end_quietly(std::string_view failed, F&& work) noexcept {
        try {
            work();
        } catch (const std::exception& error) {
            broken_ = true;
            base::log::warning(failed, {{"reason", error.what()}});
        }
    }
    bool is_in_cluster() {
        if (!is_in_cluster_)
            is_in_cluster_ = translating("SHOW VARIABLES LIKE 'wsrep_on'",
                                         [&] { return store::is_in_cluster(*session_); });
        return *is_in_cluster_;
    }
    void end_guard() {
        if (!std::exchange(is_guarded_, false)) return;
        run("SET autocommit = 1");
    }

    template <class F>
    std::invoke_result_t<F&> translating(std::string_view sql, F&& work) {
        enter_mysql_thread();
        try {
            return work();
        } catch (const sql::SQLException& error) {
            auto failure = mysql_failure(error, sql);
            broken_ = broken_ || failure.kind().lost_connection;
            forget_statement(sql);
            throw failure;
        }
    }

    // The connector sends values of more than 256 KB ahead of the execution, in pieces. When a cluster ends
    // the transaction between them, the server keeps those that it has, and appends the value of the next
    // execution to them: so a statement that failed is prepared anew.
    void forget_statement(std::string_view sql) {
        if (const auto failed = statements_.find(sql); failed != statements_.end())
            statements_.erase(failed);
    }

    void run(const std::string& sql) {
        translating(sql, [&] { run_mysql(*session_, sql); });
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
        if (statements_.size() >= most_mysql_statements) statements_.clear();
        Statement prepared(session_->prepareStatement(sql::SQLString(std::string(sql))));
        const auto wanted = prepared->getParameterMetaData()->getParameterCount();
        return statements_
            .emplace(sql, Prepared{std::move(prepared), static_cast<std::size_t>(wanted)})
            .first->second;
    }

    // In this order, because statements must be destroyed before the session that prepared them.
    std::unique_ptr<sql::Connection> session_;
    std::map<std::string, Prepared, std::less<>> statements_;
    std::optional<bool> is_in_cluster_;  // once it was asked
    bool is_guarded_ = false;            // see require_same_transaction()
    bool broken_ = false;
};

}  // namespace

FailureKind mysql_failure_kind(int code, const std::string& sqlstate) {
    // Killed, gone, timed out, unknown prepared statement, network errors on the server's side.
    static constexpr std::array lost{1047, 1053, 1158, 1159, 1160, 1161, 1180, 1243,
                                     1927, 2002, 2003, 2006, 2013, 2030, 2055};
    // Lock wait, deadlock, a statement that must be prepared again.
    static constexpr std::array temporary{1205, 1213, 1615};
    // A row without its parent, or one that has children.
    static constexpr std::array without_parent{1216, 1217, 1451, 1452};
    // Disk full, table full, read-only table or server, quota, wrong password, no right, no
    // such database.
    static constexpr std::array operators{3,    1021, 1030, 1036, 1044, 1045, 1049,
                                          1114, 1142, 1226, 1227, 1290, 1836};
    static constexpr std::array taken{1062, 1169, 1557, 1586};
    FailureKind kind;
    kind.lost_connection = one_of(code, lost) || sqlstate.starts_with("08");
    kind.needs_operator = one_of(code, operators);
    kind.transient = !kind.needs_operator && code != tls_refused &&
                     (kind.lost_connection || one_of(code, temporary) || sqlstate == "40001");
    kind.duplicate = one_of(code, taken);
    kind.orphan = one_of(code, without_parent);
    return kind;
}

void run_mysql(sql::Connection& session, const std::string& sql) {
    const std::unique_ptr<sql::Statement> statement(session.createStatement());
    statement->execute(sql);
}

std::unique_ptr<sql::Connection> open_mysql_session(const Url& url, const std::string& password,
                                                    std::chrono::seconds answer_within) {
    enter_mysql_thread();
    std::unique_ptr<sql::Connection> second_best;
    Failure failure("store.url names no host", {}, 0);
    for (const auto& host : url.hosts) {
        try {
            auto options = options_for(url, host, password, answer_within);
            std::unique_ptr<sql::Connection> session(driver().connect(options));
            set_up(*session, url);
            if (!is_donor(*session)) return session;
            if (!second_best) second_best = std::move(session);
        } catch (const sql::SQLException& error) {
            failure = mysql_failure(error, "connect to " + host.name);
            // A wrong password is wrong at every node: report it instead of trying the others.
            if (!failure.kind().transient) break;
        }
    }
    if (second_best) return second_best;
    throw failure;
}

std::unique_ptr<Connection> open_mysql(const Url& url, const std::string& password,
                                       std::chrono::seconds answer_within) {
    return std::make_unique<MysqlConnection>(open_mysql_session(url, password, answer_within));
}

}  // namespace store
