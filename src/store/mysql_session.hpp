// store/mysql_session.hpp -- a session with a MariaDB server, set up as Varve needs it, and
// the connector's exceptions with a meaning. The connector's headers stay in mysql_*.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cppconn/connection.h>
#include <cppconn/exception.h>
#include <memory>
#include <string>

#include "store/connection.hpp"
#include "store/store.hpp"

namespace store {

// Tells the client library once a thread that this thread uses it, and that it has ended.
void enter_mysql_thread();

// What an error means. Codes below 2000 are the server's, the others the client library's.
[[nodiscard]] Failure::Meaning mysql_meaning(int code, const std::string& sqlstate);
[[nodiscard]] Failure mysql_failure(const sql::SQLException& error, std::string_view doing);

// Runs a statement of the session (BEGIN, COMMIT, SET …), which the text protocol carries.
//   throws  sql::SQLException
void run_mysql(sql::Connection& session, const std::string& sql);

//   throws  Failure
[[nodiscard]] std::unique_ptr<sql::Connection> open_mysql_session(
    const Url& url, const std::string& password,
    std::chrono::seconds answer_within = std::chrono::seconds(30));

}  // namespace store
