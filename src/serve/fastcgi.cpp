// SPDX-License-Identifier: MIT
#include "serve/fastcgi.hpp"

#include <fcgiapp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "serve/cgi.hpp"

namespace serve {

namespace {

using Clock = std::chrono::steady_clock;

constexpr timeval read_timeout{.tv_sec = 5, .tv_usec = 0};    // for the next bytes of a request
constexpr timeval write_timeout{.tv_sec = 10, .tv_usec = 0};  // for a peer that reads nothing
constexpr auto stop_timeout = std::chrono::milliseconds(500);
constexpr int accept_pause_ms = 10;  // after the system ran out of descriptors

// The connection of a client that sends a longer body than longest_body, or slowly, is closed.
constexpr auto body_timeout = std::chrono::seconds(1);
constexpr std::size_t most_discarded = 1 << 20;

std::string reason(int error) {
    return std::error_code(error, std::generic_category()).message();
}

bool announces_body(char** variables) {
    const char* length = FCGX_GetParam("CONTENT_LENGTH", variables);
    return length != nullptr && std::string_view(length) != "" && std::string_view(length) != "0";
}

// Sets a shorter read timeout on a socket and restores the previous one at its end.
class ScopedReadTimeout {
   public:
    ScopedReadTimeout(int connection, std::chrono::seconds timeout) : connection_(connection) {
        socklen_t size = sizeof before_;
        ::getsockopt(connection_, SOL_SOCKET, SO_RCVTIMEO, &before_, &size);
        set({.tv_sec = timeout.count(), .tv_usec = 0});
    }
    ~ScopedReadTimeout() { set(before_); }
    ScopedReadTimeout(const ScopedReadTimeout&) = delete;
    ScopedReadTimeout& operator=(const ScopedReadTimeout&) = delete;

   private:
    void set(const timeval& time) const {
        ::setsockopt(connection_, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
    }
    int connection_;
    timeval before_{};
};

bool put(FCGX_Stream* out, std::string_view bytes) {
    constexpr std::size_t most_at_once = 1 << 30;  // libfcgi counts in int
    while (!bytes.empty()) {
        const auto part = bytes.substr(0, most_at_once);
        if (FCGX_PutStr(part.data(), static_cast<int>(part.size()), out) < 0) return false;
        bytes.remove_prefix(part.size());
    }
    return true;
}

// One request and its response on one connection, read and written by libfcgi. Reused for the
// next request. Belongs to one thread.
class Exchange {
   public:
    // No listening socket (-1): libfcgi is given connections and must never accept one itself.
    Exchange() { FCGX_InitRequest(&request_, -1, 0); }
    ~Exchange() { FCGX_Free(&request_, 1); }
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    // Reads a whole request and discards its body. Blocks until the request has arrived.
    //   connection  blocking, with a read timeout; this object takes ownership
    //   returns     false when no request arrived (the peer closed the connection, or did not
    //               speak FastCGI): the connection is closed
    [[nodiscard]] bool read(int connection);

    [[nodiscard]] Request request(std::string_view base_path) const {
        return request_of(request_.envp, base_path, Protocol::fastcgi);
    }

    // Writes the response and ends the request.
    //   returns  the connection; -1 when it broke and is closed
    [[nodiscard]] int answer(const Response& response);

    // True when the web server wants to keep the connection, and no unread bytes are on it.
    [[nodiscard]] bool may_keep() const { return wants_keep_ && drained_; }
    [[nodiscard]] bool drained() const { return drained_; }

   private:
    [[nodiscard]] bool drain();

