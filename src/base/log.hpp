// base/log.hpp -- the log: one line per event in logfmt (time, level, message, key=value pairs), and
// the files that lines are appended to.
// Safe from any thread: a line is written with one write(2).
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"

namespace base {

// A file for whole lines, which can be reopened while others write: logrotate moves it away, and
// the next open() creates another.
class LogFile {
   public:
    LogFile() = default;
    ~LogFile();
    LogFile(const LogFile&) = delete;
    LogFile& operator=(const LogFile&) = delete;

    // Appends lines to the file at `path` from now on, which it creates (0640) when it is missing.
    // A line that is being written goes to one of the two files as a whole.
    //   error  unavailable, with the path: it cannot be opened; nothing changes
    [[nodiscard]] Result<void> open(const std::string& path);
    // Closes the file and discards lines from now on.
    void close();
    [[nodiscard]] bool is_open() const { return open_.load(std::memory_order_relaxed); }

    // Writes with one write(2). A failure is ignored, because there is nobody to report it to.
    void write(std::string_view line) const;

   private:
    void replace_with(int descriptor);

    // Stays the same for life: another file is opened under the same number (dup3), so that a
    // thread that has just read it never writes into something else.
    std::atomic<int> descriptor_ = -1;
    std::atomic<bool> open_ = false;
    std::mutex changing_;  // held while the file is replaced
};

// Checks that open() would succeed, without changing the log in use.
//   error  as open()
[[nodiscard]] Result<void> can_append_to(const std::string& path);

}  // namespace base

namespace base::log {

enum class Level { debug, info, warning, error };

using Fields = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// Writes one line. `what` is a short constant text; what varies goes into `fields`.
void write(Level level, std::string_view what, Fields fields = {});
inline void debug(std::string_view what, Fields f = {}) { write(Level::debug, what, f); }
inline void info(std::string_view what, Fields f = {}) { write(Level::info, what, f); }
inline void warning(std::string_view what, Fields f = {}) { write(Level::warning, what, f); }
inline void error(std::string_view what, Fields f = {}) { write(Level::error, what, f); }

// Returns "BEGIN key=value …" with a line end; values are quoted where needed.
[[nodiscard]] std::string line_of(std::string_view begin, Fields fields);

// Sets where lines go, and the lowest level that is written. May be called at any time: a line that
// is being written goes to one of the two places as a whole.
//   descriptor  must stay open for the life of the process; the default is 2, stderr
void send_to(int descriptor, Level least);
// Does the same for a file, which each call reopens (logrotate).
//   error  unavailable: it cannot be opened; nothing changes
[[nodiscard]] Result<void> send_to_file(const std::string& path, Level least);

}  // namespace base::log
