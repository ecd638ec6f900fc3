// SPDX-License-Identifier: MIT
#include "store/store.hpp"

#include <algorithm>
#include <utility>

#include "store/mysql.hpp"
#include "store/sqlite.hpp"

namespace store {

Connect connector(Url url, std::string password, IfMissing if_missing,
                  std::chrono::seconds answer_within) {
    if (url.engine == Engine::sqlite)
        return [path = std::move(url.path), if_missing,
                busy_for = std::min(answer_within, std::chrono::seconds(5))] {
            return open_sqlite(path, if_missing, busy_for);
        };
    return [url = std::move(url), password = std::move(password), answer_within] {
        return open_mysql(url, password, answer_within);
    };
}

}  // namespace store
