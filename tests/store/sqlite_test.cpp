// What only a file can do: fill its disk, be read-only, be another kind of file.
// SPDX-License-Identifier: MIT
#include <array>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <latch>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "base/descriptor.hpp"
#include "store/sqlite.hpp"
#include "store/store.hpp"
#include "support/stores.hpp"

using namespace store;
namespace fs = std::filesystem;

namespace {

constexpr auto insert_release = "INSERT INTO releases (version, released_on)"
                                " VALUES (?, '2008-02-15')";

// Permissions apply to everybody but root: during its life this process is nobody.
class NoRoot {
   public:
    NoRoot() : root_(::geteuid() == 0) {
        if (root_ && ::seteuid(65534) != 0) throw std::runtime_error("seteuid");
    }
    ~NoRoot() {
        if (root_ && ::seteuid(0) != 0) std::terminate();
    }
    NoRoot(const NoRoot&) = delete;
    NoRoot& operator=(const NoRoot&) = delete;

   private:
    bool root_;
};

// To the user that NoRoot makes of root.
void give_to_nobody(const fs::path& path) {
    if (::geteuid() == 0) REQUIRE(::chown(path.c_str(), 65534, 65534) == 0);
}

void set_mode(const fs::path& path, mode_t mode) { REQUIRE(::chmod(path.c_str(), mode) == 0); }

fs::path store_with_one_release(const support::TempDir& folder) {
    const auto file = folder.path() / "history.db";
    const auto connection = open_sqlite(file, IfMissing::create);
    REQUIRE(initialise(*connection));
    connection->execute(insert_release, std::array<Value, 1>{"WS186"});
    return file;
}

FailureKind kind_of(const std::function<void()>& action) {
    return support::failure_of(action).kind();
}

std::int64_t releases_in(Connection& connection) {
    return connection.query("SELECT COUNT(*) FROM releases").at(0).integer(0);
}

struct OpenStore {
    const support::TempDir folder;
    const fs::path file = store_with_one_release(folder);
    const std::unique_ptr<Connection> connection = open_sqlite(file, IfMissing::fail);
};

}  // namespace

TEST_CASE_METHOD(OpenStore,
                 "A failed write names the files beside the database that cannot be written") {
    REQUIRE(releases_in(*connection) == 1);  // a reader keeps the files beside it
    give_to_nobody(folder.path());
    for (const auto* beside : {"", "-wal", "-shm"}) {
        const auto path = file.string() + beside;
        give_to_nobody(path);
        set_mode(path, *beside == '\0' ? 0640 : 0400);
    }
    const NoRoot nobody;
    const std::string said = support::failure_of([&] {
                                 open_sqlite(file, IfMissing::fail)
                                     ->execute(insert_release, std::array<Value, 1>{"WS187"});
                             }).what();
    INFO(said);
    CHECK(said.find("; not writable: ") != std::string::npos);
    CHECK(said.ends_with(file.string() + "-shm"));
}

TEST_CASE("A new store is for its user and group at most, with the files beside it") {
    const support::TempDir folder;
    const auto before = ::umask(0);
    const auto file = store_with_one_release(folder);
    const auto connection = open_sqlite(file, IfMissing::fail);
    CHECK(releases_in(*connection) == 1);
    ::umask(before);
    for (const auto* beside : {"", "-wal", "-shm", "-turn"}) {
        INFO(beside);
        struct stat status{};
        REQUIRE(::stat((file.string() + beside).c_str(), &status) == 0);
        CHECK((status.st_mode & 0777) == 0640);
    }
}

TEST_CASE_METHOD(OpenStore, "A file is in WAL mode, flushed at each commit, with foreign keys") {
    CHECK(connection->query("PRAGMA journal_mode").at(0).text(0) == "wal");
    CHECK(connection->query("PRAGMA synchronous").at(0).integer(0) == 2);
    CHECK(connection->query("PRAGMA foreign_keys").at(0).integer(0) == 1);
}

TEST_CASE("Several who open a file that is not in WAL mode yet wait for each other") {
    const support::TempDir folder;
    for (int round = 0; round < 10; ++round) {
        const auto file = store_with_one_release(folder);
        (void)open_sqlite(file, IfMissing::fail)->query("PRAGMA journal_mode = DELETE");
        std::vector<std::string> modes(8);
        {
            std::latch all_are_ready(static_cast<std::ptrdiff_t>(modes.size()));
            std::vector<std::jthread> threads;
            for (auto& mode : modes)
                threads.emplace_back([&] {
                    all_are_ready.arrive_and_wait();
                    try {
                        mode = open_sqlite(file, IfMissing::fail)
                                   ->query("PRAGMA journal_mode")
                                   .at(0)
                                   .text(0);
                    } catch (const Failure& failure) {
                        mode = failure.what();
                    }
                });
        }
        CHECK(modes == std::vector<std::string>(modes.size(), "wal"));
        fs::remove(file);
    }
}

