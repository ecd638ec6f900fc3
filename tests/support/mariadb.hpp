// A MariaDB server of the tests' own: a temporary folder, a unix socket, no network. Started when
// first asked for, once a test program; stopped by its process id when the program ends.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

#include "store/store.hpp"
#include "support/temp_dir.hpp"

namespace support {

class MariaDb {
   public:
    // The one server. Throws when it is not installed or does not start, with its log: a
    // missing server fails the tests, it never skips them.
    [[nodiscard]] static MariaDb& only();

    MariaDb();
    ~MariaDb();
    MariaDb(const MariaDb&) = delete;
    MariaDb& operator=(const MariaDb&) = delete;

    [[nodiscard]] const std::filesystem::path& socket() const { return socket_; }
    [[nodiscard]] store::Url url_of(const std::string& database) const;

    // An empty database with a name that no other test has.
    [[nodiscard]] std::string create_database();
    void drop_database(const std::string& name);

    // Stops the server and starts it again over the same files.
    void restart();

   private:
    void install();
    void start();
    void stop();
    void wait_until_it_answers();
    [[nodiscard]] std::string log() const;

    TempDir folder_;
    std::filesystem::path socket_;
    pid_t process_ = -1;
    int databases_ = 0;
};

// Runs a program to its end; its standard input, output and error are the files named, or
// /dev/null. Returns its exit code, -1 when it was killed or could not be started.
int run_program(const std::vector<std::string>& words,
                const std::filesystem::path& input = "/dev/null",
                const std::filesystem::path& output = "/dev/null");

}  // namespace support
