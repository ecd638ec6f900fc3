// serve/fastcgi.hpp -- FastCGI over libfcgi: connections of web servers, answered by N threads.
//
// libfcgi reads and writes requests; accepting and waiting are done here, because its own loop
// binds a thread to a connection for as long as the web server keeps that open: a front with
// more idle connections than there are threads would starve all others. Here up to half of the
// threads stay with a connection for its next request, which is fastest; all other idle
// connections lie in an epoll set and cost no thread.
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
    std::size_t threads = 64;            // requests in work at once
    std::size_t most_connections = 512;  // open at once; others wait in the backlog
    std::string base_path;               // base_path_of(site's base_url)
};

// Answers from its making to stop(). SIGPIPE is ignored from then on in the whole process.
class Fastcgi {
   public:
    using Answer = std::function<Response(const Request&)>;  // safe from any thread, no throw

    //   error  unavailable: the system has no more descriptors or threads
    [[nodiscard]] static base::Result<std::unique_ptr<Fastcgi>> start(Listener listener,
                                                                      FastcgiSettings settings,
                                                                      Answer answer);
    ~Fastcgi();  // stops

    // Takes no further connection, answers each request that had begun to arrive, closes all.
    // A request whose rest doesn't come is waited for at most half a second. Idempotent.
    void stop();

    struct State;

   private:
    explicit Fastcgi(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace serve
