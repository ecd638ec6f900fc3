// serve/connections.hpp -- what both servers do: limit the time of their open connections, and start.
// For this room only. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "base/result.hpp"
#include "serve/server.hpp"

namespace serve {

// What a connection waits for: a request, the rest of it, its answer, or the peer that reads the answer.
enum class Phase : unsigned char { idle, reading, computing, writing };

// How long the phases may last that take as long as the peer wants.
struct PhaseLimits {
    std::chrono::milliseconds idle, reading, writing;
};
inline constexpr PhaseLimits limits_after_stop = {
    .idle = std::chrono::milliseconds(0),
    .reading = std::chrono::milliseconds(500),
    .writing = std::chrono::milliseconds(5000),
};

// Shuts down the sockets of connections whose phase lasts too long, at most a sixteenth of the shortest
// limit too late. What has arrived of a request by then can still be read: all workers may have been busy.
//   State  what the server keeps of a connection
template <class State>
class Connections {
   public:
    //   throws  std::system_error: the system has no more threads
    explicit Connections(PhaseLimits limits)
        : limits_(limits), thread_([this](const auto& end) { watch(end); }) {}

    // Adds a connection, in the phase `reading`. Its state stays where it is until the connection is removed,
    // which must be done before its socket is closed, or by that.
    State& add(int socket) {
        const std::lock_guard lock(mutex_);
        auto& connection = connections_[socket];
        limit(socket, connection);
        return connection.state;
    }
    void remove(int socket) {
        const std::lock_guard lock(mutex_);
        connections_.erase(socket);
        if (connections_.empty()) closed_.notify_all();
    }

    // Begins another phase, and with it its time.
    void enter(int socket, Phase phase) {
        const std::lock_guard lock(mutex_);
        auto& connection = connections_.at(socket);
        if (connection.phase == phase) return;
        connection.phase = phase;
        connection.deadline = Clock::time_point::max();
        limit(socket, connection);
    }

    // Gives peers less time from now on.
    void begin_stop() {
        const std::lock_guard lock(mutex_);
        is_stopping_ = true;
        for (auto& [socket, connection] : connections_) limit(socket, connection);
    }
    [[nodiscard]] bool is_stopping() const {
        const std::lock_guard lock(mutex_);
        return is_stopping_;
    }
    void wait_until_empty() {
        std::unique_lock lock(mutex_);
        closed_.wait(lock, [this] { return connections_.empty(); });
    }

   private:
    using Clock = std::chrono::steady_clock;
    struct Connection {
        State state;
        Phase phase = Phase::reading;
        Clock::time_point deadline = Clock::time_point::max();
    };

    // Gives a connection the deadline of its phase, unless it has an earlier one. Requires the lock.
    void limit(int socket, Connection& connection) const {
        const auto give = [&](auto of_phase) {
            auto time = limits_.*of_phase;
            if (is_stopping_) time = std::min(time, limits_after_stop.*of_phase);
            connection.deadline = std::min(connection.deadline, Clock::now() + time);
        };
        if (connection.phase == Phase::idle) give(&PhaseLimits::idle);
        if (connection.phase == Phase::reading) give(&PhaseLimits::reading);
        if (connection.phase == Phase::writing) give(&PhaseLimits::writing);
        shut_if_late(socket, connection);
    }
    static void shut_if_late(int socket, const Connection& connection) {
        if (connection.deadline <= Clock::now())
            ::shutdown(socket, connection.phase == Phase::reading ? SHUT_RD : SHUT_RDWR);
    }

    void watch(const std::stop_token& end) {
        const auto pause = std::min({limits_.idle, limits_.reading, limits_.writing}) / 16;
        std::unique_lock lock(mutex_);
        while (!ended_.wait_for(lock, end, std::max(pause, std::chrono::milliseconds(1)),
                                [&] { return end.stop_requested(); }))
            for (const auto& [socket, connection] : connections_)
                shut_if_late(socket, connection);
    }

    const PhaseLimits limits_;
    mutable std::mutex mutex_;  // guards what follows
    std::condition_variable closed_;
    std::condition_variable_any ended_;
    std::map<int, Connection> connections_;  // by their sockets
    bool is_stopping_ = false;

    std::jthread thread_;  // the last member: it uses the others
};

// Makes a server and starts it; its open() returns false with a reason in errno.
//   failed  what the error says before that reason
template <class AnyServer, class Settings>
[[nodiscard]] base::Result<std::unique_ptr<Server>> start(Listener listener, Settings settings,
                                                          Server::Answer answer,
                                                          const std::string& failed) {
    std::signal(SIGPIPE, SIG_IGN);
    try {
        auto server =
            std::make_unique<AnyServer>(std::move(listener), settings, std::move(answer));
        if (server->open()) return server;
        return base::fail(base::ErrorKind::unavailable,
                          failed + ": " + std::generic_category().message(errno));
    } catch (const std::system_error& none) {
        return base::fail(base::ErrorKind::unavailable,
                          std::string("cannot start threads: ") + none.what());
    }
}

}  // namespace serve
