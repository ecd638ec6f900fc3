// support/ace_frames.hpp -- frames of AceDB's socket protocol, for the AceDB to ask.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace support {

struct AceFrame {
    std::uint32_t magic = 0x12345678;
    std::uint32_t length = 0;  // as the header says it
    std::uint32_t version = 1;
    std::uint32_t client = 0;
    std::uint32_t most_bytes = 0;
    std::string type;  // to its first NUL
    std::string body;  // with its NULs
};

enum class ByteOrder : unsigned char { little, big };

// One frame of a client and the order in which it came; nothing at its end, at a wrong magic,
// and at a body above 16 MB.
struct AceRequest {
    AceFrame frame;
    ByteOrder order = ByteOrder::little;
};
[[nodiscard]] std::optional<AceRequest> receive_frame(int descriptor);

// The 50 bytes of a header.
[[nodiscard]] std::string header_of(const AceFrame& frame, ByteOrder order);
// False when the client is gone.
bool send_bytes(int descriptor, std::string_view bytes);

[[nodiscard]] std::string md5_hex(std::string_view bytes);
// 32 hex digits that no one can foretell.
[[nodiscard]] std::string random_nonce();

}  // namespace support
