// source/ace_session.hpp -- one conversation with a running AceDB: a command, its reply.
// The seam between the socket server (socket_session) and the program tace on a pipe
// (tace_session). A session belongs to one thread at a time.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace source::acedb {

// How a reply is taken.
struct ReplyOptions {
    std::size_t most_bytes = std::size_t{1} << 20;  // of the whole reply
    // Waits after each slice as long as the slice took, so that a server of one thread is at
    // most half ours while something long is read.
    bool gently = false;
};

class Session {
   public:
    Session() = default;
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    virtual ~Session() = default;

    // The reply to one command: slices joined, NULs at their ends stripped, prompts cut off.
    //   needs  a command of printable ASCII (source/ace_command.hpp makes them); is_open()
    //   error  refused: the database answers that it does not take this command, with its words;
    //          unavailable: silence (above the time-out), end of file, KILL, a broken frame;
    //          too_large above most_bytes. After the last two is_open() is false, since what is
    //          left of the reply would be taken for the next one.
    [[nodiscard]] virtual base::Result<std::string> ask(std::string_view command,
                                                        const ReplyOptions& taking) = 0;

    // False once nothing more can be asked.
    [[nodiscard]] virtual bool is_open() const = 0;
    // True when it was given up because the time-out ended: the database may still be at work on
    // what it was asked, and a new session would wait behind that.
    [[nodiscard]] virtual bool is_silent() const = 0;
};

using SessionPtr = std::unique_ptr<Session>;

}  // namespace source::acedb
