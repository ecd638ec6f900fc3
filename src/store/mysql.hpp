// store/mysql_connection.hpp -- MariaDB (or a Galera cluster) by MySQL Connector/C++ 1.1.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "store/connection.hpp"
#include "store/store.hpp"

namespace store {

// A connection to the first of the hosts that is reached and ready: connector() in store.hpp.
//   throws  Failure: the last host's; transient when none is reached or ready
[[nodiscard]] std::unique_ptr<Connection> open_mysql(
    const Url& url, const std::string& password,
    std::chrono::seconds answer_within = std::chrono::seconds(30));

}  // namespace store
