// store/mysql.hpp -- MariaDB (or a Galera cluster) by MySQL Connector/C++ 1.1, whose headers only
// mysql.cpp includes. For this room and its tests.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "store/connection.hpp"
#include "store/url.hpp"

namespace sql {
class Connection;
}

namespace store {

// Connects to the first of the hosts that is reached and ready: connector() in store.hpp.
//   throws  Failure: that of the last host; transient when none is reached or ready
[[nodiscard]] std::unique_ptr<Connection> open_mysql(
    const Url& url, const std::string& password,
    std::chrono::seconds answer_within = std::chrono::seconds(30));

// Returns what an error means. Codes below 2000 are the server's, others the client library's.
[[nodiscard]] FailureKind mysql_failure_kind(int code, const std::string& sqlstate);

// Opens the connector's own session, set up as Varve needs it.
//   throws  Failure
[[nodiscard]] std::unique_ptr<sql::Connection> open_mysql_session(
    const Url& url, const std::string& password,
    std::chrono::seconds answer_within = std::chrono::seconds(30));
// Runs a statement of the session (BEGIN, COMMIT, SET …), which the text protocol carries.
//   throws  sql::SQLException
void run_mysql(sql::Connection& session, const std::string& sql);

}  // namespace store
