// SPDX-License-Identifier: MIT
#include "app/notify.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

#include "app/print.hpp"

namespace app {

base::Result<void> notify(const std::string& command, const std::string& json) {
    constexpr int timed_out = 124;
    const auto fail = [](const std::string& text) {
        return base::fail(base::ErrorKind::unavailable, text);
    };
    std::signal(SIGPIPE, SIG_IGN);
    ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    // Of coreutils: env unblocks signals, and timeout also ends what the command has started. Output goes to
    // standard error, since the job's own result is on standard output.
    const auto line = "exec env --default-signal timeout --kill-after=5 60 sh -c " +
                      shell_word(command) + " >&2";
    auto* input = ::popen(line.c_str(), "w");
    if (input == nullptr) return fail(std::strerror(errno));
    std::setvbuf(input, nullptr, _IONBF, 0);
    (void)std::fwrite(json.data(), 1, json.size(), input);  // it need not read all of it
    const int ended = ::pclose(input);
    if (ended == -1) return fail(std::strerror(errno));
    const int status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
    if (status == timed_out) return fail("it did not finish within 60 s");
    if (status != 0) return fail("it exited with status " + std::to_string(status));
    return {};
}

}  // namespace app
