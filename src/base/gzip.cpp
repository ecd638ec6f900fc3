// SPDX-License-Identifier: MIT
#include "base/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>

namespace base {

std::string gzip(std::string_view bytes) {
    constexpr int strength = 6;      // 9 takes a fifth longer and saves almost nothing
    constexpr int window = 15 + 16;  // the largest window; 16: gzip's header and trailer
    constexpr int memory = 8;        // zlib's default
    if (bytes.size() > std::numeric_limits<uInt>::max())
        throw std::runtime_error("gzip: more than 4 GB");
    z_stream stream{};
    if (deflateInit2(&stream, strength, Z_DEFLATED, window, memory, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::runtime_error("gzip: deflateInit2 failed");
    const std::unique_ptr<z_stream, decltype(&deflateEnd)> owner(&stream, &deflateEnd);
    std::string coded(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
    // zlib only reads this, through a pointer that is not const.
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

Result<std::string> gunzip(std::string_view packed, std::size_t most) {
    constexpr int gzip_only = 16;
    constexpr std::size_t step = 64 * 1024;
    z_stream zlib{};
    if (::inflateInit2(&zlib, MAX_WBITS + gzip_only) != Z_OK) throw std::bad_alloc();
    const std::unique_ptr<z_stream, int (*)(z_stream*)> owner(&zlib, &::inflateEnd);
    zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    zlib.avail_in = static_cast<uInt>(packed.size());
    std::string text;
    for (int code = Z_OK; text.size() < most;) {
        if (code == Z_STREAM_END) {
            if (zlib.avail_in == 0) return text;
            ::inflateReset(&zlib);
        }
        const auto size = text.size();
        text.resize(size + step);
        zlib.next_out = reinterpret_cast<Bytef*>(text.data() + size);
        zlib.avail_out = step;
        code = ::inflate(&zlib, Z_NO_FLUSH);
        text.resize(text.size() - zlib.avail_out);
        if (code != Z_OK && code != Z_STREAM_END)
            return fail(ErrorKind::malformed, "damaged gzip data");
    }
    text.resize(std::min(text.size(), most));
    return text;
}

}  // namespace base
