// SPDX-License-Identifier: MIT
#include "source/import/import.hpp"

#include <algorithm>
#include <optional>

#include "source/ace_object.hpp"
#include "source/ace_text.hpp"
#include "source/dump/json_lines.hpp"
#include "source/import/unpack.hpp"
#include "source/import/xml_reader.hpp"

namespace source::import {
namespace {

using base::ErrorKind;

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

// False when AceDB's dumper did not write the file: it is without class banners, no timestamp is in
// the first header, and the first line of the first object with content lacks the TAB that the
// dumper writes after a tag.
bool may_be_dumped(std::string_view rest) {
    while (!rest.empty()) {
        const auto line = rest.substr(0, rest.find('\n'));
        if (line.starts_with(" // Class ")) return true;
        if (is_comment(line)) {
            rest.remove_prefix(std::min(line.size() + 1, rest.size()));
            continue;
        }
        const auto header = read_header(rest);
        // The dump's reader will say what is wrong with a header.
        if (!header || !header->stamp.bytes.empty()) return true;
        if (form_of(header->class_name) != Form::tree) return true;
        rest.remove_prefix(header->size);
        if (rest.empty() || rest[0] == '\n') continue;
        rest.remove_prefix(std::min(rest.find_first_of(" \t\n\""), rest.size()));
        return rest.starts_with("\t ") || rest.starts_with("\t\n");
    }
    return true;
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
        if (!may_be_dumped(*head))
            return base::fail(ErrorKind::refused, place(file.name) +
                                                      ": AceDB's dumper did not write this file" +
                                                      std::string(load_and_dump));
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
        XmlReader reader(text.file(), place(file.name), largest_);
        for (;;) {
            const auto next = reader.next();
            if (!next && next.error().kind != ErrorKind::refused)
                return tl::unexpected(next.error());
            if (!next) original.flaw = next.error().text;
            if (!next || !*next) break;
            const auto& object = **next;
            if (!object.is_whole) {
                original.named_only.push_back(
                    {object.object.id, object.line, original.lines.size()});
                continue;
            }
            if (auto done = writer->add(object.object); !done) return done;
            original.lines.push_back(object.line);
        }
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
