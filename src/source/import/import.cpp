// SPDX-License-Identifier: MIT
#include "source/import/import.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <zlib.h>
#include <zstd.h>

#include "source/ace_object.hpp"
#include "source/ace_text.hpp"
#include "source/dump/json_lines.hpp"
#include "source/import/xml_reader.hpp"

namespace source::import {
namespace {

using base::ErrorKind;

// ---- Unpacking ----

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

// Unpacks all members or frames of `packed` into a file for `path` that does not have its name yet:
// some files are converted once more before they have their plain file.
//   error  refused (damaged, cut off, above the limits), unavailable (a full disk)
base::Result<NewFile> unpack(const File& packed, Packing packing, const std::string& path) {
    auto plain = NewFile::create(path);
    if (!plain) return plain;
    Stream stream(packed, plain->file());
    const auto done = packing == Packing::gzip ? unpack_all<Inflater>(stream)
                                               : unpack_all<ZstdUnpacker>(stream);
    if (!done) return tl::unexpected(done.error());
    return plain;
}

// ---- Importing ----

base::Result<std::string> read_start(const File& file, std::size_t size) {
    std::string bytes(size, '\0');
    const auto got = file.read_at(bytes.data(), bytes.size(), 0);
    if (!got) return tl::unexpected(got.error());
    bytes.resize(*got);
    return bytes;
}

// Enough bytes to see by whom a file was written.
constexpr std::size_t head_size = std::size_t{64} << 10;

bool is_comment(std::string_view line) {
    return line.empty() || line.starts_with("//") || line.starts_with(" //");
}

// Returns where the first object begins of a file that AceDB's dumper did not write: one without class
// banners, without a timestamp in the first header, and without the TAB that the dumper writes after
// a tag, in the first line of the first object with content.
std::optional<std::size_t> find_foreign(std::string_view head) {
    for (auto rest = head; !rest.empty();) {
        const auto line = rest.substr(0, rest.find('\n'));
        if (line.starts_with(" // Class ")) return std::nullopt;
        if (is_comment(line)) {
            rest.remove_prefix(std::min(line.size() + 1, rest.size()));
            continue;
        }
        const auto header = read_header(rest);
        // The dump's reader will say what is wrong with a header.
        if (!header || !header->stamp.bytes.empty()) return std::nullopt;
        if (form_of(header->class_name) != Form::tree) return std::nullopt;
        const auto begin = head.size() - rest.size();
        rest.remove_prefix(header->size);
        if (rest.empty() || rest[0] == '\n') continue;
        rest.remove_prefix(std::min(rest.find_first_of(" \t\n\""), rest.size()));
        if (rest.starts_with("\t ") || rest.starts_with("\t\n")) return std::nullopt;
        return begin;
    }
    return std::nullopt;
}

// True when a dump was made without timestamps (`dump` instead of `dump -T`).
bool is_unstamped(std::string_view head) {
    // Each object with content has a line with a TAB after its first tag.
    const bool has_content = head.find('\t') != std::string_view::npos;
    return has_content && head.find(" -O \"") == std::string_view::npos;
}

// The text of a file of the build, unpacked if it is packed.
struct Text {
    File listed;                      // the build's own file
    std::optional<NewFile> unpacked;  // its copy, which has no name yet
    std::uint64_t size = 0;
    [[nodiscard]] const File& file() const { return unpacked ? unpacked->file() : listed; }
};

class Importer {
   public:
    Importer(const BuildFolder& folder, const std::string& plain_dir, std::uint64_t largest)
        : folder_(folder), plain_dir_(plain_dir), largest_(largest),
          originals_(folder.files.size()) {
        facts_.release = folder.release;
        facts_.origin = folder.path;
        facts_.files = folder.files;
    }

    base::Result<PlainBuild> run() {
        for (std::size_t i = 0; i < folder_.files.size(); ++i)
            if (auto done = import(i); !done) return tl::unexpected(done.error());
        return opened();
    }

