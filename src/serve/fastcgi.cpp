// The FastCGI server. A worker reads what has arrived of a request, and answers it when it is whole and
// known to be right.
// SPDX-License-Identifier: MIT

#include <fcgiapp.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "serve/cgi.hpp"
#include "serve/connections.hpp"
#include "serve/fastcgi_records.hpp"
#include "serve/server.hpp"

namespace serve {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto pause_without_descriptors = std::chrono::milliseconds(10);

// Belongs to the worker that got its event, and to nobody while it is watched.
struct Connection {
    base::Descriptor socket;
    RequestRecords records;
    // FastcgiServer::epoll knows the socket. Set whenever the connection is passed on to the worker that gets
    // the next event, and loaded by that one, so that it sees what this one did.
    std::atomic<bool> is_known = false;
    bool is_arriving = true;  // its request is not whole
};

// Logs a warning at most once a minute: each connection would repeat it.
class RareWarning {
   public:
    explicit RareWarning(std::string_view what) : what_(what) {}
    void log(const std::string& reason) {
        const auto now = Clock::now();
        auto next = next_.load();
        if (now >= next && next_.compare_exchange_strong(next, now + std::chrono::minutes(1)))
            base::log::warning(what_, {{"reason", reason}});
    }
    void log(int error) { log(std::generic_category().message(error)); }

   private:
    const std::string_view what_;
    std::atomic<Clock::time_point> next_ = Clock::time_point::min();
};

// FCGX_Init replaces handlers of these signals, also where they are to be ignored.
void initialise_libfcgi() {
    static std::once_flag once;
    std::call_once(once, [] {
        constexpr std::array signals = {SIGPIPE, SIGUSR1, SIGTERM};
        std::array<struct sigaction, signals.size()> before{};
        for (std::size_t i = 0; i < signals.size(); ++i)
            ::sigaction(signals[i], nullptr, &before[i]);
        ::FCGX_Init();
        for (std::size_t i = 0; i < signals.size(); ++i)
            ::sigaction(signals[i], &before[i], nullptr);
    });
}

// Writes a request over the last one in `memory`. Returns a descriptor that libfcgi reads it from, up
// to its end, without waiting; -1: no memory, or no more descriptors.
int readable_request(const RequestRecords& request, int memory) {
    const auto records = request.records();
    const auto size = static_cast<ssize_t>(records.size());
    if (::pwrite(memory, records.data(), records.size(), 0) != size) return -1;
    if (::ftruncate(memory, size) != 0 || ::lseek(memory, 0, SEEK_SET) != 0) return -1;
    return ::fcntl(memory, F_DUPFD_CLOEXEC, 0);
}

Request request_in(const FCGX_Request& libfcgi, const RequestRecords& records) {
    if (records.are_variables_too_long()) {
        Request request;
        request.error = HttpError{400, "The header fields are too long."};
        return request;
    }
    auto request = request_of(libfcgi.envp, Protocol::fastcgi);
    if (records.is_body_too_long()) {
        request.body_error = body_too_long();
    } else if (request.method == "POST") {
        std::string body(longest_body, '\0');
        const int size = ::FCGX_GetStr(body.data(), static_cast<int>(body.size()), libfcgi.in);
        body.resize(static_cast<std::size_t>(size));
        set_body(request, std::move(body));
    }
    return request;
}

RequestRecords::State read_records(RequestRecords& records, std::string_view bytes) {
    try {
        return records.read(bytes);
    } catch (const std::bad_alloc&) {
        return RequestRecords::State::refused;
    }
}

// A peer that leaves or is too slow makes this return early.
void write(FCGX_Stream* stream, std::string_view bytes) {
    constexpr std::size_t most = 1 << 20;  // FCGX_PutStr counts in int
    for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), most))) {
        const auto size = static_cast<int>(std::min(bytes.size(), most));
        if (::FCGX_PutStr(bytes.data(), size, stream) != size) return;
    }
}

