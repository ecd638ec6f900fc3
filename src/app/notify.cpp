// SPDX-License-Identifier: MIT
#include "app/notify.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace app {
namespace {

using base::ErrorKind;
using base::Result;

Result<void> fail_with(int code) {
    return base::fail(ErrorKind::unavailable, std::strerror(code));
}

struct CloseFile {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using TemporaryFile = std::unique_ptr<std::FILE, CloseFile>;

// A file instead of a pipe: a command that does not read it disturbs nobody.
TemporaryFile file_with(const std::string& text) {
    TemporaryFile file(std::tmpfile());
    if (file == nullptr) return nullptr;
    const bool is_written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() &&
                            std::fflush(file.get()) == 0;
    std::rewind(file.get());
    return is_written ? std::move(file) : nullptr;
}

// Starts a program of coreutils with signals as a shell expects them. Its output goes to standard error,
// since the job's own result is on standard output.
Result<pid_t> start(std::span<const char* const> words, int standard_input) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_adddup2(&files, standard_input, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    pid_t pid = 0;
    const int code = ::posix_spawnp(&pid, words[0], &files, &attributes,
                                    const_cast<char* const*>(words.data()), environ);
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&attributes);
    if (code != 0) return fail_with(code).map([] { return pid_t{}; });
    return pid;
}

Result<int> wait_for(pid_t pid) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return fail_with(errno).map([] { return 0; });
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

// timeout(1) also ends what the command has started, and exits with 124.
Result<void> notify(const std::string& command, const std::string& json) {
    constexpr int timed_out = 124;
    std::signal(SIGPIPE, SIG_IGN);
    const auto input = file_with(json);
    if (input == nullptr) return fail_with(errno);
    const std::array<const char*, 7> words{"timeout", "--kill-after=5", "60",   "sh",
                                           "-c",      command.c_str(),  nullptr};
    const auto status =
        start(words, ::fileno(input.get())).and_then([](pid_t pid) { return wait_for(pid); });
    if (!status) return tl::unexpected(status.error());
    if (*status == timed_out)
        return base::fail(ErrorKind::unavailable, "it did not finish within 60 s");
    if (*status != 0)
        return base::fail(ErrorKind::unavailable,
                          "it exited with status " + std::to_string(*status));
    return {};
}

}  // namespace app
