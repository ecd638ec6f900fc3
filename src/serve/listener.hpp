// serve/listener.hpp -- the listening socket of a server.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/descriptor.hpp"
#include "base/result.hpp"

namespace serve {

// Owns a non-blocking listening socket. The destructor deletes the file of a unix socket, unless
// another program has replaced that file.
class Listener {
   public:
    enum class Origin : unsigned char { unix_path, tcp, inherited };

    Listener(base::Descriptor socket, Origin origin, std::string path);
    ~Listener();
    Listener(Listener&&) noexcept = default;
    Listener& operator=(Listener&&) = delete;

    [[nodiscard]] int number() const { return socket_.number(); }
    [[nodiscard]] Origin origin() const { return origin_; }
    // True when only programs on this host reach it over IP: 127.0.0.0/8 or ::1.
    [[nodiscard]] bool is_loopback() const;

   private:
    base::Descriptor socket_;
    Origin origin_;
    std::string path_;                      // unix_path only; empty once moved from
    unsigned long device_ = 0, inode_ = 0;  // of the socket's file
};

// The number of connections that may wait to be accepted; the kernel's limit (somaxconn) is higher.
inline constexpr int backlog = 1024;

// Opens a listening socket. Replaces a socket file that no program listens on.
//   address  "unix:PATH", "HOST:PORT" (numbers or names; "[::1]:9000"), or "-" for descriptor 0
//            as a listening socket (spawn-fcgi, systemd, mod_fcgid)
//   mode     permissions of a unix socket; restrict access with those of its folder instead
//   error    malformed: not an address; unavailable: in use, not permitted, or too long
[[nodiscard]] base::Result<Listener> listen_on(std::string_view address, unsigned mode = 0666);

// Checks what can be known of an address without listening there: that a path fits and is no file of
// another kind, that a host and a port are known. What is in use passes: it may be by this program.
//   error  as listen_on()
[[nodiscard]] base::Result<void> check_address(std::string_view address);

// True when `descriptor` is a listening socket (FastCGI); descriptor 0 of plain CGI is not.
[[nodiscard]] bool is_listening(int descriptor);

}  // namespace serve
