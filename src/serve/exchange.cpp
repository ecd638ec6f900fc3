// SPDX-License-Identifier: MIT
#include "serve/exchange.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <optional>
#include <utility>

#include "serve/variables.hpp"

namespace serve {

namespace {

using Timer = std::chrono::steady_clock;

// A body (no route wants one) is read up to here, so that the web server can finish sending it
// and then read the answer; who sends more, or slowly, has its connection closed.
constexpr std::size_t most_body = 256 * 1024;
constexpr auto longest_body_wait = std::chrono::seconds(1);
constexpr std::size_t most_lingering = 1 << 20;

bool announces_body(char** variables) {
    const char* length = FCGX_GetParam("CONTENT_LENGTH", variables);
    return length != nullptr && std::string_view(length) != "" && std::string_view(length) != "0";
}

// A shorter limit on reads for as long as it lives, then the one before.
class ReadLimit {
   public:
    ReadLimit(int connection, std::chrono::seconds limit) : connection_(connection) {
        socklen_t size = sizeof before_;
        ::getsockopt(connection_, SOL_SOCKET, SO_RCVTIMEO, &before_, &size);
        set({.tv_sec = limit.count(), .tv_usec = 0});
    }
    ~ReadLimit() { set(before_); }
    ReadLimit(const ReadLimit&) = delete;
    ReadLimit& operator=(const ReadLimit&) = delete;

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

}  // namespace

// No listening socket (-1): libfcgi is given connections and shall never accept one itself.
Exchange::Exchange() { FCGX_InitRequest(&request_, -1, 0); }

Exchange::~Exchange() { FCGX_Free(&request_, 1); }

bool Exchange::read(int connection) {
    // libfcgi reads the next request from a connection that it takes for a kept one. Should
    // nothing sensible come, it closes it, tries to accept another on -1, and fails.
    request_.ipcFd = connection;
    request_.keepConnection = 1;
    // Detached: where libfcgi closes a connection, it shall not wait for the peer to do likewise
    // (up to two seconds after each byte that still comes).
    FCGX_Detach(&request_);
    if (FCGX_Accept_r(&request_) != 0) return false;
    wants_keep_ = request_.keepConnection != 0;
    drained_ = drain();
    return true;
}

// A stale end-of-input record would be taken for the begin of the next request: Apache sends it
// in a write of its own, so it must be waited for.
bool Exchange::drain() {
    std::optional<ReadLimit> limit;
    if (announces_body(request_.envp)) limit.emplace(request_.ipcFd, longest_body_wait);
    const auto give_up = Timer::now() + longest_body_wait;
    std::array<char, 8192> unused;
    for (std::size_t read = 0; read < most_body;) {
        const int count =
            FCGX_GetStr(unused.data(), static_cast<int>(unused.size()), request_.in);
        if (count < static_cast<int>(unused.size())) return FCGX_GetError(request_.in) == 0;
        read += static_cast<std::size_t>(count);
        if (Timer::now() > give_up) break;
    }
    return false;
}

Request Exchange::request(std::string_view base_path) const {
    return request_of(request_.envp, base_path, Via::fastcgi);
}

int Exchange::answer(const Response& response) {
    bool written = put(request_.out, head_of(response));
    if (written && response.body && response.send_body)
        written = put(request_.out, *response.body);
    request_.keepConnection = written ? 1 : 0;  // to be closed by us, or kept
    FCGX_Finish_r(&request_);
    return std::exchange(request_.ipcFd, -1);
}

void hang_up(int connection, Unread unread) {
    if (unread == Unread::some && ::shutdown(connection, SHUT_WR) == 0) {
        const auto give_up = Timer::now() + longest_body_wait;
        std::array<char, 16384> unused;
        pollfd readable{.fd = connection, .events = POLLIN, .revents = 0};
        for (std::size_t read = 0; read < most_lingering && Timer::now() < give_up;) {
            if (::poll(&readable, 1, 100) <= 0) break;
            const auto count = ::recv(connection, unused.data(), unused.size(), MSG_DONTWAIT);
            if (count <= 0) break;
            read += static_cast<std::size_t>(count);
        }
    }
    ::close(connection);
}

}  // namespace serve
