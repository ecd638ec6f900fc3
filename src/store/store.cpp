// SPDX-License-Identifier: MIT
#include "store/store.hpp"

#include <utility>

#include "store/mysql.hpp"
#include "store/sqlite.hpp"

namespace store {

Connect connector(Url url, std::string password, IfMissing if_missing,
                  std::chrono::seconds answer_within) {
    if (url.engine == Engine::sqlite)
        return [path = std::move(url.path), if_missing] { return open_sqlite(path, if_missing); };
    return [url = std::move(url), password = std::move(password), answer_within] {
        return open_mysql(url, password, answer_within);
    };
}

}  // namespace store
