// source/ace_socket.hpp -- messages to and from AceDB's socket server, each within its time.
// One thread at a time.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "source/acedb/waiting.hpp"
#include "source/file.hpp"

namespace source::acedb {

class Socket {
   public:
    // Bytes of a message that is no reply: what a log-in and an end say.
    static constexpr std::size_t most_words = 1 << 12;

    struct Message {
        std::string type;
        std::string body;  // without the NULs behind it
    };

    // `name` of the server, for messages; `socket` connected and non-blocking.
    Socket(std::string name, std::chrono::seconds timeout, File socket)
        : name_(std::move(name)), timeout_(timeout), socket_(std::move(socket)) {}
    // No `quit` at the end: AceDB answers it in two writes, and the second one would meet a
    // closed connection. An end of file it takes as any client's end.

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] std::chrono::seconds timeout() const { return timeout_; }
    [[nodiscard]] bool is_open() const { return socket_.is_open(); }
    // True when it was closed because a deadline ended.
    [[nodiscard]] bool is_silent() const { return is_silent_; }
    // True when nothing has come that was not asked for.
    [[nodiscard]] bool is_quiet() const;

    // The answer to one message; its body of at most `most` bytes (or most_words).
    //   error  unavailable: silence, an end, no frame of AceDB; too_large. Closed then.
    [[nodiscard]] base::Result<Message> exchange(std::string_view type, std::string_view body,
                                                 std::size_t most, Deadline deadline);
    [[nodiscard]] base::Result<Message> receive(std::size_t most, Deadline deadline);

    // Closes: what comes next would be taken for another answer.
    [[nodiscard]] tl::unexpected<base::Error> lost(base::Kind kind, const std::string& what);
    // The server has ended it, with these words or none.
    [[nodiscard]] tl::unexpected<base::Error> ended(const std::string& words);

   private:
    [[nodiscard]] base::Result<void> send(std::string_view bytes, Deadline deadline);
    [[nodiscard]] base::Result<std::string> receive_body(std::size_t length, Deadline deadline);
    [[nodiscard]] base::Result<std::size_t> receive_some(char* into, std::size_t size,
                                                         Deadline deadline);
    [[nodiscard]] tl::unexpected<base::Error> silent();

    std::string name_;
    std::chrono::seconds timeout_;
    File socket_;
    std::string ahead_;  // read, and not yet looked at
    std::int32_t client_id_ = 0;
    bool is_silent_ = false;
};

}  // namespace source::acedb
