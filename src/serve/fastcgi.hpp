// serve/fastcgi.hpp -- a FastCGI server over libfcgi: N threads answer the connections of web
// servers.
//
// libfcgi reads and writes requests. Accepting and waiting are done here, because libfcgi's own
// loop binds a thread to a connection for as long as the web server keeps that open: a web server
// with more idle connections than there are threads would block all other clients. Here up to
// half of the threads wait on a connection for its next request, which is the fastest way. All
// other idle connections are in an epoll set and occupy no thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "serve/http.hpp"
#include "serve/listener.hpp"

namespace serve {

struct FastcgiSettings {
    std::size_t threads = 64;            // requests answered at the same time
    std::size_t most_connections = 512;  // open at the same time; others wait in the backlog
    std::string base_path;               // base_path_of(base_url of the site)
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
    // connections. Waits at most half a second for the rest of a request. Idempotent.
    void stop();

    struct State;

   private:
    explicit FastcgiServer(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace serve