   private:
    base::Result<void> import(std::size_t i) {
        auto& file = facts_.files[i];
        auto text = text_of(file);
        if (!text) return tl::unexpected(text.error());
        switch (*format_of(file.name)) {
            case Format::ace: return import_ace(file, *text);
            case Format::xml: return import_xml(i, *text);
            case Format::json_lines: break;
        }
        file.layout = Layout::json;
        return keep(*text, file);
    }

    base::Result<Text> text_of(const BuildFile& file) const {
        auto listed = open_listed(folder_, file.name, file.identity);
        if (!listed) return tl::unexpected(listed.error());
        Text text{std::move(*listed), std::nullopt, file.identity.size};
        const auto packing = packing_of(file.name);
        if (packing == Packing::none) return text;
        if (auto made = make_folder(plain_dir_); !made) return tl::unexpected(made.error());
        auto unpacked = unpack(text.listed, packing, plain_dir_ + "/" + file.name);
        if (!unpacked) return base::fail_at(place(file.name), unpacked.error());
        const auto identity = identity_of(unpacked->file());
        if (!identity) return tl::unexpected(identity.error());
        text.size = identity->size;
        text.unpacked.emplace(std::move(*unpacked));
        return text;
    }

    // Makes the unpacked text the plain file.
    static base::Result<void> keep(Text& text, BuildFile& file) {
        file.plain_size = text.size;
        return text.unpacked ? text.unpacked->put_in_place() : base::Result<void>();
    }

    base::Result<void> import_ace(BuildFile& file, Text& text) {
        const auto head = read_start(text.file(), head_size);
        if (!head) return base::fail_at(place(file.name), head.error());
        if (const auto at = find_foreign(*head))
            return fail_in(place(file.name), behind(head->substr(0, *at)), ErrorKind::refused,
                           "AceDB's dumper did not write this file" + std::string(load_and_dump));
        facts_.has_unstamped = facts_.has_unstamped || is_unstamped(*head);
        return keep(text, file);
    }

    base::Result<void> import_xml(std::size_t i, const Text& text) {
        auto& file = facts_.files[i];
        auto& original = originals_[i].emplace();
        file.layout = Layout::json;
        if (auto made = make_folder(plain_dir_); !made) return made;
        auto writer = dump::JsonLinesWriter::create(plain_dir_ + "/" + file.name);
        if (!writer) return tl::unexpected(writer.error());
        const auto add = [&](const XmlObject& object) -> base::Result<void> {
            original.lines.push_back(object.line);
            original.has_larger = original.has_larger || !object.is_whole;
            if (!object.is_whole) return writer->add(object.object.id);
            return writer->add(object.object);
        };
        const auto done = read_xml(text.file(), place(file.name), largest_, add);
        if (!done && done.error().kind != ErrorKind::refused) return done;
        if (!done) original.flaw = done.error().text;
        return finish(*writer, file);
    }

    static base::Result<void> finish(dump::JsonLinesWriter& writer, BuildFile& file) {
        const auto size = writer.put_in_place();
        if (!size) return tl::unexpected(size.error());
        file.plain_size = *size;
        return {};
    }

    base::Result<PlainBuild> opened() {
        PlainBuild build;
        for (std::size_t i = 0; i < folder_.files.size(); ++i) {
            const auto& file = facts_.files[i];
            auto plain = open_plain(folder_, file, plain_dir_);
            if (!plain) return tl::unexpected(plain.error());
            build.files.push_back(
                {place(file.name), file.layout, std::move(*plain), std::move(originals_[i])});
        }
        build.facts = std::move(facts_);
        return build;
    }

    [[nodiscard]] std::string place(const std::string& name) const {
        return folder_.path + "/" + name;
    }

    const BuildFolder& folder_;
    const std::string& plain_dir_;
    std::uint64_t largest_;
    Facts facts_;
    std::vector<std::optional<dump::Original>> originals_;  // by file
};

}  // namespace

base::Result<PlainBuild> make_plain_files(const BuildFolder& folder, const std::string& plain_dir,
                                          std::uint64_t largest) {
    return Importer(folder, plain_dir, largest).run();
}

}  // namespace source::import
