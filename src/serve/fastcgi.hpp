// serve/fastcgi.hpp -- a FastCGI server (libfcgi): threads answer the connections of web servers.
//
// A worker reads what has arrived of a request, and answers it when it is whole and known to be right,
// so that a slow or hostile peer holds no worker. Each connection carries one request.
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

struct FastcgiSettings {
    std::size_t workers = 64;  // requests answered at the same time
    // Requests that are arriving or wait for a worker. More wait until they are accepted.
    std::size_t most_connections = 512;
    // From accepting a connection to the last byte of its request, and for sending the answer. Then
    // the connection is closed, at most an eighth of the shorter time too late.
    std::chrono::milliseconds read_timeout = std::chrono::seconds(5);
    std::chrono::milliseconds write_timeout = std::chrono::seconds(30);
};

// Answers requests from start() to stop(). Makes the whole process ignore SIGPIPE.
class FastcgiServer {
   public:
    // Any worker calls it; it must not throw. Paths come whole, as they were requested.
    using Answer = std::function<Response(const Request&)>;

    //   error  unavailable: the system has no more descriptors or threads
    [[nodiscard]] static base::Result<std::unique_ptr<FastcgiServer>> start(
        Listener listener, FastcgiSettings settings, Answer answer);
    ~FastcgiServer();  // calls stop()

    // Stops accepting connections, answers each request that has begun to arrive, and closes all
    // connections. Waits as long as Answer takes, and then at most half a second for the rest of a
    // request and five seconds for a peer to read its answer. Idempotent.
    void stop();

    struct State;

   private:
    explicit FastcgiServer(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace serve
