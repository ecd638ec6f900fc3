// SPDX-License-Identifier: MIT
#include "source/acedb/child.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace source::acedb {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t block = 1 << 16;
constexpr std::size_t most_errors = 1 << 12;

tl::unexpected<base::Error> unavailable(int code) {
    return base::fail(base::Kind::unavailable, std::generic_category().message(code));
}

struct Pipe {
    File reading, writing;
};

// Above the three standard numbers, which the child gets copies of, even where ours are closed.
File lifted(int descriptor) {
    if (descriptor < 0 || descriptor > STDERR_FILENO) return File(descriptor);
    const File low(descriptor);
    return File(::fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

base::Result<Pipe> open_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return unavailable(errno);
    Pipe pipe{lifted(ends[0]), lifted(ends[1])};
    if (!pipe.reading.is_open() || !pipe.writing.is_open()) return unavailable(errno);
    return pipe;
}

// Ours only: the child has the other end, and another open file description.
void make_non_blocking(const File& file) {
    ::fcntl(file.descriptor(), F_SETFL, ::fcntl(file.descriptor(), F_GETFL) | O_NONBLOCK);
}

// What posix_spawn is told; any step that fails leaves the first errno.
class Spawning {
   public:
    Spawning() {
        ::posix_spawn_file_actions_init(&actions_);
        ::posix_spawnattr_init(&attributes_);
    }
    ~Spawning() {
        ::posix_spawnattr_destroy(&attributes_);
        ::posix_spawn_file_actions_destroy(&actions_);
    }
    Spawning(const Spawning&) = delete;
    Spawning& operator=(const Spawning&) = delete;

    void connect(const File& file, int number) {
        note(::posix_spawn_file_actions_adddup2(&actions_, file.descriptor(), number));
    }
    // Threads of a server block signals, and ignore some: none of it is for the child.
    void set_apart() {
        note(::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1));
        sigset_t signals;
        sigemptyset(&signals);
        note(::posix_spawnattr_setsigmask(&attributes_, &signals));
        for (const int each : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD})
            sigaddset(&signals, each);
        note(::posix_spawnattr_setsigdefault(&attributes_, &signals));
        note(::posix_spawnattr_setpgroup(&attributes_, 0));
        note(::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP |
                                                          POSIX_SPAWN_SETSIGDEF |
                                                          POSIX_SPAWN_SETSIGMASK));
    }
    base::Result<pid_t> run(const std::string& program, std::vector<char*> words) {
        pid_t pid = 0;
        if (code_ == 0)
            code_ = ::posix_spawnp(&pid, program.c_str(), &actions_, &attributes_, words.data(),
                                   environ);
        if (code_ != 0) return unavailable(code_);
        return pid;
    }

   private:
    void note(int code) {
        if (code_ == 0) code_ = code;
    }

    posix_spawn_file_actions_t actions_;
    posix_spawnattr_t attributes_;
    int code_ = 0;
};

// Writing to a pipe that nobody reads raises SIGPIPE, which MSG_NOSIGNAL is for sockets only.
// Held back while this stands, and taken away if it was raised by then.
class WithoutSigpipe {
   public:
    WithoutSigpipe() {
        sigemptyset(&pipe_);
        sigaddset(&pipe_, SIGPIPE);
        was_pending_ = is_pending();
        ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    }
    ~WithoutSigpipe() {
        const timespec now{};
        if (!was_pending_ && is_pending()) ::sigtimedwait(&pipe_, nullptr, &now);
        ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    WithoutSigpipe(const WithoutSigpipe&) = delete;
    WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

   private:
    static bool is_pending() {
        sigset_t pending;
        sigemptyset(&pending);
        ::sigpending(&pending);
        return sigismember(&pending, SIGPIPE) == 1;
    }

    sigset_t pipe_, before_;
    bool was_pending_ = false;
};

}  // namespace

