// SPDX-License-Identifier: MIT
#include "support/ace_server.hpp"

#include <arpa/inet.h>
#include <list>
#include <mutex>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdexcept>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "support/ace_client.hpp"

namespace support {
namespace {

// Listens on 127.0.0.1. Throws when the port is in use.
int listen_on(std::uint16_t port) {
    const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int yes = 1;
    ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::bind(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(descriptor, 128) != 0) {
        ::close(descriptor);
        throw std::runtime_error("can't listen on 127.0.0.1:" + std::to_string(port));
    }
    return descriptor;
}

std::uint16_t port_of(int descriptor) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
    return ntohs(address.sin_port);
}

bool may_strike(AceFault fault, AceMoment moment) {
    switch (fault) {
        case AceFault::none: return false;
        case AceFault::silent_login: return moment == AceMoment::hello;
        case AceFault::unsolicited_kill: return moment == AceMoment::behind_login;
        case AceFault::another_object: return moment == AceMoment::show;
        default: return moment == AceMoment::show || moment == AceMoment::other_answer;
    }
}

struct Connection {
    int descriptor = -1;  // -1: closed, and its thread has ended
    std::thread thread;
};

}  // namespace

struct AceServer::State {
    std::mutex mutex;
    std::shared_ptr<const AceContents> contents;
    AceServerSettings settings;
    AceFault fault = AceFault::none;
    int times = 0;
    std::size_t logins = 0;
    std::uint32_t numbers = 0;
    std::vector<std::string> commands;
    std::list<Connection> connections;
    std::thread accepting;
    int listener = -1, wake = -1;

    AceFault fault_at(AceMoment moment) {
        const std::lock_guard lock(mutex);
        if (times == 0 || !may_strike(fault, moment)) return AceFault::none;
        --times;
        return fault;
    }

    // Requires the mutex. A client sees the contents of the time when it connected.
    AceShared shared() {
        return {contents, settings, [this](AceMoment moment) { return fault_at(moment); },
                [this](const std::string& command) {
                    const std::lock_guard lock(mutex);
                    commands.push_back(command);
                },
                [this] {
                    const std::lock_guard lock(mutex);
                    ++logins;
                }};
    }

    void serve(Connection& connection, std::uint32_t number, AceShared with) {
        AceClient(connection.descriptor, number, std::move(with)).serve();
        const std::lock_guard lock(mutex);
        ::close(connection.descriptor);
        connection.descriptor = -1;
    }

    void take(int descriptor) {
        const int yes = 1;
        ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        const std::lock_guard lock(mutex);
        auto& connection = connections.emplace_back();
        connection.descriptor = descriptor;
        connection.thread = std::thread([this, &connection, number = ++numbers, with = shared()] {
            serve(connection, number, with);
        });
    }

    // Joins the threads that have ended, or all of them (after drop()) when `all` is set.
    void reap(bool all) {
        std::list<Connection> ended;
        {
            const std::lock_guard lock(mutex);
            for (auto each = connections.begin(); each != connections.end();) {
                const auto next = std::next(each);
                if (all || each->descriptor < 0) ended.splice(ended.end(), connections, each);
                each = next;
            }
        }
        for (auto& each : ended) each.thread.join();
    }

    void accept_clients() {
        while (true) {
            std::array<pollfd, 2> wanted = {{{listener, POLLIN, 0}, {wake, POLLIN, 0}}};
            if (::poll(wanted.data(), wanted.size(), -1) < 0) continue;
            if (wanted[1].revents != 0) return;
            const int descriptor = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
            if (descriptor >= 0) take(descriptor);
            reap(false);
        }
    }

    void drop() {
        const std::lock_guard lock(mutex);
        for (const auto& each : connections) {
            if (each.descriptor >= 0) ::shutdown(each.descriptor, SHUT_RDWR);
        }
    }
};

AceServer::AceServer(std::shared_ptr<const AceContents> contents, AceServerSettings settings)
    : state_(std::make_unique<State>()) {
    state_->contents = std::move(contents);
    state_->settings = std::move(settings);
    start();
}

AceServer::~AceServer() { stop(); }

std::uint16_t AceServer::port() const { return state_->settings.port; }

void AceServer::start() {
    if (state_->accepting.joinable()) return;
    state_->listener = listen_on(state_->settings.port);
    state_->settings.port = port_of(state_->listener);
    state_->wake = ::eventfd(0, EFD_CLOEXEC);
    state_->accepting = std::thread([this] { state_->accept_clients(); });
}

void AceServer::stop() {
    if (!state_->accepting.joinable()) return;
    const std::uint64_t one = 1;
    if (::write(state_->wake, &one, sizeof one) != sizeof one) std::terminate();
    state_->accepting.join();
    ::close(state_->listener);
    ::close(state_->wake);
    state_->drop();
    state_->reap(true);
}

void AceServer::drop_clients() { state_->drop(); }

void AceServer::strike(AceFault fault, int times) {
    const std::lock_guard lock(state_->mutex);
    state_->fault = fault;
    state_->times = times;
}

void AceServer::publish(std::shared_ptr<const AceContents> contents, const std::string& name,
                        const std::string& last_save) {
    {
        const std::lock_guard lock(state_->mutex);
        state_->contents = std::move(contents);
        state_->settings.name = name;
        state_->settings.last_save = last_save;
    }
    drop_clients();
}

std::size_t AceServer::logins() const {
    const std::lock_guard lock(state_->mutex);
    return state_->logins;
}

std::size_t AceServer::clients() const {
    const std::lock_guard lock(state_->mutex);
    std::size_t count = 0;
    for (const auto& each : state_->connections) count += each.descriptor >= 0 ? 1 : 0;
    return count;
}

std::vector<std::string> AceServer::commands() const {
    const std::lock_guard lock(state_->mutex);
    return state_->commands;
}

}  // namespace support
