// source/acedb/session.hpp -- one conversation with saceserver or sgifaceserver over TCP: commands
// and their replies. A session belongs to one thread at a time.
// Source: AceDB 4.9.62's socket protocol as recorded (docs/sources.md, "The socket protocol", and
// tests/data/wire): log-in by MD5, slices fetched with `encore`. A message is a header of 50
// bytes, five numbers of 32 bits and a type of 30 bytes, and a body. A server answers in its
// client's byte order; one that keeps its own is understood, too, since the first number shows
// the order.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace source::acedb {

struct ServerAddress {
    std::string host = "localhost";  // name or address; IPv6 too, though AceDB itself has IPv4
    std::uint16_t port = 23100;
    std::string user = "anonymous";
    std::string password = "guest";  // never in an error or a log
    // To connect, and for each slice of a reply as a whole.
    std::chrono::milliseconds timeout = std::chrono::seconds(10);
    [[nodiscard]] std::string name() const { return host + ":" + std::to_string(port); }
};

// How to read a reply.
struct ReplyOptions {
    std::size_t most_bytes = std::size_t{1} << 20;  // of the whole reply
    // Waits after each slice as long as the slice took, so that a long reply takes at most half
    // of the time of a server with one thread.
    bool gently = false;
};

class Socket;

class Session {
   public:
    // Connects and logs in.
    //   error  refused: the server rejects user or password (with its words);
    //          unavailable: no such host, nobody listens, silence, no AceDB at the other end
    [[nodiscard]] static base::Result<Session> open(const ServerAddress& address);

    Session(Session&&) noexcept;
    Session& operator=(Session&&) noexcept;
    ~Session();

    // Returns the reply to one command: slices joined, without NULs at their ends and prompts.
    //   needs  a command of printable ASCII (source/acedb/protocol.hpp makes them); is_open()
    //   error  refused: the database does not accept this command, with its words;
    //          unavailable: silence (above the time-out), end of file, KILL, a broken frame;
    //          too_large above most_bytes. After unavailable and too_large the session is closed,
    //          since the rest of the reply would look like the next one.
    [[nodiscard]] base::Result<std::string> ask(std::string_view command,
                                                const ReplyOptions& options);

    // False once nothing more can be asked.
    [[nodiscard]] bool is_open() const;
    // True when a time-out closed it. The database may still be busy with the command, and a new
    // session would wait for that.
    [[nodiscard]] bool is_silent() const;

   private:
    explicit Session(Socket socket);
    [[nodiscard]] base::Result<void> log_in(const std::string& user, const std::string& password);

    std::unique_ptr<Socket> socket_;
};

// Returns the words for error texts: "10 s", "0.25 s".
[[nodiscard]] std::string in_seconds(std::chrono::milliseconds time);

// The bytes of messages. Pure.
namespace wire {

inline constexpr std::size_t header_size = 50;

// Types of a client's and of a server's messages.
inline constexpr std::string_view request = "ACESERV_MSGREQ";
inline constexpr std::string_view encore = "ACESERV_MSGENCORE";  // also that of a slice
inline constexpr std::string_view ok = "ACESERV_MSGOK";
inline constexpr std::string_view failed = "ACESERV_MSGFAIL";
inline constexpr std::string_view killed = "ACESERV_MSGKILL";

struct Header {
    std::size_t length = 0;      // bytes of the body, its NUL included
    std::int32_t version = 0;    // 0 of a client, 1 of a server
    std::int32_t client_id = 0;  // 0 in a client's first message, then what the server gave
    std::int32_t most_bytes = 0;
    std::string type;  // cut at the first NUL, since older servers leave bytes after it
};

// Returns a client's message, little-endian, its body followed by a NUL.
//   needs  a type of at most 30 bytes
[[nodiscard]] std::string message(std::string_view type, std::string_view body,
                                  std::int32_t client_id);

// Returns the header at the start of `bytes`, for a body of at most `most` bytes.
//   error  malformed: fewer than 50 bytes, no AceDB header, a negative length; too_large
[[nodiscard]] base::Result<Header> parse_header(std::string_view bytes, std::size_t most);

// Returns a body without the NULs at its end: the one each ends in, and padding of some peers.
[[nodiscard]] std::string_view text_of_body(std::string_view body);

}  // namespace wire

}  // namespace source::acedb