TEST_CASE_METHOD(OpenStore,
                 "A connection notices that its files were deleted, moved or replaced") {
    CHECK(releases_in(*connection) == 1);
    CHECK_FALSE(connection->has_moved());
    const auto beside = folder.path() / "beside.db", log = folder.path() / "history.db-wal";
    SECTION("deleted") { fs::remove(file); }
    SECTION("moved") { fs::rename(file, beside); }
    SECTION("replaced") {
        fs::copy_file(file, beside);
        fs::rename(beside, file);
    }
    SECTION("the log alone") { fs::remove(log); }
    CHECK(connection->has_moved());
}

TEST_CASE_METHOD(OpenStore, "A writer knows whether another process waits for it") {
    connection->begin(Access::write);
    CHECK_FALSE(connection->may_be_awaited());
    // As another process holds it that waits for the lock of the database.
    const base::Descriptor turn(::open((file.string() + "-turn").c_str(), O_RDWR | O_CLOEXEC));
    REQUIRE(::flock(turn.number(), LOCK_EX | LOCK_NB) == 0);
    CHECK(connection->may_be_awaited());
    REQUIRE(::flock(turn.number(), LOCK_UN) == 0);
    CHECK_FALSE(connection->may_be_awaited());
    connection->rollback();
}

TEST_CASE_METHOD(OpenStore, "A disk without room for more than a row counts as full") {
    check_writable(*connection);
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    const rlimit small{60 << 10, before.rlim_max};
    const auto on_full = std::signal(SIGXFSZ, SIG_IGN);
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    connection->execute("UPDATE meta SET value = value + 1 WHERE name = 'probe'");
    const auto kind = kind_of([&] { check_writable(*connection); });
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    std::signal(SIGXFSZ, on_full);
    CHECK(kind.needs_operator);
    check_writable(*connection);
    // It commits, and counts in one row.
    CHECK(open_sqlite(file, IfMissing::fail)
              ->query("SELECT value FROM meta WHERE name = 'probe'")
              .at(0)
              .integer(0) == 4);
}

TEST_CASE_METHOD(OpenStore, "A full disk needs the operator, and what was written stays whole") {
    const auto pages = connection->query("PRAGMA page_count").at(0).integer(0);
    (void)connection->query("PRAGMA max_page_count = " + std::to_string(pages + 2));
    const auto fill = [&] {
        Transaction transaction(*connection, Access::write);
        transaction.execute(insert_release, {"WS187"});
        transaction.execute(
            "INSERT INTO objects (class, name, name_key) VALUES ('Gene', 'a', 'a')");
        transaction.execute("INSERT INTO trees (oid, version, tree) VALUES (1, 'WS187', ?)",
                            {Blob{std::string(1'000'000, 'x')}});
        transaction.commit();
    };
    const auto kind = kind_of(fill);
    CHECK(kind.needs_operator);
    CHECK_FALSE(kind.transient);
    CHECK(releases_in(*connection) == 1);
    (void)connection->query("PRAGMA max_page_count = 100000");
    fill();
    CHECK(releases_in(*connection) == 2);
    CHECK(connection->query("PRAGMA integrity_check").at(0).text(0) == "ok");
}

TEST_CASE("A read-only store is read, and writing it needs the operator") {
    const support::TempDir folder;
    const auto file = store_with_one_release(folder);
    const mode_t folder_mode = GENERATE(0555U, 0777U);
    set_mode(file, 0444);
    set_mode(folder.path(), folder_mode);
    {
        const NoRoot nobody;
        const auto connection = open_sqlite(file, IfMissing::fail);
        CHECK(releases_in(*connection) == 1);
        CHECK(check_schema(*connection));
        const auto kind =
            kind_of([&] { connection->execute(insert_release, std::array<Value, 1>{"WS187"}); });
        CHECK(kind.needs_operator);
        CHECK_FALSE(kind.transient);
        CHECK(kind_of([&] {
                  Transaction transaction(*connection, Access::write);
                  transaction.execute(insert_release, {"WS187"});
              }).needs_operator);
        CHECK(releases_in(*connection) == 1);
    }
    set_mode(folder.path(), 0700);
}

