// SPDX-License-Identifier: MIT
#include "source/import/unpack.hpp"

#include <memory>
#include <new>
#include <vector>
#include <zlib.h>
#include <zstd.h>

namespace source::import {
namespace {

constexpr std::size_t block = 1 << 18;
// What a hostile file may unpack to: bytes in all, and output : input above `unlimited` bytes.
constexpr std::uint64_t most_unpacked = std::uint64_t{64} << 30, most_ratio = 1000,
                        unlimited = std::uint64_t{1} << 30;

// Reads packed bytes and writes plain ones, within the limits.
class Stream {
   public:
    Stream(const File& packed, const File& plain)
        : packed_(packed), plain_(plain), in_(block), out_(block) {}

    // Returns the next packed bytes; none at the end of the file.
    base::Result<std::string_view> read() {
        const auto got = packed_.read_at(in_.data(), in_.size(), consumed_);
        if (!got) return tl::unexpected(got.error());
        consumed_ += *got;
        return std::string_view(in_.data(), *got);
    }

    [[nodiscard]] std::vector<char>& out() { return out_; }

    // Writes the first `size` bytes of out().
    base::Result<void> write(std::size_t size) {
        produced_ += size;
        if (produced_ > most_unpacked)
            return base::fail(base::ErrorKind::refused, "unpacks to more than a file may hold");
        if (produced_ > unlimited && produced_ / most_ratio > consumed_)
            return base::fail(base::ErrorKind::refused,
                              "unpacks to over a thousand times its size");
        return plain_.write({out_.data(), size});
    }

   private:
    const File &packed_, &plain_;
    std::vector<char> in_, out_;
    std::uint64_t consumed_ = 0, produced_ = 0;
};

tl::unexpected<base::Error> damaged(const char* what) {
    return base::fail(base::ErrorKind::refused, std::string("is damaged: ") + what);
}

// Unpacks a gzip file. Members may follow each other (RFC 1952 section 2.2).
class Inflater {
   public:
    explicit Inflater(Stream& stream) : stream_(stream) {
        constexpr int gzip_only = 16;
        if (::inflateInit2(&zlib_, MAX_WBITS + gzip_only) != Z_OK) throw std::bad_alloc();
    }
    ~Inflater() { ::inflateEnd(&zlib_); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    [[nodiscard]] bool is_whole() const { return !in_member_; }

    base::Result<void> take(std::string_view packed) {
        zlib_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
        zlib_.avail_in = static_cast<uInt>(packed.size());
        bool is_full = false;
        while (zlib_.avail_in > 0 || is_full) {
            if (auto done = step(); !done) return done;
            is_full = in_member_ && zlib_.avail_out == 0;
        }
        return {};
    }

   private:
    base::Result<void> step() {
        auto& out = stream_.out();
        if (!in_member_) ::inflateReset(&zlib_);
        zlib_.next_out = reinterpret_cast<Bytef*>(out.data());
        zlib_.avail_out = static_cast<uInt>(out.size());
        const int code = ::inflate(&zlib_, Z_NO_FLUSH);
        in_member_ = code != Z_STREAM_END;
        if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
            return damaged(zlib_.msg != nullptr ? zlib_.msg : "no gzip data");
        return stream_.write(out.size() - zlib_.avail_out);
    }

    Stream& stream_;
    z_stream zlib_{};
    bool in_member_ = true;
};

// Unpacks a zstd file. Frames may follow each other (RFC 8878 section 3).
class ZstdUnpacker {
   public:
    explicit ZstdUnpacker(Stream& stream) : stream_(stream), zstd_(ZSTD_createDStream()) {
        if (zstd_ == nullptr) throw std::bad_alloc();
    }

    [[nodiscard]] bool is_whole() const { return left_ == 0; }

    base::Result<void> take(std::string_view packed) {
        ZSTD_inBuffer in{packed.data(), packed.size(), 0};
        bool is_full = false;
        while (in.pos < in.size || is_full) {
            auto& space = stream_.out();
            ZSTD_outBuffer out{space.data(), space.size(), 0};
            left_ = ZSTD_decompressStream(zstd_.get(), &out, &in);
            if (ZSTD_isError(left_) != 0) return damaged(ZSTD_getErrorName(left_));
            if (auto done = stream_.write(out.pos); !done) return done;
            is_full = left_ != 0 && out.pos == out.size;
        }
        return {};
    }

   private:
    struct Free {
        void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
    };
    Stream& stream_;
    std::unique_ptr<ZSTD_DStream, Free> zstd_;
    std::size_t left_ = 1;  // bytes that the frame still wants
};

template <class Unpacker>
base::Result<void> unpack_all(Stream& stream) {
    Unpacker unpacker(stream);
    for (;;) {
        const auto packed = stream.read();
        if (!packed) return tl::unexpected(packed.error());
        if (packed->empty()) break;
        if (auto done = unpacker.take(*packed); !done) return done;
    }
    if (!unpacker.is_whole()) return damaged("it ends too early");
    return {};
}

}  // namespace

base::Result<NewFile> unpack(const File& packed, Packing packing, const std::string& path) {
    auto plain = NewFile::create(path);
    if (!plain) return plain;
    Stream stream(packed, plain->file());
    const auto done = packing == Packing::gzip ? unpack_all<Inflater>(stream)
                                               : unpack_all<ZstdUnpacker>(stream);
    if (!done) return tl::unexpected(done.error());
    return plain;
}

}  // namespace source::import
