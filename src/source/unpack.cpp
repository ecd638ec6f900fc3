// SPDX-License-Identifier: MIT
#include "source/unpack.hpp"

#include <memory>
#include <new>
#include <vector>
#include <zlib.h>
#include <zstd.h>

namespace source {
namespace {

constexpr std::size_t block = 1 << 18;

// Packed bytes in, plain bytes out, within the limits.
class Stream {
   public:
    Stream(const File& packed, const File& plain, const UnpackLimits& limits)
        : packed_(packed), plain_(plain), limits_(limits), in_(block), out_(block) {}

    // The next packed bytes; empty at the end of the file.
    base::Result<std::string_view> read() {
        const auto got = packed_.read_at(in_.data(), in_.size(), consumed_);
        if (!got) return tl::unexpected(got.error());
        consumed_ += *got;
        return std::string_view(in_.data(), *got);
    }

    [[nodiscard]] std::vector<char>& out() { return out_; }

    // Takes the first `size` bytes of out().
    base::Result<bool> write(std::size_t size) {
        produced_ += size;
        if (produced_ > limits_.most)
            return base::fail(base::Kind::refused, "unpacks to more than a dump file may hold");
        if (produced_ > limits_.free && produced_ / limits_.ratio > consumed_)
            return base::fail(base::Kind::refused, "unpacks to over a thousand times its size");
        return plain_.write({out_.data(), size});
    }

   private:
    const File &packed_, &plain_;
    const UnpackLimits& limits_;
    std::vector<char> in_, out_;
    std::uint64_t consumed_ = 0, produced_ = 0;
};

tl::unexpected<base::Error> damaged(const char* what) {
    return base::fail(base::Kind::refused, std::string("is damaged: ") + what);
}

struct EndInflate {
    void operator()(z_stream* stream) const {
        ::inflateEnd(stream);
        delete stream;
    }
};

// One piece of input through zlib. Members may follow each other (RFC 1952 section 2.2).
base::Result<bool> inflate_piece(z_stream& zlib, Stream& stream, bool& in_member) {
    auto& out = stream.out();
    do {
        if (!in_member && zlib.avail_in == 0) return true;
        if (!in_member) ::inflateReset(&zlib);
        in_member = true;
        zlib.next_out = reinterpret_cast<Bytef*>(out.data());
        zlib.avail_out = static_cast<uInt>(out.size());
        const int code = ::inflate(&zlib, Z_NO_FLUSH);
        if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
            return damaged(zlib.msg != nullptr ? zlib.msg : "no gzip data");
        if (auto done = stream.write(out.size() - zlib.avail_out); !done) return done;
        in_member = code != Z_STREAM_END;
    } while (zlib.avail_in > 0 || (in_member && zlib.avail_out == 0));
    return true;
}

base::Result<bool> unpack_gzip(Stream& stream) {
    std::unique_ptr<z_stream, EndInflate> zlib(new z_stream{});
    constexpr int gzip_only = 16;
    if (::inflateInit2(zlib.get(), MAX_WBITS + gzip_only) != Z_OK) throw std::bad_alloc();
    bool in_member = true;
    for (;;) {
        const auto bytes = stream.read();
        if (!bytes) return tl::unexpected(bytes.error());
        if (bytes->empty()) break;
        zlib->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes->data()));
        zlib->avail_in = static_cast<uInt>(bytes->size());
        if (auto done = inflate_piece(*zlib, stream, in_member); !done) return done;
    }
    if (in_member) return damaged("it ends too early");
    return true;
}

struct FreeZstd {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
};

base::Result<bool> unpack_zstd(Stream& stream) {
    const std::unique_ptr<ZSTD_DStream, FreeZstd> zstd(ZSTD_createDStream());
    if (zstd == nullptr) throw std::bad_alloc();
    std::size_t left = 1;  // bytes that the frame still wants; 0: it is whole
    for (;;) {
        const auto bytes = stream.read();
        if (!bytes) return tl::unexpected(bytes.error());
        if (bytes->empty()) break;
        ZSTD_inBuffer in{bytes->data(), bytes->size(), 0};
        bool is_full = true;
        while (in.pos < in.size || is_full) {
            ZSTD_outBuffer out{stream.out().data(), stream.out().size(), 0};
            left = ZSTD_decompressStream(zstd.get(), &out, &in);
            if (ZSTD_isError(left)) return damaged(ZSTD_getErrorName(left));
            if (auto done = stream.write(out.pos); !done) return done;
            is_full = left != 0 && out.pos == out.size;
        }
    }
    if (left != 0) return damaged("it ends too early");
    return true;
}

}  // namespace

base::Result<bool> unpack(const File& packed, Packing packing, const std::string& path,
                          const UnpackLimits& limits) {
    auto plain = NewFile::create(path);
    if (!plain) return tl::unexpected(plain.error());
    Stream stream(packed, plain->file(), limits);
    const auto done = packing == Packing::gzip ? unpack_gzip(stream) : unpack_zstd(stream);
    return done ? plain->put_in_place() : done;
}

}  // namespace source
