// SPDX-License-Identifier: MIT
#include "source/import/import.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <span>
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

// Writes unpacked bytes, within the limits.
class Unpacked {
   public:
    explicit Unpacked(const File& file) : file_(file) {}
    //   consumed  packed bytes so far
    base::Result<void> write(std::string_view bytes, std::uint64_t consumed) {
        written_ += bytes.size();
        if (written_ > most_unpacked)
            return base::fail(base::ErrorKind::refused, "unpacks to more than a file may hold");
        if (written_ > unlimited && written_ / most_ratio > consumed)
            return base::fail(base::ErrorKind::refused,
                              "unpacks to over a thousand times its size");
        return file_.write(bytes);
    }

   private:
    const File& file_;
    std::uint64_t written_ = 0;
};

tl::unexpected<base::Error> damaged(const char* what) {
    return base::fail(base::ErrorKind::refused, std::string("is damaged: ") + what);
}

// One step of unpacking: how many packed bytes it took, how many plain ones it made, and whether a
// member or a frame ended.
struct Step {
    std::size_t taken = 0, made = 0;
    bool is_end = false;
};
using TakeStep =
    std::function<base::Result<Step>(std::string_view packed, std::span<char> plain)>;

base::Result<void> unpack_all(const File& packed, Unpacked& out, const TakeStep& take) {
    std::vector<char> bytes(block), plain(block);
    std::uint64_t consumed = 0;
    bool is_end = false;
    for (;;) {
        const auto got = packed.read_at(bytes.data(), block, consumed);
        if (!got) return tl::unexpected(got.error());
        if (*got == 0) break;
        consumed += *got;
        std::string_view left(bytes.data(), *got);
        for (bool is_full = false; !left.empty() || is_full;) {
            const auto step = take(left, plain);
            if (!step) return tl::unexpected(step.error());
            left.remove_prefix(step->taken);
            if (auto done = out.write({plain.data(), step->made}, consumed); !done) return done;
            is_end = step->is_end;
            is_full = !is_end && step->made == block;
        }
    }
    if (!is_end) return damaged("it ends too early");
    return {};
}

// Unpacks a gzip file. Members may follow each other (RFC 1952 section 2.2).
base::Result<void> unpack_gzip(const File& packed, Unpacked& out) {
    constexpr int gzip_only = 16;
    z_stream zlib{};
    if (::inflateInit2(&zlib, MAX_WBITS + gzip_only) != Z_OK) throw std::bad_alloc();
    const std::unique_ptr<z_stream, decltype(&::inflateEnd)> end(&zlib, ::inflateEnd);
    bool is_between = false;
    return unpack_all(
        packed, out, [&](std::string_view from, std::span<char> to) -> base::Result<Step> {
            if (is_between) ::inflateReset(&zlib);
            zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from.data()));
            zlib.avail_in = static_cast<uInt>(from.size());
            zlib.next_out = reinterpret_cast<Bytef*>(to.data());
            zlib.avail_out = static_cast<uInt>(to.size());
            const int code = ::inflate(&zlib, Z_NO_FLUSH);
            is_between = code == Z_STREAM_END;
            if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
                return damaged(zlib.msg != nullptr ? zlib.msg : "no gzip data");
            return Step{from.size() - zlib.avail_in, to.size() - zlib.avail_out, is_between};
        });
}

// Unpacks a zstd file. Frames may follow each other (RFC 8878 section 3).
base::Result<void> unpack_zstd(const File& packed, Unpacked& out) {
    const std::unique_ptr<ZSTD_DStream, decltype(&::ZSTD_freeDStream)> zstd(
        ::ZSTD_createDStream(), ::ZSTD_freeDStream);
    if (zstd == nullptr) throw std::bad_alloc();
    return unpack_all(packed, out,
                      [&](std::string_view bytes, std::span<char> plain) -> base::Result<Step> {
                          ZSTD_inBuffer from{bytes.data(), bytes.size(), 0};
                          ZSTD_outBuffer to{plain.data(), plain.size(), 0};
                          const auto left = ::ZSTD_decompressStream(zstd.get(), &to, &from);
                          if (::ZSTD_isError(left) != 0)
                              return damaged(::ZSTD_getErrorName(left));
                          return Step{from.pos, to.pos, left == 0};
                      });
}

// Unpacks all members or frames of `packed` into a file for `path` that does not have its name yet:
// some files are converted once more before they have their plain file.
//   error  refused (damaged, cut off, above the limits), unavailable (a full disk)
base::Result<NewFile> unpack(const File& packed, Packing packing, const std::string& path) {
    auto plain = NewFile::create(path);
    if (!plain) return plain;
    Unpacked out(plain->file());
    const auto done =
        packing == Packing::gzip ? unpack_gzip(packed, out) : unpack_zstd(packed, out);
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
            build.files.push_back({place(file.name), *format_of(file.name) != Format::ace,
                                   std::move(*plain), std::move(originals_[i])});
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
