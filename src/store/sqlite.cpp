// SPDX-License-Identifier: MIT
#include "store/sqlite_connection.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <map>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "base/log.hpp"
#include "store/sqlite_handle.hpp"

namespace store {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// More texts than a program has; a caller that builds SQL without end costs time, not memory.
constexpr std::size_t most_statements = 256;

// How long the statement that is waiting now has waited for another writer.
struct Busy {
    milliseconds bound;
    steady_clock::time_point since;
};

// Called by SQLite again and again while a lock is held by others. Its own handler sleeps up
// to 100 ms at a time, which is what a reader would see as the tail of response times.
int wait_for_lock(void* context, int tries) {
    auto& busy = *static_cast<Busy*>(context);
    const auto now = steady_clock::now();
    if (tries == 0) busy.since = now;
    if (now - busy.since >= busy.bound) return 0;
    std::this_thread::sleep_for(milliseconds(std::min(tries + 1, 5)));
    return 1;
}

// Writers of all processes pass here one by one on their way to the database's lock. Who has
// just committed finds it held by one that waited meanwhile and comes after it, so that a job
// of a thousand transactions keeps a request waiting for one of them and not for all.
class Turnstile {
   public:
    // Beside the database, and open to the same users. Where it can't be made there is none.
    explicit Turnstile(const std::filesystem::path& database) {
        struct stat its{};
        if (::stat(database.c_str(), &its) != 0) return;
        const auto path = database.string() + "-turn";
        file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (file_ >= 0) (void)::fchmod(file_, its.st_mode & 0666);
    }
    ~Turnstile() {
        if (file_ >= 0) ::close(file_);
    }
    Turnstile(const Turnstile&) = delete;
    Turnstile& operator=(const Turnstile&) = delete;

    // Held for the caller's lock; asked for at most so long, then the caller goes on without.
    void enter(milliseconds at_most) const {
        const auto give_up_at = steady_clock::now() + at_most;
        for (int tries = 1; file_ >= 0 && ::flock(file_, LOCK_EX | LOCK_NB) != 0; ++tries) {
            if (errno != EWOULDBLOCK || steady_clock::now() >= give_up_at) return;
            std::this_thread::sleep_for(milliseconds(std::min(tries, 5)));
        }
    }
    void leave() const {
        if (file_ >= 0) ::flock(file_, LOCK_UN);
    }

   private:
    int file_ = -1;
};

class SqliteConnection final : public Connection {
   public:
    SqliteConnection(const std::filesystem::path& file, SqliteHandle handle,
                     milliseconds busy_for)
        : busy_{busy_for, {}}, turnstile_(file), handle_(std::move(handle)) {
        sqlite3_busy_handler(handle_.get(), wait_for_lock, &busy_);
    }

    void set_up() {
        (void)query("PRAGMA foreign_keys = ON");
        (void)query("PRAGMA synchronous = FULL");
        if (sqlite3_db_readonly(handle_.get(), "main") == 1) return;
        const auto mode = query("PRAGMA journal_mode");
        if (mode.at(0).text(0) != "wal") (void)query("PRAGMA journal_mode = WAL");
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
            // changes() still tells of the statement before when this one is no DML.
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
            begin_writing();
    }

    void commit() override {
        try {
            (void)query("COMMIT");
        } catch (const Failure& failure) {
            auto meaning = failure.meaning();
            // The commit's frame may or may not have reached the disk before it failed.
            meaning.in_doubt = (failure.code() & 0xff) == SQLITE_IOERR;
            throw Failure(failure.what(), meaning, failure.code());
        }
        reading_ = false;
    }

    void rollback() noexcept override {
        reading_ = false;
        // After a full disk SQLite has rolled back by itself.
        if (sqlite3_get_autocommit(handle_.get()) != 0) return;
        try {
            (void)query("ROLLBACK");
        } catch (const std::exception& error) {
            broken_ = true;
            base::log::warning("rollback failed", {{"reason", error.what()}});
        }
    }

    [[nodiscard]] bool is_broken() const noexcept override { return broken_; }

   private:
    void begin_writing() {
        turnstile_.enter(busy_.bound);
        try {
            (void)query("BEGIN IMMEDIATE");
        } catch (...) {
            turnstile_.leave();
            throw;
        }
        turnstile_.leave();
    }

    template <class F>
    std::invoke_result_t<F&> marking(F&& work) {
        try {
            return work();
        } catch (const Failure& failure) {
            broken_ = broken_ || failure.meaning().lost_connection;
            throw;
        }
    }

    sqlite3_stmt* statement(std::string_view sql) {
        if (const auto known = statements_.find(sql); known != statements_.end())
            return known->second.get();
        if (statements_.size() >= most_statements) statements_.clear();
        auto prepared = prepare_sqlite(handle_.get(), sql);
        return statements_.emplace(sql, std::move(prepared)).first->second.get();
    }

    // As a READ ONLY transaction of the other engine does; here it would end in BUSY_SNAPSHOT,
    // but only when another writer came between.
    void refuse_write_while_reading(sqlite3_stmt* prepared) const {
        if (reading_ && sqlite3_stmt_readonly(prepared) == 0)
            throw Failure("SQLite: a write in a transaction for reading", {}, SQLITE_MISUSE);
    }

    Busy busy_;  // SQLite holds its address: declared before the handle, it outlives it
    Turnstile turnstile_;
    SqliteHandle handle_;
    std::map<std::string, SqliteStatement, std::less<>> statements_;
    bool reading_ = false;
    bool broken_ = false;
};

}  // namespace

std::unique_ptr<Connection> open_sqlite(const std::filesystem::path& file, IfMissing if_missing,
                                        milliseconds busy_for) {
    auto connection =
        std::make_unique<SqliteConnection>(file, open_sqlite_file(file, if_missing), busy_for);
    connection->set_up();
    return connection;
}

}  // namespace store
