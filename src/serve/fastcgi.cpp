// SPDX-License-Identifier: MIT
#include "serve/fastcgi.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "serve/fastcgi_records.hpp"

namespace serve {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// How long a thread waits for the rest of a request or of an answer before it leaves that to the
// epoll set. Apache sends the end of a request in a separate write.
constexpr auto moment = milliseconds(10);
constexpr auto stop_reading_after = milliseconds(500);
constexpr auto stop_writing_after = milliseconds(5000);
constexpr int accept_pause_ms = 10;  // after the system ran out of descriptors

// A peer that was answered before it had sent its whole request may still be sending. Its bytes
// are discarded up to these limits, because closing at once would reset the connection, and the
// peer might lose the answer.
constexpr auto linger_timeout = milliseconds(1000);
constexpr std::size_t most_discarded = 1 << 20;

std::string reason(int error) {
    return std::error_code(error, std::generic_category()).message();
}

bool watch(int epoll, int operation, int descriptor, unsigned events, void* owner) {
    epoll_event event{};
    event.events = events;
    event.data.ptr = owner;
    return ::epoll_ctl(epoll, operation, descriptor, &event) == 0;
}

constexpr auto no_deadline = Clock::time_point::max();

// One connection. It belongs either to one thread, or to the epoll set, where it is armed once, so
// that exactly one thread gets its next event. Other threads may only read the atomic members and
// shut the socket down, with State::mutex held; its owner then closes it.
struct Connection {
    Connection(base::Descriptor socket_, RecordReader::Capacity capacity)
        : socket(std::move(socket_)), reader(capacity) {}

    const base::Descriptor socket;
    RecordReader reader;
    std::string unread;                       // bytes behind the end of the last request
    std::optional<ResponseRecords> response;  // being sent
    bool keep = false;                        // when the response is sent
    bool lingers = false;                     // see linger_timeout
    std::size_t discarded = 0;
    bool watched = false;  // in the epoll set, armed or not

    // Of the request or response in progress.
    Clock::time_point deadline = no_deadline;
    Clock::time_point moment_ends = no_deadline;

    // When it began to wait for its peer.
    static constexpr Clock::rep is_served = 0, is_shut_down = -1;
    std::atomic<Clock::rep> waits_since = is_served;
    std::atomic<short> waits_for = POLLIN;  // or POLLOUT
    std::atomic<Clock::time_point> waits_until = no_deadline;
    bool makes_room = false;  // shut down for another one; guarded by State::mutex

    void end_phase() { deadline = moment_ends = no_deadline; }
    void begin_phase(milliseconds timeout) {
        if (deadline != no_deadline) return;
        const auto now = Clock::now();
        deadline = now + timeout;
        moment_ends = now + moment;
    }
    // True when what it waits for has come, such as its next request, and no thread has looked yet.
    [[nodiscard]] bool is_ready() const {
        pollfd peer{.fd = socket.number(), .events = waits_for.load(), .revents = 0};
        return ::poll(&peer, 1, 0) > 0;
    }
    // Ends the wait. Returns false when the connection was shut down meanwhile.
    [[nodiscard]] bool take() { return waits_since.exchange(is_served) != is_shut_down; }
};

// What happens to a connection next.
enum class Next : unsigned char {
    close,
    wait_for_request,
    read,   // the rest of a request
    write,  // the rest of a response
};

// Logs a warning at most once a minute: a lack of descriptors would repeat it at each connection.
class RareWarning {
   public:
    explicit RareWarning(std::string_view what) : what_(what) {}
    void log(int error) {
        const auto now = Clock::now();
        auto next = next_.load();
        if (now >= next && next_.compare_exchange_strong(next, now + std::chrono::minutes(1)))
            base::log::warning(what_, {{"reason", reason(error)}});
    }

   private:
    const std::string_view what_;
    std::atomic<Clock::time_point> next_ = Clock::time_point::min();
};

// One of the threads that wait for a peer, if there are fewer than `most`.
class WaitingThread {
   public:
    WaitingThread(std::atomic<std::size_t>& count, std::size_t most)
        : count_(count), is_allowed_(count.fetch_add(1) < most) {}
    ~WaitingThread() { --count_; }
    WaitingThread(const WaitingThread&) = delete;
    WaitingThread& operator=(const WaitingThread&) = delete;
    [[nodiscard]] bool is_allowed() const { return is_allowed_; }

