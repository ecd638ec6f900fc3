// Decodes Content-Encoding: gzip as a client does.
// SPDX-License-Identifier: MIT
#pragma once
#include <zlib.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace support {

inline std::string gunzip(std::string_view coded) {
    z_stream stream{};
    if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::runtime_error("inflateInit2");
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(coded.data()));
    stream.avail_in = static_cast<uInt>(coded.size());
    std::string bytes;
    int outcome = Z_OK;
    while (outcome == Z_OK) {
        std::string part(65536, '\0');
        stream.next_out = reinterpret_cast<Bytef*>(part.data());
        stream.avail_out = static_cast<uInt>(part.size());
        outcome = inflate(&stream, Z_NO_FLUSH);
        bytes += part.substr(0, part.size() - stream.avail_out);
    }
    inflateEnd(&stream);
    if (outcome != Z_STREAM_END || stream.avail_in != 0) throw std::runtime_error("inflate");
    return bytes;
}

}  // namespace support