class FastcgiServer : public Server {
   public:
    FastcgiServer(Listener listener_, FastcgiSettings settings_, Answer answer_)
        : listener(std::move(listener_)), settings(settings_), answer(std::move(answer_)),
          connections({settings.read_timeout, settings.read_timeout, settings.write_timeout}) {}
    ~FastcgiServer() override { FastcgiServer::stop(); }

    // Returns false, with a reason in errno, when the system has no more descriptors.
    [[nodiscard]] bool open() {
        epoll = base::Descriptor(::epoll_create1(EPOLL_CLOEXEC));
        wake = base::Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
        for (std::size_t i = 0; i < settings.workers; ++i)
            if (!memories.emplace_back(::memfd_create("request", MFD_CLOEXEC)).is_open())
                return false;
        if (!epoll.is_open() || !wake.is_open() ||
            !watch(EPOLL_CTL_ADD, wake.number(), EPOLLIN, &wake) ||
            !watch(EPOLL_CTL_ADD, listener.number(), EPOLLIN | EPOLLONESHOT, nullptr))
            return false;
        for (const auto& memory : memories)
            workers.emplace_back([this, &memory] { work(memory.number()); });
        return true;
    }

    void stop() override {
        {
            const std::lock_guard lock(mutex);  // nobody watches the listener after it
            connections.begin_stop();
        }
        if (!workers.empty()) {
            // The order fits both kinds of socket: shutting down a TCP listener resets waiting
            // connections, while a unix listener keeps them and then refuses new ones. An inherited one
            // may be shared with other processes.
            accept_backlog();
            if (listener.origin() != Listener::Origin::inherited) {
                ::shutdown(listener.number(), SHUT_RDWR);
                accept_backlog();
            }
            connections.wait_until_empty();
        }
        ::eventfd_write(wake.number(), 1);  // nobody reads it, so that all workers see it
        workers.clear();
    }

   private:
    [[nodiscard]] bool watch(int operation, int descriptor, unsigned events, void* owner) const {
        epoll_event event{};
        event.events = events;
        event.data.ptr = owner;
        return ::epoll_ctl(epoll.number(), operation, descriptor, &event) == 0;
    }

    // Lets one worker accept the next connection, unless too many requests are arriving. Requires `mutex`.
    void watch_listener() {
        is_full = arriving >= settings.most_connections;
        if (is_full || connections.is_stopping()) return;
        if (!watch(EPOLL_CTL_MOD, listener.number(), EPOLLIN | EPOLLONESHOT, nullptr))
            cannot_accept.log(errno);
    }

    // ---- the workers ------------------------------------------------------------------------------------

    // Each event wakes one worker, which reads what has arrived, and answers the request when it is whole.
    void work(int memory) {
        for (;;) {
            epoll_event event{};
            if (::epoll_wait(epoll.number(), &event, 1, -1) != 1) continue;
            if (event.data.ptr == &wake) return;
            auto* connection = static_cast<Connection*>(event.data.ptr);
            if (connection == nullptr) connection = accept_one();
            if (connection != nullptr && read_more(*connection)) {
                serve(*connection, memory);
                close(*connection);
            }
        }
    }

