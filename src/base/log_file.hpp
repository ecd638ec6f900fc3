// base/log_file.hpp -- a file that whole lines are appended to, and that can be opened anew while
// others write: logrotate moves it away, and the next open() makes another.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace base {

class LogFile {
   public:
    LogFile() = default;
    ~LogFile();
    LogFile(const LogFile&) = delete;
    LogFile& operator=(const LogFile&) = delete;

    // Lines go to the end of the file at `path` from now on, which is made (0640) where it is not
    // there. A line that is being written goes whole into the one or the other.
    //   error  unavailable, with the path: it can't be opened; nothing changes
    [[nodiscard]] Result<void> open(const std::string& path);
    // Lines go nowhere from now on, and the file is let go.
    void close();
    [[nodiscard]] bool is_open() const { return open_.load(std::memory_order_relaxed); }

    // One write(2). What can't be written is lost: there is nobody to tell.
    void write(std::string_view line) const;

   private:
    void take(int number);

    // Given once and kept until the end: another file is put under the same number, so that who
    // has just read the number never writes into a descriptor that means something else by now.
    std::atomic<int> number_ = -1;
    std::atomic<bool> open_ = false;
    std::mutex changing_;
};

// Whether open() would do, without changing what is in force.
//   error  as open()
[[nodiscard]] Result<void> can_append_to(const std::string& path);

}  // namespace base
