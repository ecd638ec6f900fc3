// SPDX-License-Identifier: MIT
#include "base/compress.hpp"

#include <stdexcept>
#include <zstd.h>

namespace base {

std::string compress(std::string_view bytes) {
    std::string frame(ZSTD_compressBound(bytes.size()), '\0');
    const auto size = ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(),
                                    ZSTD_CLEVEL_DEFAULT);
    if (ZSTD_isError(size) != 0) throw std::runtime_error(ZSTD_getErrorName(size));
    frame.resize(size);
    return frame;
}

Result<std::string> decompress(std::string_view frame, std::size_t most) {
    const auto size = ZSTD_getFrameContentSize(frame.data(), frame.size());
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN)
        return fail(Kind::malformed, "no zstd frame of known size");
    if (size > most) return fail(Kind::too_large, "a zstd frame above its limit");
    std::string bytes(static_cast<std::size_t>(size), '\0');
    const auto got = ZSTD_decompress(bytes.data(), bytes.size(), frame.data(), frame.size());
    if (ZSTD_isError(got) != 0 || got != bytes.size())
        return fail(Kind::malformed, "a damaged zstd frame");
    return bytes;
}

}  // namespace base