    FCGX_Request request_{};
    bool wants_keep_ = false;
    bool drained_ = false;
};

bool Exchange::read(int connection) {
    // libfcgi reads the next request from a connection that it believes to be a kept one. If it
    // finds no valid request there, it closes the connection, tries to accept another on -1, and
    // fails.
    request_.ipcFd = connection;
    request_.keepConnection = 1;
    // Detached: when libfcgi closes a connection, it must not wait for the peer to close it too
    // (up to two seconds after each byte that still arrives).
    FCGX_Detach(&request_);
    if (FCGX_Accept_r(&request_) != 0) return false;
    wants_keep_ = request_.keepConnection != 0;
    drained_ = drain();
    return true;
}

// libfcgi would take a late end-of-input record for the begin of the next request. Apache sends
// that record in a separate write, so it must be waited for.
bool Exchange::drain() {
    std::optional<ScopedReadTimeout> timeout;
    if (announces_body(request_.envp)) timeout.emplace(request_.ipcFd, body_timeout);
    const auto deadline = Clock::now() + body_timeout;
    std::array<char, 8192> discarded;
    for (std::size_t read = 0; read < longest_body;) {
        const int count =
            FCGX_GetStr(discarded.data(), static_cast<int>(discarded.size()), request_.in);
        if (count < static_cast<int>(discarded.size())) return FCGX_GetError(request_.in) == 0;
        read += static_cast<std::size_t>(count);
        if (Clock::now() > deadline) break;
    }
    return false;
}

int Exchange::answer(const Response& response) {
    bool written = put(request_.out, head_of(response));
    if (written && response.body && response.send_body)
        written = put(request_.out, *response.body);
    request_.keepConnection = written ? 1 : 0;  // kept open for the caller, or closed
    FCGX_Finish_r(&request_);
    return std::exchange(request_.ipcFd, -1);
}

// Closes a connection. When it holds unread bytes, closes the sending half first and reads for a
// moment: otherwise the kernel resets the connection, and the peer may lose the response.
enum class Unread : unsigned char { none, some };
void close_connection(int connection, Unread unread) {
    if (unread == Unread::some && ::shutdown(connection, SHUT_WR) == 0) {
        const auto deadline = Clock::now() + body_timeout;
        std::array<char, 16384> discarded;
        pollfd readable{.fd = connection, .events = POLLIN, .revents = 0};
        for (std::size_t read = 0; read < most_discarded && Clock::now() < deadline;) {
            if (::poll(&readable, 1, 100) <= 0) break;
            const auto count =
                ::recv(connection, discarded.data(), discarded.size(), MSG_DONTWAIT);
            if (count <= 0) break;
            read += static_cast<std::size_t>(count);
        }
    }
    ::close(connection);
}

bool watch(int epoll, int operation, int descriptor, unsigned events) {
    epoll_event event{};
    event.events = events;
    event.data.fd = descriptor;
    return ::epoll_ctl(epoll, operation, descriptor, &event) == 0;
}

// The connection that one thread is waiting to read from, so that stop() can end the wait.
struct Worker {
    std::mutex mutex;
    int reading = -1;
    std::thread thread;

    void set_reading(int connection) {
        const std::lock_guard lock(mutex);
        reading = connection;
    }
    void stop_reading() {
        const std::lock_guard lock(mutex);
        if (reading >= 0) ::shutdown(reading, SHUT_RDWR);
    }
};

}  // namespace

// A connection is either `idle` (armed once in the epoll set, so that exactly one thread gets the
// next event), or owned by the thread that serves it, which may wait on it between two requests.
struct FastcgiServer::State {
    State(Listener listener_, FastcgiSettings settings_, Answer answer_)
        : listener(std::move(listener_)), settings(std::move(settings_)),
          answer(std::move(answer_)) {}

    Listener listener;
    const FastcgiSettings settings;
    const Answer answer;
    Descriptor epoll, wake;
    std::atomic<bool> stopping = false;
    std::atomic<std::size_t> waiting = 0;  // threads that wait on a connection; at most half

    std::mutex mutex;  // guards what follows
    std::condition_variable thread_ended;
    std::set<int> idle;
    std::size_t connections = 0;  // open, idle or served
    bool accepting = true;        // the listener is armed, or a thread is about to arm it
    std::size_t running = 0;      // threads that have not ended

    std::vector<std::unique_ptr<Worker>> workers;

