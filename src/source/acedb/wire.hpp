// source/wire.hpp -- the frames of AceDB's socket protocol: a header of 50 bytes, then the body.
// Pure. Source: AceDB 4.9.62 as recorded (tests/data/wire): five numbers of 32 bits and a type of
// 30 bytes. A server answers in its client's byte order; one that keeps its own is understood,
// since the first number tells the order.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace source::acedb::wire {

inline constexpr std::size_t header_size = 50;

// Types of a client's messages, and of a server's.
inline constexpr std::string_view request = "ACESERV_MSGREQ";
inline constexpr std::string_view encore = "ACESERV_MSGENCORE";  // and of a slice
inline constexpr std::string_view ok = "ACESERV_MSGOK";
inline constexpr std::string_view failed = "ACESERV_MSGFAIL";
inline constexpr std::string_view killed = "ACESERV_MSGKILL";

struct Header {
    std::size_t length = 0;      // bytes of the body, its NUL included
    std::int32_t version = 0;    // 0 of a client, 1 of a server
    std::int32_t client_id = 0;  // 0 in a client's first message, then what the server gave
    std::int32_t most_bytes = 0;
    std::string type;  // cut at the first NUL: older servers leave bytes behind it
};

// A client's message, little-endian, its body with the NUL behind it.
//   needs  a type of at most 30 bytes
[[nodiscard]] std::string message(std::string_view type, std::string_view body,
                                  std::int32_t client_id);

// The header at the start of `bytes`, for a body of at most `most` bytes.
//   error  malformed: fewer than 50 bytes, no AceDB header, a negative length; too_large
[[nodiscard]] base::Result<Header> parse_header(std::string_view bytes, std::size_t most);

// A body without the NULs behind it: the one each ends in, and those some peers pad with.
[[nodiscard]] std::string_view text_of_body(std::string_view body);

}  // namespace source::acedb::wire
