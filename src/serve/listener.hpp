// serve/listener.hpp -- the socket on which FastCGI connections arrive.
// libfcgi's own FCGX_OpenSocket ends the process when an address is taken and removes whatever
// lies at the path, so this is made here.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"

namespace serve {

// A file descriptor that is closed with its owner. -1: none.
class Descriptor {
   public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor();
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept;

    [[nodiscard]] int number() const { return number_; }
    [[nodiscard]] int release() { return std::exchange(number_, -1); }

   private:
    int number_ = -1;
};

// A listening socket, not blocking. A unix socket's file goes with its owner, unless somebody
// has put another in its place.
class Listener {
   public:
    enum class Origin : unsigned char { unix_path, tcp, inherited };

    Listener(Descriptor socket, Origin origin, std::string path);
    ~Listener();
    Listener(Listener&&) noexcept = default;
    Listener& operator=(Listener&&) = delete;

    [[nodiscard]] int number() const { return socket_.number(); }
    [[nodiscard]] Origin origin() const { return origin_; }

   private:
    Descriptor socket_;
    Origin origin_;
    std::string path_;                      // unix_path only; empty once moved from
    unsigned long device_ = 0, inode_ = 0;  // of the file that was made
};

// As many connections as may wait to be accepted; the kernel's limit (somaxconn) is higher.
inline constexpr int backlog = 1024;

// "unix:PATH" | "HOST:PORT" (numbers or names; "[::1]:9000") | "-": descriptor 0, on which the
// one who started the program listens already (spawn-fcgi, systemd, mod_fcgid).
//   mode   of a unix socket; who may reach it is better said by its folder
//   error  malformed: no such address; unavailable: it can't be had (taken, no right, too long);
//          a socket file that nobody listens on any more is replaced
[[nodiscard]] base::Result<Listener> listen_on(std::string_view address, unsigned mode = 0666);

// True when `descriptor` is a listening socket: FastCGI. Else it is plain CGI's input.
[[nodiscard]] bool is_listening(int descriptor);

}  // namespace serve