    std::optional<std::string> open();
    void work(Worker& me);
    bool take_events(Exchange& exchange, Worker& me, bool last);
    bool accept_one();
    void accept_backlog();
    void rearm_listener();
    void make_idle(int connection, int operation);
    void forget_connection();
    void serve(Exchange& exchange, Worker& me, int connection);
    bool answer_one(Exchange& exchange, Worker& me, int connection);
    bool wait_for_next(int connection, bool& watched);
    void stop();
};

std::optional<std::string> FastcgiServer::State::open() {
    epoll = Descriptor(::epoll_create1(EPOLL_CLOEXEC));
    wake = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (epoll.number() < 0 || wake.number() < 0 ||
        !watch(epoll.number(), EPOLL_CTL_ADD, wake.number(), EPOLLIN) ||
        !watch(epoll.number(), EPOLL_CTL_ADD, listener.number(), EPOLLIN | EPOLLONESHOT))
        return "cannot create an epoll set: " + reason(errno);
    return std::nullopt;
}

// Answers requests until stop(), then those that have already arrived.
void FastcgiServer::State::work(Worker& me) {
    Exchange exchange;
    for (;;) {
        const bool last = stopping;
        if (!take_events(exchange, me, last) && last) break;
    }
    const std::lock_guard lock(mutex);
    --running;
    thread_ended.notify_all();
}

// Waits for an event and handles it. Returns false when there was none.
//   last  does not wait. `wake` stays ready then, hence the room for a second event
bool FastcgiServer::State::take_events(Exchange& exchange, Worker& me, bool last) {
    std::array<epoll_event, 2> events{};
    int ready = -1;
    do {
        ready = ::epoll_wait(epoll.number(), events.data(), last ? 2 : 1, last ? 0 : -1);
    } while (ready < 0 && errno == EINTR);
    bool busy = false;
    for (int i = 0; i < ready; ++i) {
        const int descriptor = events[static_cast<std::size_t>(i)].data.fd;
        if (descriptor == wake.number()) continue;
        busy = true;
        if (descriptor == listener.number()) {
            accept_one();
            rearm_listener();
        } else {
            serve(exchange, me, descriptor);
        }
    }
    return busy;
}

// Returns false when no connection waits to be accepted, or none can be accepted now.
bool FastcgiServer::State::accept_one() {
    const int connection = ::accept4(listener.number(), nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) {
        if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM)
            return false;  // closed again, or accepted by another process
        base::log::warning("cannot accept a connection", {{"reason", reason(errno)}});
        pollfd stop{.fd = wake.number(), .events = POLLIN, .revents = 0};
        ::poll(&stop, 1, accept_pause_ms);
        return false;
    }
    ::setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &read_timeout, sizeof read_timeout);
    ::setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &write_timeout, sizeof write_timeout);
    const int yes = 1;  // libfcgi writes 8 KB at a time; no effect on a unix socket
    ::setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    {
        const std::lock_guard lock(mutex);
        ++connections;
    }
    make_idle(connection, EPOLL_CTL_ADD);
    return true;
}

void FastcgiServer::State::rearm_listener() {
    const std::lock_guard lock(mutex);
    accepting = connections < settings.most_connections && !stopping;
    if (accepting)
        watch(epoll.number(), EPOLL_CTL_MOD, listener.number(), EPOLLIN | EPOLLONESHOT);
}

// Counts a closed connection and accepts connections again when the limit was reached.
void FastcgiServer::State::forget_connection() {
    bool full = false;
    {
        const std::lock_guard lock(mutex);
        --connections;
        full = !accepting;
    }
    if (full) rearm_listener();
}

void FastcgiServer::State::make_idle(int connection, int operation) {
    {
        const std::lock_guard lock(mutex);
        idle.insert(connection);
    }
    if (watch(epoll.number(), operation, connection, EPOLLIN | EPOLLONESHOT)) return;
    base::log::warning("cannot watch a connection", {{"reason", reason(errno)}});
    {
        const std::lock_guard lock(mutex);
        idle.erase(connection);
    }
    close_connection(connection, Unread::none);
    forget_connection();
}

// Serves a connection after its epoll event, for as long as this thread waits for its requests.
void FastcgiServer::State::serve(Exchange& exchange, Worker& me, int connection) {
    {
        const std::lock_guard lock(mutex);
        idle.erase(connection);
    }
    bool watched = true;
    while (answer_one(exchange, me, connection))
        if (!wait_for_next(connection, watched))
            return make_idle(connection, watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD);
    forget_connection();
}

