// serve/server.hpp -- servers: FastCGI for web servers (libfcgi), and HTTP for programs and browsers on
// this host and for reverse proxies (libmicrohttpd).
//
// A slow or hostile peer holds no worker: these only compute answers to requests that have arrived
// whole and are known to be right.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

#include "base/result.hpp"
#include "serve/http.hpp"
#include "serve/listener.hpp"

namespace serve {

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
