// SPDX-License-Identifier: MIT
#include "store/mysql_session.hpp"

#include <cppconn/driver.h>
#include <cppconn/resultset.h>
#include <cppconn/statement.h>
#include <mysql_driver.h>

#include <algorithm>
#include <array>

namespace store {
namespace {

// Not ours to delete; fetched once, as fetching it is not safe from several threads.
sql::Driver& driver() {
    static sql::Driver* const only = sql::mysql::get_driver_instance();
    return *only;
}

struct ThreadOfDriver {
    ThreadOfDriver() { driver().threadInit(); }
    ~ThreadOfDriver() { driver().threadEnd(); }
    ThreadOfDriver(const ThreadOfDriver&) = delete;
    ThreadOfDriver& operator=(const ThreadOfDriver&) = delete;
};

constexpr int not_prepared_for_use = 1047;  // ER_UNKNOWN_COM_ERROR: a node outside its cluster
constexpr std::size_t most_of_statement = 300;  // of its text in an error: one may be of 64 rows
constexpr int tls_refused = 2026;               // CR_SSL_CONNECTION_ERROR

template <std::size_t n>
bool one_of(int code, const std::array<int, n>& codes) {
    return std::ranges::find(codes, code) != codes.end();
}

// What one session is opened with, beside its host.
struct Login {
    const Url& url;
    const std::string& password;
    std::chrono::seconds answer_within;
};

sql::ConnectOptionsMap options_for(const Login& login, const Url::Host& host) {
    const auto& url = login.url;
    sql::ConnectOptionsMap options;
    if (url.socket.empty()) {
        options["hostName"] = sql::SQLString("tcp://" + host.name);
        options["port"] = static_cast<int>(host.port);
    } else {
        options["hostName"] = sql::SQLString("unix://" + url.socket);
    }
    options["userName"] = sql::SQLString(url.user);
    options["password"] = sql::SQLString(login.password);
    options["schema"] = sql::SQLString(url.database);
    options["OPT_CHARSET_NAME"] = sql::SQLString("utf8mb4");
    // Seconds. Without them a server that is gone blocks its reader for ever.
    // One host of several is left sooner: the next one may be well.
    options["OPT_CONNECT_TIMEOUT"] = url.hosts.size() > 1 ? 2 : 5;
    const auto answer_within = static_cast<int>(login.answer_within.count());
    options["OPT_READ_TIMEOUT"] = answer_within;
    options["OPT_WRITE_TIMEOUT"] = answer_within;
    // On by default: a hostile server could ask for any file of ours.
    options["OPT_LOCAL_INFILE"] = 0;
    // An UPDATE counts the rows it matched, not only those it changed.
    options["CLIENT_FOUND_ROWS"] = true;
    // The connector's other TLS options fall back to plain text without a word.
    if (url.verify_tls) options["sslVerify"] = true;
    return options;
}

std::string setting(sql::Connection& session, const std::string& sql) {
    const std::unique_ptr<sql::Statement> statement(session.createStatement());
    const std::unique_ptr<sql::ResultSet> result(statement->executeQuery(sql));
    return result->next() ? result->getString(2).asStdString() : std::string();
}

void insist_on_tls(sql::Connection& session) {
    if (setting(session, "SHOW SESSION STATUS LIKE 'Ssl_cipher'").empty())
        throw sql::SQLException("the server speaks no TLS, and tls=verify asks for it", "08001",
                                tls_refused);
}

// In a cluster a session must see what another node has just committed.
void join_cluster(sql::Connection& session) {
    if (setting(session, "SHOW VARIABLES LIKE 'wsrep_on'") != "ON") return;
    run_mysql(session, "SET SESSION wsrep_sync_wait = 1");
    if (setting(session, "SHOW STATUS LIKE 'wsrep_ready'") != "ON")
        throw sql::SQLException("the cluster's node is not ready", "08S01", not_prepared_for_use);
}

// A node that gives its data to another may be ready and yet answer nothing until it is done.
bool is_donor(sql::Connection& session) {
    constexpr auto donor = "2";
    return setting(session, "SHOW STATUS LIKE 'wsrep_local_state'") == donor;
}

void set_up(sql::Connection& session, const Url& url) {
    if (url.verify_tls) insist_on_tls(session);
    // The modes make both engines read the same SQL: || joins, "x" is a name, a backslash is
    // a backslash, 0 is a number like others for an id; and make values that don't fit an error.
    run_mysql(session, "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,"
                       "ONLY_FULL_GROUP_BY,PIPES_AS_CONCAT,ANSI_QUOTES,NO_BACKSLASH_ESCAPES,"
                       "NO_AUTO_VALUE_ON_ZERO',"
                       " innodb_lock_wait_timeout = 5, lock_wait_timeout = 30");
    // Texts that are no column compare as columns do. Not by SET NAMES … COLLATE: results would
    // then carry a collation number that the connector doesn't know, and it refuses them.
    run_mysql(session, "SET SESSION collation_connection = utf8mb4_nopad_bin");
    run_mysql(session, "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    join_cluster(session);
}

std::unique_ptr<sql::Connection> open_at(const Login& login, const Url::Host& host) {
    auto options = options_for(login, host);
    std::unique_ptr<sql::Connection> session(driver().connect(options));
    set_up(*session, login.url);
    return session;
}

}  // namespace

void enter_mysql_thread() { thread_local const ThreadOfDriver thread; }

Failure::Meaning mysql_meaning(int code, const std::string& sqlstate) {
    // Killed, gone, timed out, unknown prepared statement, network errors of the server's side.
    static constexpr std::array lost{1047, 1053, 1158, 1159, 1160, 1161, 1180, 1243,
                                     1927, 2002, 2003, 2006, 2013, 2030, 2055};
    // Lock wait, deadlock, a statement that must be prepared again.
    static constexpr std::array passing{1205, 1213, 1615};
    // A row without its parent.
    static constexpr std::array pointing_nowhere{1216, 1452};
    // Disk full, table full, read-only table or server, quota, wrong password, no right, no
    // such database.
    static constexpr std::array operators{3,    1021, 1030, 1036, 1044, 1045, 1049,
                                          1114, 1142, 1226, 1227, 1290, 1836};
    static constexpr std::array taken{1062, 1169, 1557, 1586};
    Failure::Meaning meaning;
    meaning.lost_connection = one_of(code, lost) || sqlstate.starts_with("08");
    meaning.full = one_of(code, operators);
    meaning.transient = !meaning.full && code != tls_refused &&
                        (meaning.lost_connection || one_of(code, passing) || sqlstate == "40001");
    meaning.duplicate = one_of(code, taken);
    meaning.orphan = one_of(code, pointing_nowhere);
    return meaning;
}

Failure mysql_failure(const sql::SQLException& error, std::string_view doing) {
    std::string what = std::string("MariaDB: ") + error.what() + " (" +
                       std::to_string(error.getErrorCode()) + ", ";
    what.append(doing.substr(0, most_of_statement)).append(")");
    return {what, mysql_meaning(error.getErrorCode(), error.getSQLState()), error.getErrorCode(),
            error.getSQLState()};
}

void run_mysql(sql::Connection& session, const std::string& sql) {
    const std::unique_ptr<sql::Statement> statement(session.createStatement());
    statement->execute(sql);
}

std::unique_ptr<sql::Connection> open_mysql_session(const Url& url, const std::string& password,
                                                    std::chrono::seconds answer_within) {
    enter_mysql_thread();
    const Login login{url, password, answer_within};
    std::unique_ptr<sql::Connection> second_best;
    Failure failure("the store's URL names no host", {}, 0);
    for (const auto& host : url.hosts) {
        try {
            auto session = open_at(login, host);
            if (!is_donor(*session)) return session;
            if (!second_best) second_best = std::move(session);
        } catch (const sql::SQLException& error) {
            failure = mysql_failure(error, "connect to " + host.name);
            // A wrong password is wrong at every node: say that, don't try the others.
            if (!failure.meaning().transient) break;
        }
    }
    if (second_best) return second_best;
    throw failure;
}

}  // namespace store
