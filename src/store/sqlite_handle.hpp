// store/sqlite_handle.hpp -- SQLite's own objects with an owner, and its codes with a meaning.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <span>
#include <sqlite3.h>
#include <string>
#include <string_view>

#include "store/connection.hpp"
#include "store/store.hpp"

namespace store {

struct CloseSqlite {
    void operator()(sqlite3* handle) const noexcept { sqlite3_close_v2(handle); }
};
struct FinalizeSqlite {
    void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
};
using SqliteHandle = std::unique_ptr<sqlite3, CloseSqlite>;
using SqliteStatement = std::unique_ptr<sqlite3_stmt, FinalizeSqlite>;

// What a result code means, and the handle's last words about it.
//   code  extended, as sqlite3_step returned it; never SQLITE_OK, SQLITE_ROW, SQLITE_DONE
[[nodiscard]] Failure::Meaning sqlite_meaning(int code);
[[nodiscard]] Failure sqlite_failure(sqlite3* handle, int code, std::string_view doing);

// The file opened, for reading only where it can't be written; see open_sqlite.
[[nodiscard]] SqliteHandle open_sqlite_file(const std::filesystem::path& file,
                                            IfMissing if_missing);

// Prepared to be run often.
//   throws  Failure; logic_error when `sql` is more than one statement
[[nodiscard]] SqliteStatement prepare_sqlite(sqlite3* handle, std::string_view sql);

// While it lives, the values are bound; then the statement is reset, so that it holds no lock.
class BoundSqlite {
   public:
    //   needs   values outlives this object
    //   throws  logic_error when the statement wants another number of values
    BoundSqlite(sqlite3* handle, sqlite3_stmt* statement, std::span<const Value> values);
    ~BoundSqlite();
    BoundSqlite(const BoundSqlite&) = delete;
    BoundSqlite& operator=(const BoundSqlite&) = delete;

    [[nodiscard]] bool step();  // true: a row; false: done
    [[nodiscard]] Row row() const;

   private:
    sqlite3* handle_;
    sqlite3_stmt* statement_;
};

}  // namespace store
