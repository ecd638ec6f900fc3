// A MariaDB server for the tests: a temporary folder, a unix socket, no network. It starts at its
// first use, once per test program, and is stopped by its process id at the end.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <sys/types.h>
#include <vector>

#include "store/store.hpp"
#include "support/temp_dir.hpp"

namespace support {

class MariaDb {
   public:
    // Returns the one server. Throws with its log when it is not installed or does not start: a
    // missing server fails the tests instead of skipping them.
    [[nodiscard]] static MariaDb& only();

    MariaDb();
    ~MariaDb();
    MariaDb(const MariaDb&) = delete;
    MariaDb& operator=(const MariaDb&) = delete;

    [[nodiscard]] const std::filesystem::path& socket() const { return socket_; }
    [[nodiscard]] store::Url url_of(const std::string& database) const;

    // Creates an empty database with a name that no other test has.
    [[nodiscard]] std::string create_database();
    void drop_database(const std::string& name);

    // Returns a database as `varve init` leaves it, for one test at a time. Creating the tables
    // takes much longer than emptying them, so databases are used again.
    [[nodiscard]] std::string borrow_database();
    // Empties the database for the next test, or drops it when its tables were altered.
    void give_back(const std::string& name);
    // Replaces the rows of `to` by those of `from`. Both have Varve's schema.
    void copy_rows(const std::string& from, const std::string& to);

    // Stops the server and starts it again over the same files.
    void restart();

   private:
    void start();
    void stop();
    void wait_until_it_answers();
    // Returns the connection for what this class does itself.
    store::Connection& connection();
    // Returns its columns, and the comments of its tables.
    [[nodiscard]] std::array<store::Rows, 2> schema_of(const std::string& database);
    [[nodiscard]] std::set<std::string> tables_with_rows(const std::string& database,
                                                         const store::Rows& tables);
    [[nodiscard]] std::string log() const;

    TempDir folder_;
    std::filesystem::path socket_;
    pid_t process_ = -1;
    int databases_ = 0;
    std::unique_ptr<store::Connection> connection_;
    std::string template_;             // as varve init leaves it; no test writes to it
    std::vector<std::string> unused_;  // equal to template_
};

// Runs a program to its end; its standard input, output and error are the named files or
// /dev/null. Returns its exit code, -1 when it was killed or could not be started.
int run_program(const std::vector<std::string>& words,
                const std::filesystem::path& input = "/dev/null",
                const std::filesystem::path& output = "/dev/null");

}  // namespace support
