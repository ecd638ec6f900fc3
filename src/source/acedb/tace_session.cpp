// SPDX-License-Identifier: MIT
#include "source/acedb/tace_session.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <spawn.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/text.hpp"
#include "source/acedb/protocol.hpp"
#include "source/file.hpp"

namespace source::acedb {
namespace {

using base::ErrorKind;
using namespace std::chrono_literals;

// ---- The child process ----

constexpr std::size_t output_block = 1 << 16;
constexpr std::size_t most_errors = 1 << 12;

tl::unexpected<base::Error> unavailable(int code) {
    return base::fail(base::ErrorKind::unavailable, std::generic_category().message(code));
}

struct Pipe {
    File reading, writing;
};

// Moves a descriptor above the three standard ones, of which the child gets copies even if ours
// are closed.
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

// Affects our end only: the child has another open file description.
void make_non_blocking(const File& file) {
    ::fcntl(file.descriptor(), F_SETFL, ::fcntl(file.descriptor(), F_GETFL) | O_NONBLOCK);
}

// The arguments of posix_spawn. Keeps the errno of the first step that fails.
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
    // Resets signals, since threads of a server block and ignore some.
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

// Suppresses the SIGPIPE of writing to a pipe that nobody reads (MSG_NOSIGNAL is for sockets
// only): blocks it, and in the end removes one that was raised meanwhile.
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

// A child process that we talk to over its standard input and output. It ends with this object:
// the destructor asks, then signals, then kills it, and always waits for it. One thread at a
// time.
class Child {
   public:
    // Runs `program`, a path or a name to look for in PATH. The child has its three descriptors
    // and no other, default signals, and a process group of its own, so that Ctrl-C at our
    // terminal does not cut off an answer that we still wait for.
    //   error  unavailable: no such program, no more processes
    [[nodiscard]] static base::Result<std::unique_ptr<Child>> start(
        const std::string& program, const std::vector<std::string>& arguments,
        std::chrono::milliseconds time_to_end);

    // Closes the child's input and gives it time_to_end, the same again after SIGTERM, then
    // SIGKILL.
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    // Writes all of `bytes` to its input. Returns false at the deadline.
    //   error  unavailable: it is gone
    [[nodiscard]] base::Result<bool> write(std::string_view bytes, Deadline deadline);

    // Appends what it printed to `output`. Returns false at the deadline. Keeps what it prints to
    // its standard error.
    //   error  unavailable: its output has ended
    [[nodiscard]] base::Result<bool> read(std::string& output, Deadline deadline);

    [[nodiscard]] bool has_printed() const { return is_readable(output_.descriptor()); }
    // The last bytes that it printed to its standard error.
    [[nodiscard]] const std::string& errors();

   private:
    Child(pid_t pid, std::chrono::milliseconds time_to_end, File input, File output, File errors)
        : pid_(pid), time_to_end_(time_to_end), input_(std::move(input)),
          output_(std::move(output)), error_output_(std::move(errors)) {}

    [[nodiscard]] base::Result<bool> take_output(std::string& output);
    void take_errors();
    [[nodiscard]] bool ends_until(Deadline deadline);

