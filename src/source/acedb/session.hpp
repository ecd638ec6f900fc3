// source/acedb/session.hpp -- one conversation with a running AceDB: commands and their replies.
// This is the seam between the socket server (socket_session) and the program tace on a pipe
// (tace_session). A session belongs to one thread at a time.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace source::acedb {

// How to read a reply.
struct ReplyOptions {
    std::size_t most_bytes = std::size_t{1} << 20;  // of the whole reply
    // Waits after each slice as long as the slice took, so that a long reply takes at most half
    // of the time of a server with one thread.
    bool gently = false;
};

class Session {
   public:
    Session() = default;
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    virtual ~Session() = default;

    // Returns the reply to one command: slices joined, without NULs at their ends and prompts.
    //   needs  a command of printable ASCII (source/acedb/protocol.hpp makes them); is_open()
    //   error  refused: the database does not accept this command, with its words;
    //          unavailable: silence (above the time-out), end of file, KILL, a broken frame;
    //          too_large above most_bytes. After unavailable and too_large the session is closed,
    //          since the rest of the reply would look like the next one.
    [[nodiscard]] virtual base::Result<std::string> ask(std::string_view command,
                                                        const ReplyOptions& options) = 0;

    // False once nothing more can be asked.
    [[nodiscard]] virtual bool is_open() const = 0;
    // True when a time-out closed it. The database may still be busy with the command, and a new
    // session would wait for that.
    [[nodiscard]] virtual bool is_silent() const = 0;
};

using SessionPtr = std::unique_ptr<Session>;

// ---- Waiting for descriptors ----

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;

enum class Await { reading, writing };

// Waits until the descriptor can be read (or is at its end) or written. Returns false when it
// can't until `deadline`. After the deadline it only looks.
[[nodiscard]] bool wait_for(int descriptor, Await what, Deadline deadline);

// True when there is something to read now, which may be the end.
[[nodiscard]] inline bool is_readable(int descriptor) {
    return wait_for(descriptor, Await::reading, Deadline::min());
}

// Returns the words for error texts: "10 s", "0.25 s".
[[nodiscard]] std::string in_seconds(std::chrono::milliseconds time);

// Returns the milliseconds until then for poll(2), rounded up, at least 0.
[[nodiscard]] int milliseconds_until(Deadline deadline);

}  // namespace source::acedb