TEST_CASE("A missing file is created only on request") {
    const support::TempDir folder;
    const auto file = folder.path() / "history.db";
    CHECK(kind_of([&] { (void)open_sqlite(file, IfMissing::fail); }).needs_operator);
    CHECK_FALSE(fs::exists(file));
    CHECK(kind_of([&] {
              (void)open_sqlite(folder.path() / "none" / "history.db", IfMissing::create);
          }).needs_operator);
    (void)open_sqlite(file, IfMissing::create);
    CHECK(fs::exists(file));
}

TEST_CASE("A file that is damaged or not a database is reported") {
    const support::TempDir folder;
    const auto other = folder.write("other.db", std::string(8192, 'x'));
    CHECK(kind_of([&] { (void)open_sqlite(other, IfMissing::fail); }).needs_operator);
    const auto file = store_with_one_release(folder);
    fs::resize_file(file, 8192);
    const auto kind = kind_of([&] { (void)open_sqlite(file, IfMissing::fail); });
    CHECK(kind.needs_operator);
    CHECK(kind.lost_connection);
}

TEST_CASE("SQLite's error codes have their kinds") {
    CHECK(sqlite_failure_kind(SQLITE_BUSY_SNAPSHOT).transient);
    CHECK(sqlite_failure_kind(SQLITE_LOCKED_SHAREDCACHE).transient);
    CHECK(sqlite_failure_kind(SQLITE_CONSTRAINT_UNIQUE).duplicate);
    CHECK(sqlite_failure_kind(SQLITE_CONSTRAINT_PRIMARYKEY).duplicate);
    CHECK_FALSE(sqlite_failure_kind(SQLITE_CONSTRAINT_FOREIGNKEY).duplicate);
    CHECK(sqlite_failure_kind(SQLITE_CONSTRAINT_FOREIGNKEY).orphan);
    for (const int code : {SQLITE_FULL, SQLITE_READONLY_DBMOVED, SQLITE_IOERR_FSYNC})
        CHECK(sqlite_failure_kind(code).needs_operator);
    CHECK(sqlite_failure_kind(SQLITE_IOERR_FSYNC).lost_connection);
    CHECK_FALSE(sqlite_failure_kind(SQLITE_ERROR).transient);
}

TEST_CASE_METHOD(
    OpenStore,
    "A log that is damaged while it is in use is reported, and what it held before stays") {
    const auto log = file.string() + "-wal";
    const auto write = [&](const std::string& version) {
        Transaction transaction(*connection, Access::write);
        transaction.execute(insert_release, {Value{version}});
        transaction.execute("INSERT INTO objects (class, name, name_key) VALUES ('Gene', ?, '')",
                            {Value{version}});
        transaction.commit();
    };
    const auto overwrite = [](const std::string& path, std::size_t at, const std::string& bytes) {
        std::fstream damaged(path, std::ios::in | std::ios::out | std::ios::binary);
        damaged.seekp(static_cast<std::streamoff>(at));
        damaged << bytes;
    };
    write("WS187");
    const auto whole = fs::file_size(log);
    write("WS188");
    SECTION("everything behind a moment is garbage or cut off, while connections are open") {
        const bool is_cut = GENERATE(true, false);
        if (is_cut)
            fs::resize_file(log, whole);
        else
            overwrite(log, whole, std::string(fs::file_size(log) - whole, 'x'));
        const auto reader = open_sqlite(file, IfMissing::fail);
        const auto kind = kind_of([&] { (void)releases_in(*reader); });
        CHECK(kind.needs_operator);
        CHECK((is_cut || kind.lost_connection));
    }
    SECTION("damage is met by the next process after a crash") {
        const auto copied = folder.path() / "copy.db";
        fs::copy_file(file, copied);
        fs::copy_file(log, copied.string() + "-wal");
        overwrite(copied.string() + "-wal", whole + 100, "damage");
        // The transactions behind the damage are gone as if they had never begun, each as a whole.
        const auto next = open_sqlite(copied, IfMissing::fail);
        CHECK(releases_in(*next) == 2);
        CHECK(next->query("SELECT COUNT(*) FROM objects").at(0).integer(0) == 1);
        CHECK(next->query("PRAGMA integrity_check").at(0).text(0) == "ok");
    }
}
