// serve/server.hpp -- servers: FastCGI for web servers (libfcgi), and HTTP for programs and browsers on
// this host and for reverse proxies (libmicrohttpd); and the sockets that they listen on.
//
// A slow or hostile peer holds no worker: these only compute answers to requests that have arrived
// whole and are known to be right.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"
#include "base/result.hpp"
#include "serve/http.hpp"

namespace serve {

// ---- sockets ----

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

// ---- servers ----

// Answers requests until it is stopped or destroyed.
class Server {
   public:
    // Any worker calls it; it must not throw. Paths come whole, as they were requested.
    using Answer = std::function<Response(const Request&)>;

    Server() = default;
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    virtual ~Server() = default;

    // Stops accepting connections, answers each request that has begun to arrive, and closes all
    // connections. Waits as long as Answer takes, and then at most half a second for the rest of a
    // request and five seconds for a peer to read its answer. Idempotent.
    virtual void stop() = 0;
};

struct FastcgiSettings {
    std::size_t workers = 64;  // requests answered at the same time
    // Requests that are arriving or wait for a worker. More wait until they are accepted.
    std::size_t most_connections = 512;
    // From accepting a connection, which carries one request, to the last byte of that, and for
    // sending the answer. Then the connection is closed, at most a sixteenth of the shorter time too
    // late.
    std::chrono::milliseconds read_timeout = std::chrono::seconds(5);
    std::chrono::milliseconds write_timeout = std::chrono::seconds(30);
};

struct HttpSettings {
    std::size_t workers = 64;          // requests answered at the same time
    unsigned most_connections = 1024;  // open at the same time; more wait until they are accepted
    // A proxy sends all requests: the last address of X-Forwarded-For is that of the client.
    bool trusted_front = false;
    // From the first line of a request to its last byte, for sending an answer, and for the next
    // request of a connection. Then it is closed.
    std::chrono::milliseconds read_timeout = std::chrono::seconds(10);
    std::chrono::milliseconds write_timeout = std::chrono::seconds(30);
    std::chrono::milliseconds idle_timeout = std::chrono::seconds(5);
};

// Start a server, and make the whole process ignore SIGPIPE.
//   error  unavailable: the system has no more descriptors or threads
[[nodiscard]] base::Result<std::unique_ptr<Server>> start_fastcgi(Listener listener,
                                                                  FastcgiSettings settings,
                                                                  Server::Answer answer);
[[nodiscard]] base::Result<std::unique_ptr<Server>> start_http(Listener listener,
                                                               HttpSettings settings,
                                                               Server::Answer answer);

}  // namespace serve
