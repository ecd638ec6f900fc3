// SPDX-License-Identifier: MIT
#include "feed/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <memory>
#include <new>

namespace feed {

base::Result<std::string> read_gzip(std::string_view packed, std::size_t most) {
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
            return base::fail(base::ErrorKind::malformed, "damaged gzip data");
    }
    text.resize(std::min(text.size(), most));
    return text;
}

}  // namespace feed
