// serve/http_server.hpp -- an HTTP server (libmicrohttpd), for programs and browsers on this host and
// for reverse proxies.
//
// One thread reads requests and writes answers, and workers compute these. A slow peer holds neither:
// a request, an answer and the time between them have one deadline each.
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

// Answers requests from start() to stop(). Makes the whole process ignore SIGPIPE.
class HttpServer {
   public:
    // Any worker calls it; it must not throw. Paths come whole, as they were requested.
    using Answer = std::function<Response(const Request&)>;

    //   error  unavailable: the system has no more descriptors or threads
    [[nodiscard]] static base::Result<std::unique_ptr<HttpServer>> start(Listener listener,
                                                                         HttpSettings settings,
                                                                         Answer answer);
    ~HttpServer();  // calls stop()

    // Stops accepting connections, answers each request that has begun to arrive, and closes all
    // connections. Waits as long as Answer takes, and then at most half a second for the rest of a
    // request and five seconds for a peer to read its answer. Idempotent.
    void stop();

    struct State;

   private:
    explicit HttpServer(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace serve