   private:
    std::atomic<std::size_t>& count_;
    const bool is_allowed_;
};

void set_timer(int timer, Clock::time_point time) {
    const auto since_boot = time.time_since_epoch();  // steady_clock is CLOCK_MONOTONIC
    const auto seconds = std::chrono::floor<std::chrono::seconds>(since_boot);
    itimerspec once{};
    once.it_value.tv_sec = seconds.count();
    once.it_value.tv_nsec = std::chrono::nanoseconds(since_boot - seconds).count();
    ::timerfd_settime(timer, TFD_TIMER_ABSTIME, &once, nullptr);
}

enum class Accepted : unsigned char {
    one,
    none,       // no connection waits to be accepted
    exhausted,  // the system has no more descriptors or memory
};

struct Worker {
    std::array<char, 65536> input;  // scratch
    std::thread thread;
};

}  // namespace

struct FastcgiServer::State {
    State(Listener listener_, FastcgiSettings settings_, Answer answer_)
        : listener(std::move(listener_)), settings(std::move(settings_)),
          answer(std::move(answer_)) {}

    Listener listener;
    const FastcgiSettings settings;
    const Answer answer;
    base::Descriptor epoll, wake, timer;
    std::atomic<bool> stopping = false;
    std::atomic<std::size_t> waiting = 0;  // threads that wait for a peer; at most half
    RareWarning cannot_accept{"cannot accept a connection"};
    RareWarning cannot_watch{"cannot watch a connection"};
    std::atomic<bool> paused = false;  // the listener is not armed, because there is no room

    std::mutex mutex;  // guards what follows
    std::unordered_map<Connection*, std::unique_ptr<Connection>> connections;
    std::size_t making_room = 0;  // connections shut down for others and not closed yet
    Clock::time_point next_sweep = no_deadline;

    std::vector<std::unique_ptr<Worker>> workers;

    std::optional<std::string> open();
    void work(Worker& me);
    bool take_events(Worker& me, milliseconds patience);

    void accept_next();
    Accepted accept_one();
    void accept_backlog();
    void arm_listener();
    void make_room();
    void sweep();
    static bool shut_down(Connection& connection, Clock::rep waits_since);

    void serve(Worker& me, Connection& connection);
    Next advance(Worker& me, Connection& connection);
    Next receive(Worker& me, Connection& connection);
    Next read_records(Connection& connection, std::string_view bytes);
    static bool send_reply(const Connection& connection);
    void answer_request(Connection& connection);
    static Next send_response(Connection& connection);
    static Next begin_lingering(Connection& connection);
    static Next linger(Worker& me, Connection& connection);

    bool wait_for_request(Connection& connection, bool& alive);
    bool wait_a_moment(const Connection& connection, short events);
    void begin_waiting(Connection& connection, short events);
    void park(Connection& connection, short events);
    void close(Connection& connection);

    Clock::time_point unfinished_until(Clock::time_point stopped);
    void stop();
};

