// serve/fastcgi.hpp -- a FastCGI server: N threads answer the connections of web servers.
//
// No peer can hold the threads. A connection on which the rest of a request is awaited, or the peer
// does not read its answer, is in an epoll set and occupies no thread; each has one deadline for
// the whole request and one for the whole answer. Idle connections are in the same set. Only for
// speed, up to half of the threads wait on a connection for its next request or, for a moment, for
// the rest of one; the others never wait for a peer.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "serve/http.hpp"
#include "serve/listener.hpp"

namespace serve {

struct FastcgiSettings {
    std::size_t threads = 64;  // requests answered at the same time
    // Open at the same time. A new one takes the place of the one that has waited longest for its
    // peer: for a request, for its rest, or for reading an answer. One whose request has arrived is
    // left alone.
    std::size_t most_connections = 512;
    std::string base_path = {};  // base_path_of(base_url of the site)
    // From the first byte of a request to its last, and of an answer. Then the connection is closed.
    std::chrono::milliseconds read_timeout = std::chrono::seconds(5);
    std::chrono::milliseconds write_timeout = std::chrono::seconds(30);
};

// Answers requests from start() to stop(). Makes the whole process ignore SIGPIPE.
class FastcgiServer {
   public:
    using Answer =
        std::function<Response(const Request&)>;  // any thread calls it; must not throw

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
