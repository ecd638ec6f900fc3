// SPDX-License-Identifier: MIT
#include "store/sqlite.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <map>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "base/descriptor.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace store {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

struct CloseSqlite {
    void operator()(sqlite3* handle) const noexcept { sqlite3_close_v2(handle); }
};
struct FinalizeSqlite {
    void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
};
using SqliteHandle = std::unique_ptr<sqlite3, CloseSqlite>;
using SqliteStatement = std::unique_ptr<sqlite3_stmt, FinalizeSqlite>;

// Returns the last error number of one of the two files; 0 when there is none.
int last_errno(sqlite3* handle, int which) {
    sqlite3_file* file = nullptr;
    int reason = 0;
    if (sqlite3_file_control(handle, "main", which, static_cast<void*>(&file)) == SQLITE_OK &&
        file != nullptr && file->pMethods != nullptr)
        file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &reason);
    return reason;
}

// Returns the operating system's reason for a failed read, write or open: SQLite reports a broken
// disk and an exceeded quota alike.
std::string reason_of_system(sqlite3* handle, int code) {
    if (handle == nullptr) return {};
    int reason = 0;
    if ((code & 0xff) == SQLITE_CANTOPEN) reason = sqlite3_system_errno(handle);
    if ((code & 0xff) == SQLITE_IOERR)
        for (const int which : {SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER})
            if (reason == 0) reason = last_errno(handle, which);
    return reason == 0 ? std::string() : ": " + std::generic_category().message(reason);
}

// Names the files of the store that this process cannot write, where SQLite says only that one of them
// is: it writes to all of them.
std::string unwritable_files(sqlite3* handle, int code) {
    if (handle == nullptr) return {};
    if ((code & 0xff) != SQLITE_READONLY && (code & 0xff) != SQLITE_CANTOPEN) return {};
    const char* file = sqlite3_db_filename(handle, "main");
    if (file == nullptr || *file == '\0') return {};
    std::string named;
    for (const auto* beside : {"", "-wal", "-shm"}) {
        const auto path = std::string(file) + beside;
        if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0 || errno == ENOENT)
            continue;
        named += (named.empty() ? "; not writable: " : ", ") + path;
    }
    return named;
}

// Returns the failure with the latest message of the handle.
//   code  extended, as sqlite3_step returned it; never SQLITE_OK, SQLITE_ROW, SQLITE_DONE
Failure sqlite_failure(sqlite3* handle, int code, std::string_view doing) {
    std::string what = "SQLite: ";
    what += handle != nullptr ? sqlite3_errmsg(handle) : sqlite3_errstr(code);
    what.append(reason_of_system(handle, code)).append(" (").append(doing).append(")");
    what += unwritable_files(handle, code);
    return {what, sqlite_failure_kind(code), code};
}

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

// The caller asks for the pointer before the length, as SQLite requires.
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
        default: {  // text, and numbers that are not integers
            const void* bytes = sqlite3_column_text(statement, column);
            return bytes_of(bytes, sqlite3_column_bytes(statement, column));
        }
    }
}

// Binds values to a statement for as long as this object lives, then resets the statement, so that
// it holds no lock.
class BoundSqlite {
   public:
    // Requires that `values` outlives this object.
    //   throws  logic_error when the statement has another number of parameters
    BoundSqlite(sqlite3* handle, sqlite3_stmt* statement, std::span<const Value> values)
        : handle_(handle), statement_(statement) {
        if (static_cast<std::size_t>(sqlite3_bind_parameter_count(statement)) != values.size())
            throw std::logic_error(std::string("wrong number of values: ") +
                                   sqlite3_sql(statement));
        int at = 0;
        for (const auto& value : values) bind(handle, statement, ++at, value);
    }
    ~BoundSqlite() {
        sqlite3_reset(statement_);  // returns the error of the last step again
        sqlite3_clear_bindings(statement_);
    }
    BoundSqlite(const BoundSqlite&) = delete;
    BoundSqlite& operator=(const BoundSqlite&) = delete;

    // Returns true for a row, false at the end.
    [[nodiscard]] bool step() {
        const int code = sqlite3_step(statement_);
        if (code == SQLITE_ROW) return true;
        if (code == SQLITE_DONE) return false;
        throw sqlite_failure(handle_, code, sqlite3_sql(statement_));
    }

    [[nodiscard]] Row row() const {
        std::vector<Value> values;
        const int columns = sqlite3_data_count(statement_);
        values.reserve(static_cast<std::size_t>(columns));
        for (int column = 0; column < columns; ++column)
            values.push_back(value_at(statement_, column));
        return Row(std::move(values));
    }

   private:
    sqlite3* handle_;
    sqlite3_stmt* statement_;
};

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
    // Otherwise all threads share one lock, for the statistics of each allocation.
    static const int without_statistics = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    if (without_statistics != SQLITE_OK)
        throw sqlite_failure(nullptr, without_statistics, "configure");
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(
        name.c_str(), &raw, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
    SqliteHandle handle(raw);
    if (code != SQLITE_OK) throw sqlite_failure(raw, code, "open " + name);
    return handle;
}