// Returns true when the connection is kept open; otherwise it is closed.
bool FastcgiServer::State::answer_one(Exchange& exchange, Worker& me, int connection) {
    me.set_reading(connection);
    const bool received = exchange.read(connection);
    me.set_reading(-1);
    if (!received) return false;
    const auto response = answer(exchange.request(settings.base_path));
    // Decided before the response ends: the peer may send its next request as soon as it ends,
    // and a stop() after that must not close the connection.
    const bool keep = exchange.may_keep() && !stopping;
    connection = exchange.answer(response);
    if (connection >= 0 && keep) return true;
    if (connection >= 0)
        close_connection(connection, exchange.drained() ? Unread::none : Unread::some);
    return false;
}

// Waits for the next request of a connection here instead of in the epoll set: with 64 threads
// waiting there, epoll_wait took half of the processor time of a 304 (perf). At most half of the
// threads do so, which leaves the others for all other connections.
//   returns  true when the next request is arriving
bool FastcgiServer::State::wait_for_next(int connection, bool& watched) {
    if (waiting.fetch_add(1) >= settings.threads / 2) {
        --waiting;
        return false;
    }
    if (std::exchange(watched, false))
        ::epoll_ctl(epoll.number(), EPOLL_CTL_DEL, connection, nullptr);
    std::array<pollfd, 2> either = {pollfd{.fd = connection, .events = POLLIN, .revents = 0},
                                    pollfd{.fd = wake.number(), .events = POLLIN, .revents = 0}};
    ::poll(either.data(), either.size(), -1);
    --waiting;
    return either[0].revents != 0;
}

// Accepts the connections that wait now. The count is limited, because under load there is always
// a next one.
void FastcgiServer::State::accept_backlog() {
    for (int i = 0; i < backlog && accept_one(); ++i) {
    }
}

void FastcgiServer::State::stop() {
    if (stopping) return;
    // Connections in the backlog were opened before the stop, so they are answered. The order
    // fits both kinds of socket: shutting down a TCP listener resets waiting connections, while a
    // unix listener keeps them and then refuses new ones. An inherited one may be shared with
    // other processes.
    accept_backlog();
    if (listener.origin() != Listener::Origin::inherited) {
        ::shutdown(listener.number(), SHUT_RDWR);
        accept_backlog();
    }
    ::epoll_ctl(epoll.number(), EPOLL_CTL_DEL, listener.number(), nullptr);
    // Set last: a thread that sees it ends as soon as no event is ready.
    stopping = true;
    ::eventfd_write(wake.number(), 1);
    {
        std::unique_lock lock(mutex);
        thread_ended.wait_for(lock, stop_timeout, [&] { return running == 0; });
    }
    // No connection is accepted any more, so no descriptor number below is reused, even when
    // libfcgi closes a connection at this moment.
    for (const auto& worker : workers) worker->stop_reading();
    for (const auto& worker : workers) worker->thread.join();
    for (const int connection : idle) close_connection(connection, Unread::none);
    idle.clear();
}

base::Result<std::unique_ptr<FastcgiServer>> FastcgiServer::start(Listener listener,
                                                                  FastcgiSettings settings,
                                                                  Answer answer) {
    FCGX_Init();
    // After FCGX_Init, which installs its own handler where there is none.
    std::signal(SIGPIPE, SIG_IGN);
    auto state =
        std::make_unique<State>(std::move(listener), std::move(settings), std::move(answer));
    if (const auto failed = state->open())
        return base::fail(base::ErrorKind::unavailable, *failed);
    std::unique_ptr<FastcgiServer> server(new FastcgiServer(std::move(state)));
    State& running = *server->state_;
    try {
        for (std::size_t i = 0; i < running.settings.threads; ++i) {
            Worker& worker = *running.workers.emplace_back(std::make_unique<Worker>());
            const std::lock_guard lock(running.mutex);
            worker.thread = std::thread([&running, &worker] { running.work(worker); });
            ++running.running;
        }
    } catch (const std::system_error& none) {
        running.workers.pop_back();
        return base::fail(base::ErrorKind::unavailable,
                          std::string("cannot start threads: ") + none.what());
    }
    return server;
}

FastcgiServer::FastcgiServer(std::unique_ptr<State> state) : state_(std::move(state)) {}

FastcgiServer::~FastcgiServer() { stop(); }

void FastcgiServer::stop() { state_->stop(); }

}  // namespace serve