    pid_t pid_;  // and of its group
    std::chrono::milliseconds time_to_end_;
    File input_, output_, error_output_;
    std::string errors_;
};

base::Result<std::unique_ptr<Child>> Child::start(const std::string& program,
                                                  const std::vector<std::string>& arguments,
                                                  std::chrono::milliseconds time_to_end) {
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
    return std::unique_ptr<Child>(new Child(*pid, time_to_end, std::move(input->writing),
                                            std::move(output->reading),
                                            std::move(errors->reading)));
}

Child::~Child() {
    input_ = File();
    if (ends_until(Clock::now() + time_to_end_)) return;
    ::kill(-pid_, SIGTERM);
    if (ends_until(Clock::now() + time_to_end_)) return;
    ::kill(-pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

// Waits for the end of the child. Reads what it still prints, so that it need not wait for a
// reader.
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
        // poll ignores a descriptor of -1, which was closed.
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

// Returns false when nothing is there yet.
base::Result<bool> Child::take_output(std::string& output) {
    const auto size = output.size();
    output.resize(size + output_block);
    const auto got = ::read(output_.descriptor(), output.data() + size, output_block);
    const int code = got < 0 ? errno : 0;
    output.resize(size + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got > 0) return true;
    if (got == 0) return base::fail(base::ErrorKind::unavailable, "its output has ended");
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

// ---- The session ----

constexpr std::string_view prompt = "acedb> ";

// A prompt at the start of a line that does not follow the last line of a reply is text of an
// object if more comes within this time.
constexpr auto quiet = 200ms;

// More than any banner has.
constexpr std::size_t most_banner = 1 << 20;

enum class Ended { no, perhaps, yes };

// A reply ends in a fixed line, a banner in any text.
enum class Printed { banner, reply };

// Returns whether `output` ends in a prompt, judged by what precedes it.
Ended look_for_prompt(std::string_view output, Printed what) {
    if (!output.ends_with(prompt)) return Ended::no;
    output.remove_suffix(prompt.size());
    if (is_whole(output)) return Ended::yes;
    if (!output.empty() && !output.ends_with('\n')) return Ended::no;
    return what == Printed::banner ? Ended::yes : Ended::perhaps;
}

// Returns the last line that a program printed, which says why it ended.
std::string last_words(std::string_view printed) {
    printed = base::trim(printed);
    return words_of(printed.substr(printed.rfind('\n') + 1));  // npos + 1 is 0
}

// Only the words of the reply show that tace does not accept a command.
bool is_refusal(const std::string& words) {
    return words.starts_with("Sorry, ") ||
           (words.starts_with("Keyword ") && words.ends_with(" does not match"));
}

class TaceSession final : public Session {
   public:
    TaceSession(std::string name, std::chrono::milliseconds timeout, std::unique_ptr<Child> child)
        : name_(std::move(name)), timeout_(timeout), child_(std::move(child)) {}
    ~TaceSession() override {
        if (!is_open()) return;
        // A child that does not read this sees the end of its input.
        const auto asked = child_->write("quit\n", Clock::now());
        static_cast<void>(asked);
    }

    base::Result<std::string> ask(std::string_view command, const ReplyOptions& options) override;
    base::Result<void> read_banner();
    bool is_open() const override { return child_ != nullptr; }
    bool is_silent() const override { return is_silent_; }

   private:
    // Returns what the child prints up to the next prompt.
    base::Result<std::string> read(Printed what, std::size_t most);
    base::Result<void> send(std::string_view command);

    // Ends the child, since what it prints next would look like another answer.
    tl::unexpected<base::Error> lost(ErrorKind kind, const std::string& what);
    tl::unexpected<base::Error> ended(std::string_view printed);
    tl::unexpected<base::Error> silent(Printed what, std::string_view printed);

    std::string name_;  // of program and database, for messages
    std::chrono::milliseconds timeout_;
    std::unique_ptr<Child> child_;
    bool is_silent_ = false;
};

tl::unexpected<base::Error> TaceSession::lost(ErrorKind kind, const std::string& what) {
    child_.reset();
    return base::fail(kind, name_ + ": " + what);
}

tl::unexpected<base::Error> TaceSession::ended(std::string_view printed) {
    auto words = last_words(child_->errors());
    if (words.empty()) words = last_words(printed);
    return lost(ErrorKind::unavailable,
                "the program has ended" + (words.empty() ? words : ": " + words));
}

tl::unexpected<base::Error> TaceSession::silent(Printed what, std::string_view printed) {
    is_silent_ = true;
    const auto words = what == Printed::banner ? last_words(printed) : "";
    return lost(ErrorKind::unavailable, "no prompt within " + in_seconds(timeout_) +
                                            (words.empty() ? words : ": " + words));
}

base::Result<std::string> TaceSession::read(Printed what, std::size_t most) {
    const auto deadline = Clock::now() + timeout_;
    std::string printed;
    auto end = Ended::no;
    while (end != Ended::yes) {
        const bool may_be_whole = end == Ended::perhaps;
        const auto until = may_be_whole ? std::min(deadline, Clock::now() + quiet) : deadline;
        const auto more = child_->read(printed, until);
        if (!more) return ended(printed);
        if (!*more && !may_be_whole) return silent(what, printed);
        if (printed.size() > most && printed.size() - most > prompt.size())
            return lost(ErrorKind::too_large, "a reply above " + std::to_string(most) + " bytes");
        end = *more ? look_for_prompt(printed, what) : Ended::yes;
    }
    printed.resize(printed.size() - prompt.size());
    return printed;
}

base::Result<void> TaceSession::read_banner() {
    const auto banner = read(Printed::banner, most_banner);
    if (!banner) return tl::unexpected(banner.error());
    return {};
}

base::Result<void> TaceSession::send(std::string_view command) {
    std::string line(command);
    line += '\n';
    const auto sent = child_->write(line, Clock::now() + timeout_);
    if (!sent) return ended("");
    is_silent_ = !*sent;
    if (is_silent_) return lost(ErrorKind::unavailable, "the program does not read its commands");
    return {};
}

base::Result<std::string> TaceSession::ask(std::string_view command,
                                           const ReplyOptions& options) {
    if (!is_open()) return base::fail(ErrorKind::unavailable, name_ + ": the program has ended");
    if (!is_command(command))
        return base::fail(ErrorKind::malformed, name_ + ": a command is not printable ASCII");
    if (child_->has_printed()) {
        std::string printed;
        if (!child_->read(printed, Clock::now())) return ended(printed);
        return lost(ErrorKind::unavailable,
                    "it printed without being asked: " + words_of(printed));
    }
    if (auto sent = send(command); !sent) return tl::unexpected(sent.error());
    // options.gently is for servers that others use, too; this child works for us alone.
    auto reply = read(Printed::reply, options.most_bytes);
    if (!reply) return reply;
    if (const auto words = words_of(*reply); is_refusal(words))
        return base::fail(ErrorKind::refused, name_ + ": the program refuses: " + words);
    return reply;
}

// Keeps a folder from looking like an option.
std::string as_argument(const std::string& folder) {
    return folder.starts_with('-') ? "./" + folder : folder;
}

// ---- The database's files ----

// True for ACEDB.wrm, block1.wrm, block2.wrm, ... The folder also contains logs and locks, which
// change whenever a process looks at the database.
bool is_of_the_database(std::string_view name) {
    return name.ends_with(".wrm") && (name == "ACEDB.wrm" || name.starts_with("block"));
}

}  // namespace

base::Result<SessionPtr> open_tace_session(const TaceSettings& command) {
    const auto name = command.program + ' ' + command.folder;
    auto child =
        Child::start(command.program, {as_argument(command.folder)}, command.time_to_end);
    if (!child) return base::fail_at(name + ": can't be run", child.error());
    auto session = std::make_unique<TaceSession>(name, command.timeout, std::move(*child));
    if (auto ready = session->read_banner(); !ready) return tl::unexpected(ready.error());
    return session;
}

std::string change_mark_of(const std::string& folder) {
    std::vector<std::string> lines;
    std::error_code error;
    std::filesystem::directory_iterator entry(folder + "/database", error);
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
        const auto name = entry->path().filename().string();
        if (!is_of_the_database(name)) continue;
        const auto file = open_file(AT_FDCWD, entry->path().string());
        if (!file) continue;
        if (const auto identity = identity_of(*file))
            lines.push_back(name + ' ' + std::to_string(identity->inode) + ' ' +
                            std::to_string(identity->size) + ' ' +
                            std::to_string(identity->modified_ns) + '\n');
    }
    std::sort(lines.begin(), lines.end());
    std::string all;
    for (const auto& line : lines) all += line;
    return all;
}

}  // namespace source::acedb