base::Result<std::unique_ptr<Child>> Child::start(const std::string& program,
                                                  const std::vector<std::string>& arguments) {
    auto input = open_pipe(), output = open_pipe(), errors = open_pipe();
    for (const auto* pipe : {&input, &output, &errors})
        if (!*pipe) return tl::unexpected(pipe->error());
    auto words = arguments;
    words.insert(words.begin(), program);
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (auto& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    Spawning spawning;
    spawning.connect(input->reading, STDIN_FILENO);
    spawning.connect(output->writing, STDOUT_FILENO);
    spawning.connect(errors->writing, STDERR_FILENO);
    spawning.set_apart();
    const auto pid = spawning.run(program, std::move(pointers));
    if (!pid) return tl::unexpected(pid.error());
    for (const auto* end : {&input->writing, &output->reading, &errors->reading})
        make_non_blocking(*end);
    return std::unique_ptr<Child>(new Child(
        *pid, std::move(input->writing), std::move(output->reading), std::move(errors->reading)));
}

Child::~Child() {
    input_ = File();
    if (ends_until(Clock::now() + 1s)) return;
    ::kill(-pid_, SIGTERM);
    if (ends_until(Clock::now() + 1s)) return;
    ::kill(-pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

// It may still print, and must not wait for a reader.
bool Child::ends_until(Deadline deadline) {
    std::string unread;
    for (;;) {
        const auto ended = ::waitpid(pid_, nullptr, WNOHANG);
        if (ended == pid_ || (ended < 0 && errno != EINTR)) return true;
        if (Clock::now() >= deadline) return false;
        unread.clear();
        const auto soon = std::min(deadline, Clock::now() + 5ms);
        if (!read(unread, soon)) std::this_thread::sleep_until(soon);
    }
}

base::Result<bool> Child::write(std::string_view bytes, Deadline deadline) {
    const WithoutSigpipe quiet;
    while (!bytes.empty()) {
        const auto written = ::write(input_.descriptor(), bytes.data(), bytes.size());
        if (written >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(written));
            continue;
        }
        if (errno == EINTR) continue;
        if (errno != EAGAIN) return unavailable(errno);
        if (!wait_for(input_.descriptor(), Await::writing, deadline)) return false;
    }
    return true;
}

base::Result<bool> Child::read(std::string& output, Deadline deadline) {
    for (;;) {
        std::array<pollfd, 2> waited{
            {{output_.descriptor(), POLLIN, 0}, {error_output_.descriptor(), POLLIN, 0}}};
        // A descriptor of -1, closed since, is passed over.
        const int ready = ::poll(waited.data(), waited.size(), milliseconds_until(deadline));
        if (ready < 0 && errno != EINTR) return unavailable(errno);
        if (waited[1].revents != 0) take_errors();
        if (waited[0].revents != 0) {
            const auto came = take_output(output);
            if (!came || *came) return came;
        }
        if (Clock::now() >= deadline) return false;
    }
}

// False when nothing is there yet.
base::Result<bool> Child::take_output(std::string& output) {
    const auto size = output.size();
    output.resize(size + block);
    const auto got = ::read(output_.descriptor(), output.data() + size, block);
    const int code = got < 0 ? errno : 0;
    output.resize(size + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got > 0) return true;
    if (got == 0) return base::fail(base::Kind::unavailable, "its output has ended");
    if (code == EINTR || code == EAGAIN) return false;
    return unavailable(code);
}

void Child::take_errors() {
    std::array<char, most_errors> some{};
    const auto got = ::read(error_output_.descriptor(), some.data(), some.size());
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) error_output_ = File();
    if (got <= 0) return;
    errors_.append(some.data(), static_cast<std::size_t>(got));
    if (errors_.size() > most_errors) errors_.erase(0, errors_.size() - most_errors);
}

const std::string& Child::errors() {
    for (int turns = 16;
         turns > 0 && error_output_.is_open() && is_readable(error_output_.descriptor()); --turns)
        take_errors();
    return errors_;
}

}  // namespace source::acedb
