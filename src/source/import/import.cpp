// SPDX-License-Identifier: MIT
#include "source/import/import.hpp"

#include <algorithm>
#include <optional>

#include "base/log.hpp"
#include "source/curated/reader.hpp"
#include "source/dump/json_lines.hpp"
#include "source/import/ace_head.hpp"
#include "source/import/unpack.hpp"
#include "source/import/xml_reader.hpp"

namespace source::import {
namespace {

using base::ErrorKind;

// What all objects of curators' files may take in memory, and what one file may.
constexpr std::size_t most_of_curated = std::size_t{2} << 30;

base::Result<std::string> read_start(const File& file, std::size_t size) {
    std::string bytes(size, '\0');
    const auto got = file.read_at(bytes.data(), bytes.size(), 0);
    if (!got) return tl::unexpected(got.error());
    bytes.resize(*got);
    return bytes;
}

base::Result<std::string> read_whole(const File& file, const std::string& name) {
    const auto identity = identity_of(file);
    if (!identity) return tl::unexpected(identity.error());
    if (identity->size > most_of_curated)
        return base::fail(ErrorKind::too_large,
                          name + ": is larger than a curators' file may be");
    return read_start(file, identity->size);
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
    Importer(const BuildFolder& folder, const tree::Models& models, const std::string& plain_dir,
             std::uint64_t largest)
        : folder_(folder), plain_dir_(plain_dir), largest_(largest),
          originals_(folder.files.size()),
          curated_({&models, folder.release.released_on,
                    [this](const std::string& name) { return read_included(name); },
                    most_of_curated}) {
        facts_.release = folder.release;
        facts_.origin = folder.path;
        facts_.files = folder.files;
    }

    base::Result<PlainBuild> run() {
        for (std::size_t i = 0; i < folder_.files.size(); ++i)
            if (auto done = import(i); !done) return tl::unexpected(done.error());
        if (auto done = write_curated(); !done) return tl::unexpected(done.error());
        list_included();
        note_rejections();
        return opened();
    }

   private:
    base::Result<void> import(std::size_t i) {
        auto& file = facts_.files[i];
        auto text = text_of(file);
        if (!text) return tl::unexpected(text.error());
        switch (*format_of(file.name)) {
            case Format::ace: return import_ace(i, *text);
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

    base::Result<void> import_ace(std::size_t i, Text& text) {
        auto& file = facts_.files[i];
        const auto head = read_start(text.file(), head_size);
        if (!head) return base::fail_at(place(file.name), head.error());
        if (is_dumped(*head)) {
            facts_.has_unstamped = facts_.has_unstamped || is_unstamped(*head);
            return keep(text, file);
        }
        file.layout = Layout::json;
        return load_curated(i, text.file());
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

    // ---- Curators' files ----

    base::Result<void> load_curated(std::size_t i, const File& text) {
        const auto& name = folder_.files[i].name;
        // To the caller, absent would mean the folder. A file that is too large, or an included one
        // that is missing, makes it refuse the build.
        const auto fail = [&](const base::Error& error) {
            const bool is_about_content =
                error.kind == ErrorKind::too_large || error.kind == ErrorKind::absent;
            return base::fail(is_about_content ? ErrorKind::refused : error.kind,
                              place(error.text));
        };
        const auto bytes = read_whole(text, name);
        if (!bytes) return fail(bytes.error());
        loaded_.push_back(i);
        if (const auto done = curated_.load(name, *bytes); !done) return fail(done.error());
        return {};
    }

    base::Result<std::string> read_included(const std::string& name) const {
        const auto dump = std::find_if(folder_.files.begin(), folder_.files.end(),
                                       [&](const BuildFile& file) { return file.name == name; });
        const auto* other = folder_.other(name);
        if (dump == folder_.files.end() && other == nullptr)
            return base::fail(ErrorKind::absent, name + " is not in the folder");
        const auto file =
            open_listed(folder_, name, other != nullptr ? other->identity : dump->identity);
        if (!file) return tl::unexpected(file.error());
        return read_whole(*file, name);
    }

    // Writes each object into the plain file of the file that contains its first header. Objects
    // come in the order of the files.
    base::Result<void> write_curated() {
        if (loaded_.empty()) return {};
        if (auto made = make_folder(plain_dir_); !made) return made;
        std::size_t at = 0;  // in loaded_
        auto done = start_curated(at);
        curated_.take([&](const curated::Record& record) {
            for (; done && at < record.file; ++at) done = finish_curated(at, at + 1);
            if (done) done = writer_->add(record.object);
            if (done) originals_[loaded_[at]]->lines.push_back(record.line);
        });
        // Files in which no object begins have a plain file, too.
        for (; done && at < loaded_.size(); ++at) done = finish_curated(at, at + 1);
        return done;
    }

    base::Result<void> start_curated(std::size_t at) {
        const auto number = loaded_[at];
        originals_[number].emplace();
        auto writer =
            dump::JsonLinesWriter::create(plain_dir_ + "/" + folder_.files[number].name);
        if (!writer) return tl::unexpected(writer.error());
        writer_.emplace(std::move(*writer));
        return {};
    }

    base::Result<void> finish_curated(std::size_t at, std::size_t next) {
        if (auto done = finish(*writer_, facts_.files[loaded_[at]]); !done) return done;
        return next < loaded_.size() ? start_curated(next) : base::Result<void>();
    }

    // Curated objects depend on the files that they include, and on the models.
    void list_included() {
        if (loaded_.empty()) return;
        auto names = curated_.included();
        names.emplace_back("models.wrm");
        for (const auto& name : names)
            if (const auto* other = folder_.other(name))
                facts_.files.push_back({name, other->identity, 0, Layout::ace, true});
    }

    // Logs what AceDB would have rejected, and sums it up in a remark for the operator.
    void note_rejections() {
        constexpr std::size_t most_logged = 10;
        const auto& rejections = curated_.rejections();
        if (rejections.empty()) return;
        for (std::size_t i = 0; i < std::min(rejections.size(), most_logged); ++i)
            base::log::warning(
                "AceDB would reject this entry in a curators' file",
                {{"place", place(rejections[i].place)}, {"what", rejections[i].reason}});
        const auto count = std::to_string(curated_.rejection_count());
        if (curated_.rejection_count() > most_logged)
            base::log::warning("AceDB would reject parts of curators' files",
                               {{"build", folder_.path}, {"places", count}});
        const auto& first = rejections.front();
        facts_.remarks.push_back("curators' files: AceDB would reject " + count +
                                 " lines or paragraphs, the first at " + place(first.place) +
                                 ": " + first.reason);
    }

    // ---- The result ----

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
    curated::Reader curated_;
    std::vector<std::size_t> loaded_;              // curators' files, in folder_.files
    std::optional<dump::JsonLinesWriter> writer_;  // of the curators' file that is written
};

}  // namespace

base::Result<PlainBuild> make_plain_files(const BuildFolder& folder, const tree::Models& models,
                                          const std::string& plain_dir, std::uint64_t largest) {
    return Importer(folder, models, plain_dir, largest).run();
}

}  // namespace source::import