    // Returns nullptr when no connection waits to be accepted, or none can be.
    Connection* accept_one() {
        // Connections are accepted under the lock, so that stop() knows of all of them.
        std::unique_lock lock(mutex);
        base::Descriptor socket(::accept4(listener.number(), nullptr, nullptr, SOCK_CLOEXEC));
        if (!socket.is_open()) {
            if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
                cannot_accept.log(errno);
                lock.unlock();
                std::this_thread::sleep_for(pause_without_descriptors);
                lock.lock();
            }
            watch_listener();
            return nullptr;
        }
        const int yes = 1;  // an answer takes several writes; no effect on a unix socket
        ::setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        auto& accepted = connections.add(socket.number());
        accepted.socket = std::move(socket);
        ++arriving;
        watch_listener();
        return &accepted;
    }

    // Reads what has arrived. Returns true when the request is whole. Otherwise the connection is watched
    // for the rest, or closed since the request is refused.
    [[nodiscard]] bool read_more(Connection& connection) {
        const bool is_known = connection.is_known.load(std::memory_order_acquire);
        const int socket = connection.socket.number();
        std::array<char, 16384> input;  // NOLINT(*-member-init): recv() fills it
        auto state = RequestRecords::State::refused;
        const auto count = ::recv(socket, input.data(), input.size(), MSG_DONTWAIT);
        if (count > 0)
            state =
                read_records(connection.records, {input.data(), static_cast<std::size_t>(count)});
        else if (count < 0 && (errno == EAGAIN || errno == EINTR))
            state = RequestRecords::State::more;
        if (state == RequestRecords::State::more) {
            connection.is_known.store(true, std::memory_order_release);
            if (watch(is_known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, EPOLLIN | EPOLLONESHOT,
                      &connection))
                return false;
            cannot_answer.log(errno);
        }
        if (state != RequestRecords::State::whole) {
            close(connection);
            return false;
        }
        end_arriving(connection);
        connections.enter(socket, Phase::computing);
        return true;
    }

    void end_arriving(Connection& connection) {
        const std::lock_guard lock(mutex);
        if (std::exchange(connection.is_arriving, false)) --arriving;
        if (is_full) watch_listener();
    }

    void close(Connection& connection) {
        end_arriving(connection);
        connections.remove(connection.socket.number());
    }

    // Lets libfcgi read the request from memory, so that it waits for nobody, and write the answer to the
    // peer.
    void serve(Connection& connection, int memory) {
        FCGX_Request libfcgi;
        ::FCGX_InitRequest(&libfcgi, -1, 0);  // it accepts no connections itself
        libfcgi.ipcFd = readable_request(connection.records, memory);
        if (libfcgi.ipcFd < 0) return cannot_answer.log(errno);
        libfcgi.keepConnection = 1;  // otherwise FCGX_Accept_r closes what it is to read
        libfcgi.detached = 1;        // close() without waiting until the peer has closed
        if (::FCGX_Accept_r(&libfcgi) == 0) {
            libfcgi.keepConnection = 0;
            const auto request = request_in(libfcgi, connection.records);
            if (request.error && request.error->status == 500)
                cannot_answer.log(request.error->text);
            const auto response = answer(request);
            connections.enter(connection.socket.number(), Phase::writing);
            if (::dup3(connection.socket.number(), libfcgi.ipcFd, O_CLOEXEC) >= 0) {
                write(libfcgi.out, head_of(response));
                if (response.body && response.send_body) write(libfcgi.out, *response.body);
            } else {
                cannot_answer.log(errno);
            }
        }
        ::FCGX_Finish_r(&libfcgi);
    }

    // Connections in the backlog were opened before the stop, so they are answered.
    void accept_backlog() {
        for (int i = 0; i < backlog; ++i) {
            auto* accepted = accept_one();
            if (accepted == nullptr) return;
            accepted->is_known.store(true, std::memory_order_release);
            if (!watch(EPOLL_CTL_ADD, accepted->socket.number(), EPOLLIN | EPOLLONESHOT,
                       accepted))
                close(*accepted);
        }
    }

    const Listener listener;
    const FastcgiSettings settings;
    const Answer answer;
    base::Descriptor epoll, wake;
    RareWarning cannot_accept{"cannot accept a connection"};
    RareWarning cannot_answer{"cannot answer a request"};

    Connections<Connection> connections;
    std::mutex mutex;          // guards what follows
    std::size_t arriving = 0;  // connections whose request is not whole
    bool is_full = false;      // the listener is not watched

    std::vector<base::Descriptor> memories;  // a worker's each, see readable_request()
    std::vector<std::jthread> workers;
};

}  // namespace

base::Result<std::unique_ptr<Server>> start_fastcgi(Listener listener, FastcgiSettings settings,
                                                    Server::Answer answer) {
    initialise_libfcgi();
    return start<FastcgiServer>(std::move(listener), settings, std::move(answer),
                                "cannot watch connections");
}

}  // namespace serve
