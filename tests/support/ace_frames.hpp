// support/ace_frames.hpp -- frames of AceDB's socket protocol, for the test server.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "support/http_peer.hpp"

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

// Returns one frame of a client and its byte order; nothing at the end, for a wrong magic number,
// and for a body above 16 MB.
struct AceRequest {
    AceFrame frame;
    ByteOrder order = ByteOrder::little;
};
[[nodiscard]] std::optional<AceRequest> receive_frame(PeerConnection& connection);

// Returns the 50 bytes of a header.
[[nodiscard]] std::string header_of(const AceFrame& frame, ByteOrder order);
[[nodiscard]] std::string md5_hex(std::string_view bytes);
// Returns 32 unpredictable hex digits.
[[nodiscard]] std::string random_nonce();

}  // namespace support
