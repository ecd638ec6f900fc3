// source/socket_session.hpp -- a conversation with saceserver or sgifaceserver over TCP.
// Source: AceDB 4.9.62's socket protocol as recorded (docs/sources.md, "The socket protocol"):
// 50-byte header, log-in by MD5, slices fetched with `encore`.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "source/acedb/session.hpp"

namespace source::acedb {

struct ServerAddress {
    std::string host = "localhost";  // name or address; IPv6 too, though AceDB itself has IPv4
    std::uint16_t port = 23100;
    std::string user = "anonymous";
    std::string password = "guest";    // in no error, no log
    std::chrono::seconds timeout{10};  // to connect; and for each slice of a reply, whole
    [[nodiscard]] std::string name() const { return host + ":" + std::to_string(port); }
};

// Connected and logged in.
//   error  refused: the password or user is not taken (with the server's words);
//          unavailable: no such host, nobody listens, silence, no AceDB at the other end
[[nodiscard]] base::Result<SessionPtr> open_socket_session(const ServerAddress& address);

}  // namespace source::acedb
