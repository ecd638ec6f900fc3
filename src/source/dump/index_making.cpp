// SPDX-License-Identifier: MIT
#include "source/dump/index_making.hpp"

#include <utility>

#include "base/log.hpp"
#include "source/dump/indexing.hpp"
#include "source/import/curated_files.hpp"
#include "source/import/plain_form.hpp"
#include "source/kept_aside.hpp"

namespace source::dump {
namespace {

// Files are gone through twice: whether an .ace file is a dump or a curator's only its text
// tells, and curators' files make one set of objects together.
class IndexMaking {
   public:
    IndexMaking(const BuildFolder& folder, const IndexSettings& settings, IndexWriter writer)
        : folder_(folder),
          plain_dir_(import::plain_folder(settings.index_dir, folder.release.version)),
          has_models_(settings.models->class_count() > 0), curated_(folder, *settings.models),
          objects_(std::move(writer), folder, settings.largest) {
        facts_.files = folder.files;
    }

    base::Result<void> run() {
        for (std::size_t i = 0; i < folder_.files.size(); ++i)
            if (auto done = look_at(i); !done) return done;
        for (std::size_t i = 0; i < folder_.files.size(); ++i)
            if (auto done = read(i); !done) return done;
        const auto included = curated_.included();
        facts_.files.insert(facts_.files.end(), included.begin(), included.end());
        // Written into meanwhile? Then the places noted are those of other files.
        for (const auto& file : facts_.files)
            if (const auto same = import::open_listed(folder_, file.name, file.stamp); !same)
                return tl::unexpected(same.error());
        note_remarks();
        return objects_.finish(std::move(facts_));
    }

   private:
    base::Result<void> look_at(std::size_t i) {
        auto& file = facts_.files[i];
        if (format_of(file.name) != Format::ace) return {};
        auto text = import::PlainText::of(folder_, file, plain_dir_);
        if (!text) return tl::unexpected(text.error());
        const auto head = import::AceHead::of(text->file());
        if (!head) return base::fail_at(place(file), head.error());
        if (head->is_dump) {
            facts_.has_unstamped = facts_.has_unstamped || head->is_unstamped;
            return keep(*text, file);
        }
        file.layout = Layout::json;
        return curated_.load(static_cast<std::uint16_t>(i), text->file());
    }

    base::Result<void> read(std::size_t i) {
        auto& file = facts_.files[i];
        const auto number = static_cast<std::uint16_t>(i);
        switch (*format_of(file.name)) {
            case Format::ace:
                return file.layout == Layout::json ? write_curated() : read_dump(file, number);
            case Format::xml: return read_xml(file, number);
            case Format::json_lines: break;
        }
        return read_json_lines(file, number);
    }

    // All of them at the turn of the first.
    base::Result<void> write_curated() {
        if (std::exchange(has_written_curated_, true)) return {};
        return curated_.write_objects(plain_dir_, facts_.files, objects_);
    }

    base::Result<void> read_dump(const DumpFile& file, std::uint16_t number) {
        const auto plain = import::open_plain(folder_, file, plain_dir_);
        if (!plain) return tl::unexpected(plain.error());
        return objects_.read_dump(*plain, number);
    }

    base::Result<void> read_json_lines(DumpFile& file, std::uint16_t number) {
        file.layout = Layout::json;
        auto text = import::PlainText::of(folder_, file, plain_dir_);
        if (!text) return tl::unexpected(text.error());
        if (auto done = keep(*text, file); !done) return done;
        return objects_.read_json_lines(text->file(), number);
    }

    base::Result<void> read_xml(DumpFile& file, std::uint16_t number) {
        file.layout = Layout::json;
        const auto text = import::PlainText::of(folder_, file, plain_dir_);
        if (!text) return tl::unexpected(text.error());
        if (auto made = import::make_folder(plain_dir_); !made) return made;
        auto lines = import::JsonLinesWriter::create(plain_dir_ + "/" + file.name);
        if (!lines) return tl::unexpected(lines.error());
        if (auto done = objects_.read_xml(text->file(), number, *lines); !done) return done;
        const auto size = lines->put_in_place();
        if (!size) return tl::unexpected(size.error());
        file.plain_size = *size;
        return {};
    }

    static base::Result<void> keep(import::PlainText& text, DumpFile& file) {
        file.plain_size = text.size();
        return text.keep();
    }

    void note_remarks() {
        if (auto remark = curated_.complain(); !remark.empty())
            facts_.remarks.push_back(std::move(remark));
        if (facts_.has_unstamped && !has_models_)
            base::log::warning(unstamped_without_models, {{"build", folder_.path}});
    }

    [[nodiscard]] std::string place(const DumpFile& file) const {
        return folder_.path + "/" + file.name;
    }

    const BuildFolder& folder_;
    std::string plain_dir_;
    bool has_models_;
    Facts facts_;
    import::CuratedFiles curated_;
    bool has_written_curated_ = false;
    BuildObjects objects_;
};

}  // namespace

base::Result<void> make_index(const BuildFolder& folder, const IndexSettings& settings) {
    const auto& version = folder.release.version;
    const auto path = index_path(settings.index_dir, version);
    const KeptAside kept(settings.index_dir, version);
    auto writer = IndexWriter::create(path);
    if (!writer) return tl::unexpected(writer.error());
    if (auto done = IndexMaking(folder, settings, std::move(*writer)).run(); !done) return done;
    if (const auto facts = Index::read_facts(path)) kept.drop_if(facts->digest);
    return {};
}

}  // namespace source::dump
