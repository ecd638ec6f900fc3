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
#include "serve/exchange.hpp"

namespace serve {

namespace {

constexpr timeval longest_read{.tv_sec = 5, .tv_usec = 0};    // for a request's next bytes
constexpr timeval longest_write{.tv_sec = 10, .tv_usec = 0};  // for a peer that takes none
constexpr auto grace = std::chrono::milliseconds(500);
constexpr int breath_ms = 10;  // before accepting again when the system has no descriptors

std::string reason(int error) {
    return std::error_code(error, std::generic_category()).message();
}

bool watch(int epoll, int operation, int descriptor, unsigned events) {
    epoll_event event{};
    event.events = events;
    event.data.fd = descriptor;
    return ::epoll_ctl(epoll, operation, descriptor, &event) == 0;
}

// What one thread is waiting to read, so that stop() can end the wait.
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

// Connections are in one of two places: `parked` (idle, armed once in the epoll set, so that
// one thread gets the next event), or in the hands of the thread that serves them, which may
// stay with one between two requests.
struct Fastcgi::State {
    State(Listener listener_, FastcgiSettings settings_, Answer answer_)
        : listener(std::move(listener_)), settings(std::move(settings_)),
          answer(std::move(answer_)) {}

    Listener listener;
    const FastcgiSettings settings;
    const Answer answer;
    Descriptor epoll, wake;
    std::atomic<bool> stopping = false;
    std::atomic<std::size_t> staying = 0;  // threads that wait with a connection; at most half

    std::mutex mutex;  // guards what follows
    std::condition_variable left;
    std::set<int> parked;
    std::size_t connections = 0;  // open, parked or served
    bool accepting = true;        // the listener is armed, or a thread is about to arm it
    std::size_t running = 0;      // threads that have not left

    std::vector<std::unique_ptr<Worker>> workers;

    std::optional<std::string> open();
    void work(Worker& me);
    bool take_events(Exchange& exchange, Worker& me, bool last);
    bool accept_one();
    void accept_backlog();
    void rearm_listener();
    void park(int connection, int operation);
    void forget_connection();
    void serve(Exchange& exchange, Worker& me, int connection);
    bool answer_one(Exchange& exchange, Worker& me, int connection);
    bool stay_for_next(int connection, bool& watched);
    void stop();
};

std::optional<std::string> Fastcgi::State::open() {
    epoll = Descriptor(::epoll_create1(EPOLL_CLOEXEC));
    wake = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (epoll.number() < 0 || wake.number() < 0 ||
        !watch(epoll.number(), EPOLL_CTL_ADD, wake.number(), EPOLLIN) ||
        !watch(epoll.number(), EPOLL_CTL_ADD, listener.number(), EPOLLIN | EPOLLONESHOT))
        return "no descriptors to wait with: " + reason(errno);
    return std::nullopt;
}

// Answers until stop(); then whatever has arrived already, and leaves when nothing is left.
void Fastcgi::State::work(Worker& me) {
    Exchange exchange;
    for (;;) {
        const bool last = stopping;
        if (!take_events(exchange, me, last) && last) break;
    }
    const std::lock_guard lock(mutex);
    --running;
    left.notify_all();
}

// Waits for an event and sees to it. False when there was nothing to do.
//   last  doesn't wait; looks past `wake`, which is ready for good then, hence room for two
bool Fastcgi::State::take_events(Exchange& exchange, Worker& me, bool last) {
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

// False when nobody waits to be accepted (or nobody can be now).
bool Fastcgi::State::accept_one() {
    const int connection = ::accept4(listener.number(), nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) {
        if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM)
            return false;  // gone again, or another process of ours was faster
        base::log::warning("connection not accepted", {{"why", reason(errno)}});
        pollfd stop{.fd = wake.number(), .events = POLLIN, .revents = 0};
        ::poll(&stop, 1, breath_ms);
        return false;
    }
    ::setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &longest_read, sizeof longest_read);
    ::setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &longest_write, sizeof longest_write);
    const int yes = 1;  // answers are written in records of 8 KB; a no-op on a unix socket
    ::setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    {
        const std::lock_guard lock(mutex);
        ++connections;
    }
    park(connection, EPOLL_CTL_ADD);
    return true;
}

void Fastcgi::State::rearm_listener() {
    const std::lock_guard lock(mutex);
    accepting = connections < settings.most_connections && !stopping;
    if (accepting)
        watch(epoll.number(), EPOLL_CTL_MOD, listener.number(), EPOLLIN | EPOLLONESHOT);
}

// A connection is closed: room for one that waits.
void Fastcgi::State::forget_connection() {
    bool full = false;
    {
        const std::lock_guard lock(mutex);
        --connections;
        full = !accepting;
    }
    if (full) rearm_listener();
}

