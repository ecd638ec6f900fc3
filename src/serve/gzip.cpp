// SPDX-License-Identifier: MIT
#include "serve/gzip.hpp"

#include <zlib.h>

#include <limits>
#include <stdexcept>

namespace serve {

namespace {

constexpr int level = 6;              // 9 takes a fifth longer and saves next to nothing
constexpr int gzip_window = 15 + 16;  // the largest window; 16: with gzip's header and trailer
constexpr int memory = 8;             // zlib's default

// zlib's state for one stream, given back however the work ends.
struct Deflater {
    z_stream stream{};
    Deflater() {
        if (deflateInit2(&stream, level, Z_DEFLATED, gzip_window, memory, Z_DEFAULT_STRATEGY) !=
            Z_OK)
            throw std::runtime_error("gzip: deflateInit2 failed");
    }
    ~Deflater() { deflateEnd(&stream); }
    Deflater(const Deflater&) = delete;
    Deflater& operator=(const Deflater&) = delete;
};

}  // namespace

std::string gzip(std::string_view bytes) {
    if (bytes.size() > std::numeric_limits<uInt>::max())
        throw std::runtime_error("gzip: more than 4 GB");
    Deflater deflater;
    z_stream& stream = deflater.stream;
    std::string coded(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
    // zlib takes what it only reads through a pointer that isn't const.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(coded.data());
    stream.avail_out = static_cast<uInt>(coded.size());
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
        throw std::runtime_error("gzip: deflate failed");
    coded.resize(stream.total_out);
    coded.shrink_to_fit();
    return coded;
}

}  // namespace serve
