// SPDX-License-Identifier: MIT
#include "store/sqlite_handle.hpp"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <system_error>

#include "base/text.hpp"

namespace store {
namespace {

void bind(sqlite3* handle, sqlite3_stmt* statement, int at, const Value& value) {
    int code = SQLITE_OK;
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        code = sqlite3_bind_int64(statement, at, *integer);
    } else if (const auto* text = std::get_if<std::string>(&value)) {
        code = sqlite3_bind_text64(statement, at, text->data(), text->size(), SQLITE_STATIC,
                                   SQLITE_UTF8);
    } else if (const auto* blob = std::get_if<Blob>(&value)) {
        code = sqlite3_bind_blob64(statement, at, blob->bytes.data(), blob->bytes.size(),
                                   SQLITE_STATIC);
    } else {
        code = sqlite3_bind_null(statement, at);
    }
    if (code != SQLITE_OK) throw sqlite_failure(handle, code, "bind");
}

// The pointer is asked for before the length, as SQLite wants it.
std::string bytes_of(const void* bytes, int size) {
    return size == 0
               ? std::string()
               : std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

Value value_at(sqlite3_stmt* statement, int column) {
    switch (sqlite3_column_type(statement, column)) {
        case SQLITE_NULL: return std::monostate{};
        case SQLITE_INTEGER: return std::int64_t{sqlite3_column_int64(statement, column)};
        case SQLITE_BLOB: {
            const void* bytes = sqlite3_column_blob(statement, column);
            return Blob{bytes_of(bytes, sqlite3_column_bytes(statement, column))};
        }
        default: {  // text, and numbers that are no integers
            const void* bytes = sqlite3_column_text(statement, column);
            return bytes_of(bytes, sqlite3_column_bytes(statement, column));
        }
    }
}

bool nobody_writes(const std::filesystem::path& file) {
    struct statvfs system{};
    if (::statvfs(file.c_str(), &system) == 0 && (system.f_flag & ST_RDONLY) != 0) return true;
    struct stat status{};
    const auto closed = [&](const std::filesystem::path& path) {
        return ::stat(path.c_str(), &status) == 0 && (status.st_mode & 0222U) == 0;
    };
    const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
    return closed(file) && closed(folder);
}

std::string as_immutable(const std::filesystem::path& file) {
    std::string uri = "file:";
    for (const char c : std::filesystem::absolute(file).string())
        uri += c == '/' ? std::string(1, c) : base::percent_encode(std::string_view(&c, 1));
    return uri + "?immutable=1";
}

SqliteHandle open_with(const std::string& name, int flags) {
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(
        name.c_str(), &raw, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
    SqliteHandle handle(raw);
    if (code != SQLITE_OK) throw sqlite_failure(raw, code, "open " + name);
    return handle;
}

// What the system said last of one of the two files; 0: nothing.
int last_errno(sqlite3* handle, int which) {
    sqlite3_file* file = nullptr;
    int reason = 0;
    if (sqlite3_file_control(handle, "main", which, static_cast<void*>(&file)) == SQLITE_OK &&
        file != nullptr && file->pMethods != nullptr)
        file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &reason);
    return reason;
}

// Why the system refused to read, write or open, in its words: of a disk that fails and of one
// that is over its quota SQLite says the same.
std::string reason_of_system(sqlite3* handle, int code) {
    if (handle == nullptr) return {};
    int reason = 0;
    if ((code & 0xff) == SQLITE_CANTOPEN) reason = sqlite3_system_errno(handle);
    if ((code & 0xff) == SQLITE_IOERR)
        for (const int which : {SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER})
            if (reason == 0) reason = last_errno(handle, which);
    return reason == 0 ? std::string() : ": " + std::generic_category().message(reason);
}

}  // namespace

Failure::Meaning sqlite_meaning(int code) {
    switch (code) {
        case SQLITE_CONSTRAINT_UNIQUE:
        case SQLITE_CONSTRAINT_PRIMARYKEY:
        case SQLITE_CONSTRAINT_ROWID: return {.duplicate = true};
        case SQLITE_CONSTRAINT_FOREIGNKEY: return {.orphan = true};
        default: break;
    }
    switch (code & 0xff) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED: return {.transient = true};
        case SQLITE_FULL:
        case SQLITE_READONLY:
        case SQLITE_CANTOPEN:
        case SQLITE_PERM: return {.full = true};
        // What such a handle has cached can't be trusted any more.
        case SQLITE_IOERR:
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB: return {.lost_connection = true, .full = true};
        default: return {};
    }
}

Failure sqlite_failure(sqlite3* handle, int code, std::string_view doing) {
    std::string what = "SQLite: ";
    what += handle != nullptr ? sqlite3_errmsg(handle) : sqlite3_errstr(code);
    what.append(reason_of_system(handle, code)).append(" (").append(doing).append(")");
    return {what, sqlite_meaning(code), code};
}

SqliteHandle open_sqlite_file(const std::filesystem::path& file, IfMissing if_missing) {
    const int create = if_missing == IfMissing::create ? SQLITE_OPEN_CREATE : 0;
    auto handle = open_with(file.string(), SQLITE_OPEN_READWRITE | create);
    if (sqlite3_db_readonly(handle.get(), "main") != 1) return handle;
    // To read a file in WAL mode SQLite must write two more beside it. Where nobody can write,
    // not to the file and not beside it, the file can be read as it is.
    if (nobody_writes(file) && !std::filesystem::exists(file.string() + "-wal"))
        return open_with(as_immutable(file), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    return handle;
}

SqliteStatement prepare_sqlite(sqlite3* handle, std::string_view sql) {
    sqlite3_stmt* raw = nullptr;
    const char* rest = nullptr;
    const int code = sqlite3_prepare_v3(handle, sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &raw, &rest);
    SqliteStatement statement(raw);
    if (code != SQLITE_OK) throw sqlite_failure(handle, code, sql);
    const auto used = static_cast<std::size_t>(rest - sql.data());
    if (!statement || !base::trim(sql.substr(used)).empty())
        throw std::logic_error("not one statement: " + std::string(sql));
    return statement;
}

BoundSqlite::BoundSqlite(sqlite3* handle, sqlite3_stmt* statement, std::span<const Value> values)
    : handle_(handle), statement_(statement) {
    if (static_cast<std::size_t>(sqlite3_bind_parameter_count(statement)) != values.size())
        throw std::logic_error(std::string("wrong number of values: ") + sqlite3_sql(statement));
    int at = 0;
    for (const auto& value : values) bind(handle, statement, ++at, value);
}

BoundSqlite::~BoundSqlite() {
    sqlite3_reset(statement_);  // repeats the error of the last step, which was reported
    sqlite3_clear_bindings(statement_);
}

bool BoundSqlite::step() {
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    throw sqlite_failure(handle_, code, sqlite3_sql(statement_));
}

Row BoundSqlite::row() const {
    std::vector<Value> values;
    const int columns = sqlite3_data_count(statement_);
    values.reserve(static_cast<std::size_t>(columns));
    for (int column = 0; column < columns; ++column)
        values.push_back(value_at(statement_, column));
    return Row(std::move(values));
}

}  // namespace store