// Creates the file if there is none. SQLite itself would let everybody read it; to the files that it
// writes beside the database it gives the same permissions.
void create_empty(const std::filesystem::path& file, mode_t mode) {
    // A file that exists is not opened: closing it would drop the locks of other connections.
    const base::Descriptor made(
        ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    // Why it could not be made is what SQLite says when it opens the file.
}

// Opens the file, for reading only where it cannot be written; see open_sqlite.
SqliteHandle open_sqlite_file(const std::filesystem::path& file, IfMissing if_missing) {
    if (if_missing != IfMissing::fail)
        create_empty(file, if_missing == IfMissing::create_private ? 0600 : 0640);
    auto handle = open_with(file.string(), SQLITE_OPEN_READWRITE);
    if (sqlite3_db_readonly(handle.get(), "main") != 1) return handle;
    // To read a file in WAL mode SQLite writes two more files beside it. Where nobody can write
    // to the file or to its folder, it can be read as immutable.
    if (nobody_writes(file) && !std::filesystem::exists(file.string() + "-wal"))
        return open_with(as_immutable(file), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    return handle;
}

// Prepares a statement that is run often.
//   throws  Failure; logic_error when `sql` is more than one statement
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

// Prepared statements of a connection: more than the program has, so a caller that builds ever new
// SQL costs time, not memory.
constexpr std::size_t most_sqlite_statements = 256;

// How long the current statement waits for another writer.
struct Busy {
    milliseconds at_most;
    steady_clock::time_point since;
};

// SQLite calls this again and again while others hold a lock. Its own handler sleeps up to 100 ms
// at a time, which readers would see as the tail of response times.
int wait_for_lock(void* context, int tries) {
    auto& busy = *static_cast<Busy*>(context);
    const auto now = steady_clock::now();
    if (tries == 0) busy.since = now;
    if (now - busy.since >= busy.at_most) return 0;
    std::this_thread::sleep_for(milliseconds(std::min(tries + 1, 5)));
    return 1;
}

// Orders the writers of all processes before they ask for the lock of the database. A writer that
// has just committed queues behind those that waited meanwhile, so that a job of a thousand
// transactions delays a request by one of them and not by all. The queue is a lock on a file
// beside the database.
class WriteQueue {
   public:
    // Opens the file for the same users as the database. Does without it when it cannot be made.
    explicit WriteQueue(const std::filesystem::path& database) {
        struct stat its{};
        if (::stat(database.c_str(), &its) != 0) return;
        const auto path = database.string() + "-turn";
        file_ = base::Descriptor(
            ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (file_.is_open()) (void)::fchmod(file_.number(), its.st_mode & 0666);
    }

    // Blocks until it is this writer's turn, at most so long: then the caller continues without.
    void enter(milliseconds at_most) const {
        const auto give_up_at = steady_clock::now() + at_most;
        for (int tries = 1; file_.is_open() && ::flock(file_.number(), LOCK_EX | LOCK_NB) != 0;
             ++tries) {
            if (errno != EWOULDBLOCK || steady_clock::now() >= give_up_at) return;
            std::this_thread::sleep_for(milliseconds(std::min(tries, 5)));
        }
    }
    void leave() const {
        if (file_.is_open()) ::flock(file_.number(), LOCK_UN);
    }

    // Called by the writer who has the lock of the database: whose turn it is waits for that lock. True where
    // there is no queue.
    [[nodiscard]] bool may_have_waiting() const {
        if (!file_.is_open() || ::flock(file_.number(), LOCK_EX | LOCK_NB) != 0) return true;
        leave();
        return false;
    }

   private:
    base::Descriptor file_;
};

class SqliteConnection final : public Connection {
   public:
    SqliteConnection(const std::filesystem::path& file, SqliteHandle handle,
                     milliseconds busy_for)
        : busy_{busy_for, {}}, write_queue_(file), handle_(std::move(handle)), file_(file) {
        sqlite3_busy_handler(handle_.get(), wait_for_lock, &busy_);
    }

    void set_up() {
        (void)query("PRAGMA foreign_keys = ON");
        (void)query("PRAGMA synchronous = FULL");
        if (sqlite3_db_readonly(handle_.get(), "main") == 1) return;
        const auto is_wal = [&] { return query("PRAGMA journal_mode").at(0).text(0) == "wal"; };
        if (is_wal()) return;
        // SQLite does not wait for the lock that the change of mode takes: one after the other.
        in_turn([&] {
            if (!is_wal()) (void)query("PRAGMA journal_mode = WAL");
        });
    }

    [[nodiscard]] Engine engine() const override { return Engine::sqlite; }

    [[nodiscard]] Rows query(std::string_view sql, std::span<const Value> values = {}) override {
        return marking([&] {
            Rows rows;
            BoundSqlite bound(handle_.get(), statement(sql), values);
            while (bound.step()) rows.push_back(bound.row());
            return rows;
        });
    }

    std::int64_t execute(std::string_view sql, std::span<const Value> values = {}) override {
        return marking([&] {
            // changes() keeps the count of an earlier statement when this one changes no rows.
            const auto total = sqlite3_total_changes64(handle_.get());
            sqlite3_stmt* prepared = statement(sql);
            refuse_write_while_reading(prepared);
            BoundSqlite bound(handle_.get(), prepared, values);
            while (bound.step()) continue;
            const bool any = sqlite3_total_changes64(handle_.get()) != total;
            return any ? std::int64_t{sqlite3_changes64(handle_.get())} : std::int64_t{0};
        });
    }

    void begin(Access access) override {
        reading_ = access == Access::read;
        if (reading_)
            (void)query("BEGIN");
        else
            in_turn([&] { (void)query("BEGIN IMMEDIATE"); });
    }

    void commit() override {
        try {
            (void)query("COMMIT");
        } catch (const Failure& failure) {
            auto kind = failure.kind();
            // The commit may or may not have reached the disk before it failed.
            kind.in_doubt = (failure.code() & 0xff) == SQLITE_IOERR;
            throw Failure(failure.what(), kind, failure.code());
        }
        reading_ = false;
    }

    void rollback() noexcept override {
        reading_ = false;
        // SQLite has rolled back by itself when the disk was full.
        if (sqlite3_get_autocommit(handle_.get()) != 0) return;
        try {
            (void)query("ROLLBACK");
        } catch (const std::exception& error) {
            broken_ = true;
            base::log::warning("rollback failed", {{"reason", error.what()}});
        }
    }

    [[nodiscard]] bool is_broken() const noexcept override { return broken_; }

    [[nodiscard]] bool may_be_awaited() override { return write_queue_.may_have_waiting(); }

    void require_room() override {
        constexpr off_t enough = 64 << 10;
        const auto folder = file_.has_parent_path() ? file_.parent_path() : ".";
        const base::Descriptor nameless(
            ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
        // Without such files this cannot be known.
        if (!nameless.is_open()) return;
        const int reason = ::posix_fallocate(nameless.number(), 0, enough);
        if (reason == ENOSPC || reason == EDQUOT || reason == EFBIG)
            throw Failure(
                "SQLite: database or disk is full: " + std::generic_category().message(reason) +
                    " (64 KB in " + folder.string() + ")",
                sqlite_failure_kind(SQLITE_FULL), SQLITE_FULL);
    }

    [[nodiscard]] bool has_moved() override {
        int moved = 0;
        if (sqlite3_file_control(handle_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved) ==
                SQLITE_OK &&
            moved != 0)
            return true;
        // SQLite does not watch its log, which holds what was written last.
        if (sqlite3_db_readonly(handle_.get(), "main") == 1) return false;
        if (query("PRAGMA journal_mode").at(0).text(0) != "wal") return false;
        return !std::filesystem::exists(file_.string() + "-wal");
    }

   private:
    template <class F>
    void in_turn(F&& work) {
        write_queue_.enter(busy_.at_most);
        try {
            work();
        } catch (...) {
            write_queue_.leave();
            throw;
        }
        write_queue_.leave();
    }

    template <class F>
    std::invoke_result_t<F&> marking(F&& work) {
        try {
            return work();
        } catch (const Failure& failure) {
            broken_ = broken_ || failure.kind().lost_connection;
            throw;
        }
    }

    sqlite3_stmt* statement(std::string_view sql) {
        if (const auto known = statements_.find(sql); known != statements_.end())
            return known->second.get();
        if (statements_.size() >= most_sqlite_statements) statements_.clear();
        auto prepared = prepare_sqlite(handle_.get(), sql);
        return statements_.emplace(sql, std::move(prepared)).first->second.get();
    }

    // A READ ONLY transaction of MariaDB fails likewise. Without this check SQLite would fail
    // with BUSY_SNAPSHOT, and only when another writer came between.
    void refuse_write_while_reading(sqlite3_stmt* prepared) const {
        if (reading_ && sqlite3_stmt_readonly(prepared) == 0)
            throw Failure("SQLite: a write in a read-only transaction", {}, SQLITE_MISUSE);
    }

    Busy busy_;  // SQLite keeps its address, so it is declared before the handle and outlives it
    WriteQueue write_queue_;
    SqliteHandle handle_;
    std::filesystem::path file_;
    std::map<std::string, SqliteStatement, std::less<>> statements_;
    bool reading_ = false;
    bool broken_ = false;
};

}  // namespace

FailureKind sqlite_failure_kind(int code) {
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
        case SQLITE_PERM: return {.needs_operator = true};
        // The cache of such a handle cannot be trusted any more.
        case SQLITE_IOERR:
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB: return {.lost_connection = true, .needs_operator = true};
        default: return {};
    }
}

std::unique_ptr<Connection> open_sqlite(const std::filesystem::path& file, IfMissing if_missing,
                                        milliseconds busy_for) {
    auto connection =
        std::make_unique<SqliteConnection>(file, open_sqlite_file(file, if_missing), busy_for);
    connection->set_up();
    return connection;
}

}  // namespace store