void Fastcgi::State::park(int connection, int operation) {
    {
        const std::lock_guard lock(mutex);
        parked.insert(connection);
    }
    if (watch(epoll.number(), operation, connection, EPOLLIN | EPOLLONESHOT)) return;
    base::log::warning("connection not watched", {{"why", reason(errno)}});
    {
        const std::lock_guard lock(mutex);
        parked.erase(connection);
    }
    hang_up(connection, Unread::none);
    forget_connection();
}

// Serves a connection that the epoll set has given out, for as long as this thread stays with it.
void Fastcgi::State::serve(Exchange& exchange, Worker& me, int connection) {
    {
        const std::lock_guard lock(mutex);
        parked.erase(connection);
    }
    bool watched = true;
    while (answer_one(exchange, me, connection))
        if (!stay_for_next(connection, watched))
            return park(connection, watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD);
    forget_connection();
}

// True when the connection is kept; else it is closed.
bool Fastcgi::State::answer_one(Exchange& exchange, Worker& me, int connection) {
    me.set_reading(connection);
    const bool came = exchange.read(connection);
    me.set_reading(-1);
    if (!came) return false;
    const auto response = answer(exchange.request(settings.base_path));
    // Decided before the answer ends: with its end the peer may send the next request, and a
    // stop that comes only then must not close the connection on it.
    const bool keep = exchange.may_keep() && !stopping;
    connection = exchange.answer(response);
    if (connection >= 0 && keep) return true;
    if (connection >= 0) hang_up(connection, exchange.drained() ? Unread::none : Unread::some);
    return false;
}

// Waits for the next request here instead of in the epoll set: with 64 threads waiting there,
// epoll_wait took half of the processor time of a 304 (perf). At most half of the threads stay,
// so that there are always some for all other connections. True when the request is coming.
bool Fastcgi::State::stay_for_next(int connection, bool& watched) {
    if (staying.fetch_add(1) >= settings.threads / 2) {
        --staying;
        return false;
    }
    if (std::exchange(watched, false))
        ::epoll_ctl(epoll.number(), EPOLL_CTL_DEL, connection, nullptr);
    std::array<pollfd, 2> either = {pollfd{.fd = connection, .events = POLLIN, .revents = 0},
                                    pollfd{.fd = wake.number(), .events = POLLIN, .revents = 0}};
    ::poll(either.data(), either.size(), -1);
    --staying;
    return either[0].revents != 0;
}

// Those who wait now; not more than can, for under load there is always a next one.
void Fastcgi::State::accept_backlog() {
    for (int i = 0; i < backlog && accept_one(); ++i) {
    }
}

void Fastcgi::State::stop() {
    if (stopping) return;
    // What waits in the backlog was sent before the stop. The order fits both kinds of socket:
    // shutting down a TCP listener resets those who wait, while a unix listener keeps them and
    // only then lets no more in. An inherited one may be shared with other processes.
    accept_backlog();
    if (listener.origin() != Listener::Origin::inherited) {
        ::shutdown(listener.number(), SHUT_RDWR);
        accept_backlog();
    }
    ::epoll_ctl(epoll.number(), EPOLL_CTL_DEL, listener.number(), nullptr);
    // Only now: a thread that sees it leaves as soon as nothing is ready.
    stopping = true;
    ::eventfd_write(wake.number(), 1);
    {
        std::unique_lock lock(mutex);
        left.wait_for(lock, grace, [&] { return running == 0; });
    }
    // No connection is accepted any more, so the numbers below are still those of connections
    // even where libfcgi closes one at this moment.
    for (const auto& worker : workers) worker->stop_reading();
    for (const auto& worker : workers) worker->thread.join();
    for (const int connection : parked) hang_up(connection, Unread::none);
    parked.clear();
}

base::Result<std::unique_ptr<Fastcgi>> Fastcgi::start(Listener listener, FastcgiSettings settings,
                                                      Answer answer) {
    FCGX_Init();
    // After FCGX_Init, which puts a handler of its own wherever it finds none.
    std::signal(SIGPIPE, SIG_IGN);
    auto state =
        std::make_unique<State>(std::move(listener), std::move(settings), std::move(answer));
    if (const auto failed = state->open()) return base::fail(base::Kind::unavailable, *failed);
    std::unique_ptr<Fastcgi> server(new Fastcgi(std::move(state)));
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
        return base::fail(base::Kind::unavailable, std::string("no threads: ") + none.what());
    }
    return server;
}

Fastcgi::Fastcgi(std::unique_ptr<State> state) : state_(std::move(state)) {}

Fastcgi::~Fastcgi() { stop(); }

void Fastcgi::stop() { state_->stop(); }

}  // namespace serve