std::optional<std::string> FastcgiServer::State::open() {
    epoll = base::Descriptor(::epoll_create1(EPOLL_CLOEXEC));
    wake = base::Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    timer = base::Descriptor(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
    if (epoll.number() < 0 || wake.number() < 0 || timer.number() < 0 ||
        !watch(epoll.number(), EPOLL_CTL_ADD, wake.number(), EPOLLIN, &wake) ||
        !watch(epoll.number(), EPOLL_CTL_ADD, timer.number(), EPOLLIN | EPOLLET, &timer) ||
        !watch(epoll.number(), EPOLL_CTL_ADD, listener.number(), EPOLLIN | EPOLLONESHOT,
               &listener))
        return "cannot create an epoll set: " + reason(errno);
    return std::nullopt;
}

// Answers requests until stop(), then those that have already arrived.
void FastcgiServer::State::work(Worker& me) {
    for (;;) {
        const bool last = stopping;
        if (!take_events(me, milliseconds(last ? 0 : -1)) && last) return;
    }
}

// Waits for an event and handles it. Returns false when there was none.
//   patience  of the wait; negative: without end. After stop(), `wake` stays ready, hence the room
//             for more events than one
bool FastcgiServer::State::take_events(Worker& me, milliseconds patience) {
    std::array<epoll_event, 3> events{};
    int ready = -1;
    do {
        ready = ::epoll_wait(epoll.number(), events.data(), patience.count() < 0 ? 1 : 3,
                             static_cast<int>(patience.count()));
    } while (ready < 0 && errno == EINTR);
    bool busy = false;
    for (int i = 0; i < ready; ++i) {
        void* owner = events[static_cast<std::size_t>(i)].data.ptr;
        if (owner == &wake) continue;
        busy = true;
        if (owner == &listener)
            accept_next();
        else if (owner == &timer)
            sweep();
        else if (auto& connection = *static_cast<Connection*>(owner); connection.take())
            serve(me, connection);
        else
            close(connection);
    }
    return busy;
}

// ---- accepting connections, and ending those that have waited too long -----------------------------

// Accepts a connection when there is room for it. Otherwise makes room: the listener is armed again
// when a connection is closed, or begins to wait and may be closed.
void FastcgiServer::State::accept_next() {
    {
        const std::lock_guard lock(mutex);
        if (connections.size() >= settings.most_connections) {
            paused = true;  // before make_room() looks: see begin_waiting()
            return make_room();
        }
    }
    if (accept_one() == Accepted::exhausted) {
        {
            const std::lock_guard lock(mutex);
            paused = true;
            make_room();
            if (making_room > 0) return;
        }
        // The descriptors are used elsewhere.
        pollfd stop{.fd = wake.number(), .events = POLLIN, .revents = 0};
        ::poll(&stop, 1, accept_pause_ms);
        paused = false;
    }
    arm_listener();
}

Accepted FastcgiServer::State::accept_one() {
    base::Descriptor socket(::accept4(listener.number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (socket.number() < 0) {
        if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM)
            return Accepted::none;  // closed again, or accepted by another process
        cannot_accept.log(errno);
        return Accepted::exhausted;
    }
    const int yes = 1;  // an answer may take several writes; no effect on a unix socket
    ::setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    const RecordReader::Capacity capacity{.connections = settings.most_connections,
                                          .requests = settings.threads};
    auto connection = std::make_unique<Connection>(std::move(socket), capacity);
    auto& accepted = *connection;
    {
        const std::lock_guard lock(mutex);
        connections.emplace(&accepted, std::move(connection));
    }
    park(accepted, POLLIN);
    return Accepted::one;
}

// Accepts the connections that wait now. The count is limited, because under load there is always
// a next one.
void FastcgiServer::State::accept_backlog() {
    for (int i = 0; i < backlog && accept_one() == Accepted::one; ++i) {
    }
}

void FastcgiServer::State::arm_listener() {
    if (!stopping)
        watch(epoll.number(), EPOLL_CTL_MOD, listener.number(), EPOLLIN | EPOLLONESHOT,
              &listener);
}

// Shuts down the connection that has waited longest for its peer, and still waits: a request that
// has arrived is answered. Requires `mutex`.
//   cost  n log n in the number of connections
void FastcgiServer::State::make_room() {
    if (making_room > 0) return;
    std::vector<std::pair<Clock::rep, Connection*>> waiting_longest;
    for (const auto& [connection, owned] : connections)
        if (const auto since = connection->waits_since.load(); since > 0)
            waiting_longest.emplace_back(since, connection);
    std::sort(waiting_longest.begin(), waiting_longest.end());
    for (const auto& [since, connection] : waiting_longest) {
        if (connection->is_ready()) continue;
        connection->makes_room = shut_down(*connection, since);
        if (!connection->makes_room) continue;
        ++making_room;
        return;
    }
    // Those that were passed over are being served, and arm the listener when they wait again.
}

// Shuts down the connections whose deadline has passed.
void FastcgiServer::State::sweep() {
    std::uint64_t expired = 0;
    if (::read(timer.number(), &expired, sizeof expired) < 0 && errno != EAGAIN)
        base::log::warning("cannot read a timer", {{"reason", reason(errno)}});
    const std::lock_guard lock(mutex);
    const auto now = Clock::now();
    next_sweep = no_deadline;
    for (const auto& [connection, owned] : connections) {
        const auto since = connection->waits_since.load();
        const auto until = connection->waits_until.load();
        if (since <= 0 || until == no_deadline) continue;
        if (until <= now)
            shut_down(*connection, since);
        else
            next_sweep = std::min(next_sweep, until);
    }
    if (next_sweep != no_deadline) set_timer(timer.number(), next_sweep);
}

// Shuts a connection down. Returns false when it has stopped waiting since then. Requires `mutex`.
bool FastcgiServer::State::shut_down(Connection& connection, Clock::rep waits_since) {
    if (!connection.waits_since.compare_exchange_strong(waits_since, Connection::is_shut_down))
        return false;
    ::shutdown(connection.socket.number(), SHUT_RDWR);
    return true;
}

// ---- serving a connection ---------------------------------------------------------------------------

// Serves a connection after its event, until it has to wait in the epoll set or is closed.
void FastcgiServer::State::serve(Worker& me, Connection& connection) {
    for (;;) {
        const auto next = advance(me, connection);
        if (next == Next::close) return close(connection);
        if (next == Next::wait_for_request) {
            connection.end_phase();
            bool alive = true;
            if (!wait_for_request(connection, alive)) return park(connection, POLLIN);
            if (!alive) return close(connection);
            continue;
        }
        connection.begin_phase(next == Next::write ? settings.write_timeout
                                                   : settings.read_timeout);
        if (Clock::now() >= connection.deadline) return close(connection);
        const short events = next == Next::write ? POLLOUT : POLLIN;
        if (!wait_a_moment(connection, events)) return park(connection, events);
    }
}

// Reads and writes what is possible without waiting.
Next FastcgiServer::State::advance(Worker& me, Connection& connection) {
    for (;;) {
        if (connection.lingers) return linger(me, connection);
        if (connection.response) {
            const auto next = send_response(connection);
            if (next != Next::read) return next;
        }
        const auto next = connection.unread.empty()
                              ? receive(me, connection)
                              : read_records(connection, std::exchange(connection.unread, {}));
        if (!connection.response) return next;
    }
}

Next FastcgiServer::State::receive(Worker& me, Connection& connection) {
    const auto count =
        ::recv(connection.socket.number(), me.input.data(), me.input.size(), MSG_DONTWAIT);
    if (count > 0)
        return read_records(connection, {me.input.data(), static_cast<std::size_t>(count)});
    if (count == 0 || (errno != EAGAIN && errno != EINTR)) return Next::close;
    return connection.reader.is_at_rest() ? Next::wait_for_request : Next::read;
}

Next FastcgiServer::State::read_records(Connection& connection, std::string_view bytes) {
    auto& reader = connection.reader;
    while (!bytes.empty()) {
        const auto step = reader.read(bytes);
        bytes.remove_prefix(step.used);
        if (step.event == RecordReader::Event::malformed) return Next::close;
        if (step.event == RecordReader::Event::reply) {
            if (!send_reply(connection)) return Next::close;
            if (reader.reply_closes()) return begin_lingering(connection);
        }
        if (step.event == RecordReader::Event::request) {
            connection.unread = bytes;
            answer_request(connection);
            return Next::write;
        }
    }
    return reader.is_at_rest() ? Next::wait_for_request : Next::read;
}

// Returns false when the peer does not read its replies: they are short, and its buffer is full.
bool FastcgiServer::State::send_reply(const Connection& connection) {
    const auto& reply = connection.reader.reply();
    const auto sent = ::send(connection.socket.number(), reply.data(), reply.size(),
                             MSG_DONTWAIT | MSG_NOSIGNAL);
    return sent == static_cast<ssize_t>(reply.size());
}

void FastcgiServer::State::answer_request(Connection& connection) {
    auto& reader = connection.reader;
    const auto response = answer(reader.request(settings.base_path));
    // Decided before the response ends: the peer may send its next request as soon as it ends,
    // and a stop() after that must not close the connection.
    connection.keep = reader.keeps_connection() && !stopping;
    connection.response.emplace(reader.request_id(), response);
    connection.end_phase();
    reader.answered();
}

// Returns `read` when the response is sent and the connection goes on.
Next FastcgiServer::State::send_response(Connection& connection) {
    constexpr std::size_t most_pieces = 64;
    auto& response = *connection.response;
    while (!response.left().empty()) {
        std::array<iovec, most_pieces> pieces;
        const auto left = response.left();
        const auto count = std::min(left.size(), most_pieces);
        for (std::size_t i = 0; i < count; ++i)
            pieces[i] = {const_cast<char*>(left[i].data()), left[i].size()};
        msghdr message{};
        message.msg_iov = pieces.data();
        message.msg_iovlen = count;
        const auto sent =
            ::sendmsg(connection.socket.number(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return errno == EAGAIN ? Next::write : Next::close;
        response.remove_prefix(static_cast<std::size_t>(sent));
    }
    connection.response.reset();
    connection.end_phase();
    if (connection.keep) return connection.unread.empty() ? Next::wait_for_request : Next::read;
    return connection.reader.is_cut() ? begin_lingering(connection) : Next::close;
}

Next FastcgiServer::State::begin_lingering(Connection& connection) {
    if (::shutdown(connection.socket.number(), SHUT_WR) != 0) return Next::close;
    connection.lingers = true;
    connection.begin_phase(linger_timeout);
    return Next::read;
}

Next FastcgiServer::State::linger(Worker& me, Connection& connection) {
    const auto count =
        ::recv(connection.socket.number(), me.input.data(), me.input.size(), MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return Next::read;
    if (count <= 0) return Next::close;
    connection.discarded += static_cast<std::size_t>(count);
    return connection.discarded < most_discarded ? Next::read : Next::close;
}

// ---- waiting for a peer -----------------------------------------------------------------------------

// Waits for the next request of a connection here instead of in the epoll set: with 64 threads
// waiting there, epoll_wait took half of the processor time of a 304 (perf). At most half of the
// threads do so, which leaves the others for all other connections.
//   returns  true when the next request is arriving, or the connection was shut down (not `alive`)
bool FastcgiServer::State::wait_for_request(Connection& connection, bool& alive) {
    const WaitingThread waiter(waiting, settings.threads / 2);
    if (!waiter.is_allowed()) return false;
    const int socket = connection.socket.number();
    if (std::exchange(connection.watched, false))
        ::epoll_ctl(epoll.number(), EPOLL_CTL_DEL, socket, nullptr);
    begin_waiting(connection, POLLIN);
    std::array<pollfd, 2> either = {pollfd{.fd = socket, .events = POLLIN, .revents = 0},
                                    pollfd{.fd = wake.number(), .events = POLLIN, .revents = 0}};
    ::poll(either.data(), either.size(), -1);
    alive = connection.take();
    return !alive || either[0].revents != 0;
}

// Waits for the rest of a request or response. Returns false when it did not come within a moment.
bool FastcgiServer::State::wait_a_moment(const Connection& connection, short events) {
    const auto left = std::chrono::ceil<milliseconds>(connection.moment_ends - Clock::now());
    if (left.count() <= 0) return false;
    const WaitingThread waiter(waiting, settings.threads / 2);
    if (!waiter.is_allowed()) return false;
    pollfd peer{.fd = connection.socket.number(), .events = events, .revents = 0};
    return ::poll(&peer, 1, static_cast<int>(left.count())) > 0;
}

//   events  that it waits for: POLLIN or POLLOUT
void FastcgiServer::State::begin_waiting(Connection& connection, short events) {
    connection.waits_for = events;
    connection.waits_until = connection.deadline;
    connection.waits_since = Clock::now().time_since_epoch().count();
    // accept_next() sets `paused` before it looks for a connection that waits. So either it sees
    // this one, or the listener is armed here.
    if (paused && paused.exchange(false)) arm_listener();
}

// Leaves a connection to the epoll set, whose events are those of poll. Another thread may own it
// when this returns.
void FastcgiServer::State::park(Connection& connection, short events) {
    static_assert(EPOLLIN == POLLIN && EPOLLOUT == POLLOUT);
    const int operation = std::exchange(connection.watched, true) ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    const auto deadline = connection.deadline;
    begin_waiting(connection, events);
    if (deadline != no_deadline) {
        const std::lock_guard lock(mutex);
        if (deadline < next_sweep) {
            next_sweep = deadline;
            set_timer(timer.number(), next_sweep);
        }
    }
    const auto watched_events = static_cast<unsigned>(events) | EPOLLONESHOT;
    if (watch(epoll.number(), operation, connection.socket.number(), watched_events, &connection))
        return;
    cannot_watch.log(errno);
    close(connection);
}

void FastcgiServer::State::close(Connection& connection) {
    std::unique_ptr<Connection> closed;
    {
        const std::lock_guard lock(mutex);
        const auto found = connections.find(&connection);
        closed = std::move(found->second);
        connections.erase(found);
        if (closed->makes_room) --making_room;
    }
    closed.reset();
    if (paused && paused.exchange(false)) arm_listener();
}

// ---- begin and end ----------------------------------------------------------------------------------

// Returns until when a stopped server waits for the peers of requests and responses in progress.
// Requires that no worker is running.
Clock::time_point FastcgiServer::State::unfinished_until(Clock::time_point stopped) {
    auto until = stopped;
    for (const auto& [connection, owned] : connections) {
        if (connection->response)
            until = std::max(until, stopped + stop_writing_after);
        else if (!connection->reader.is_at_rest() && !connection->lingers)
            until = std::max(until, stopped + stop_reading_after);
    }
    return until;
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
    for (const auto& worker : workers) worker->thread.join();

    // What is left is unfinished because of its peer.
    ::epoll_ctl(epoll.number(), EPOLL_CTL_DEL, wake.number(), nullptr);
    const auto scratch = std::make_unique<Worker>();
    const auto stopped = Clock::now();
    for (;;) {
        const auto left =
            std::chrono::ceil<milliseconds>(unfinished_until(stopped) - Clock::now());
        if (left.count() <= 0) break;
        take_events(*scratch, left);
    }
    connections.clear();
}

base::Result<std::unique_ptr<FastcgiServer>> FastcgiServer::start(Listener listener,
                                                                  FastcgiSettings settings,
                                                                  Answer answer) {
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
            worker.thread = std::thread([&running, &worker] { running.work(worker); });
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
