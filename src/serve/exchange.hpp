// serve/exchange.hpp -- one FastCGI request on one connection, read and written by libfcgi.
// Not safe across threads: one exchange belongs to one thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <fcgiapp.h>

#include <string_view>

#include "serve/http.hpp"

namespace serve {

// What one reads and writes with. Reused from request to request.
class Exchange {
   public:
    Exchange();
    ~Exchange();
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    // Reads a whole request, its body included, which is thrown away. Blocks until it is there.
    //   connection  blocking, with a time limit on reads; taken over
    //   returns     false when none came (the peer hung up, or sent no FastCGI): the
    //               connection is closed
    [[nodiscard]] bool read(int connection);

    [[nodiscard]] Request request(std::string_view base_path) const;

    // Writes the answer and ends the request.
    //   returns  the connection; -1 when it broke and is closed
    [[nodiscard]] int answer(const Response& response);

    // The web server wants to keep the connection, and nothing unread is on it.
    [[nodiscard]] bool may_keep() const { return wants_keep_ && drained_; }
    [[nodiscard]] bool drained() const { return drained_; }

   private:
    [[nodiscard]] bool drain();

    FCGX_Request request_{};
    bool wants_keep_ = false;
    bool drained_ = false;
};

// Closes a connection. With unread bytes on it (not `drained`) it is half closed first and read
// on for a moment, lest the kernel resets it and takes the answer away from the peer.
enum class Unread : unsigned char { none, some };
void hang_up(int connection, Unread unread);

}  // namespace serve
