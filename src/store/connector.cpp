// SPDX-License-Identifier: MIT
#include "store/mysql_connection.hpp"
#include "store/sqlite_connection.hpp"

namespace store {

Connect connector(Url url, std::string password, IfMissing if_missing) {
    if (url.engine == Engine::sqlite)
        return [path = std::move(url.path), if_missing] { return open_sqlite(path, if_missing); };
    return [url = std::move(url), password = std::move(password)] {
        return open_mysql(url, password);
    };
}

}  // namespace store
