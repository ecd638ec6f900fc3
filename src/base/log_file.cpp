// SPDX-License-Identifier: MIT
#include "base/log_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace base {
namespace {

Result<int> open_for_appending(const std::string& path) {
    // O_NONBLOCK: a FIFO that nobody reads shall not hold the server up.
    const int number =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0640);
    if (number >= 0) return number;
    return fail(Kind::unavailable, "can't write " + path + ": " +
                                       std::error_code(errno, std::generic_category()).message());
}

}  // namespace

LogFile::~LogFile() {
    if (number_ >= 0) ::close(number_);
}

void LogFile::take(int number) {
    const int kept = number_;
    if (kept < 0) {
        number_ = number;
        return;
    }
    ::dup3(number, kept, O_CLOEXEC);
    ::close(number);
}

Result<void> LogFile::open(const std::string& path) {
    const std::lock_guard lock(changing_);
    const auto number = open_for_appending(path);
    if (!number) return tl::unexpected(number.error());
    take(*number);
    open_ = true;
    return {};
}

void LogFile::close() {
    const std::lock_guard lock(changing_);
    if (!open_.exchange(false)) return;
    // The number stays ours; what it stands for is let go.
    if (const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0)
        take(nowhere);
}

void LogFile::write(std::string_view line) const {
    if (!is_open()) return;
    [[maybe_unused]] const auto written = ::write(number_, line.data(), line.size());
}

Result<void> can_append_to(const std::string& path) {
    const auto number = open_for_appending(path);
    if (!number) return tl::unexpected(number.error());
    ::close(*number);
    return {};
}

}  // namespace base
