// source/acedb/socket_session.hpp -- a conversation with saceserver or sgifaceserver over TCP.
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
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "source/acedb/session.hpp"

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

// Connects and logs in.
//   error  refused: the server rejects user or password (with its words);
//          unavailable: no such host, nobody listens, silence, no AceDB at the other end
[[nodiscard]] base::Result<SessionPtr> open_socket_session(const ServerAddress& address);

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
