// SPDX-License-Identifier: MIT
#include "source/import/curated_files.hpp"

#include <algorithm>
#include <optional>

#include "base/log.hpp"
#include "source/import/plain_form.hpp"

namespace source::import {
namespace {

using base::Kind;

constexpr std::size_t head_size = 1 << 16;
constexpr std::size_t most_bytes = std::size_t{2} << 30;

// The whole of a file, or its first bytes.
base::Result<std::string> read_text(const File& file, std::size_t size) {
    std::string bytes(size, '\0');
    const auto got = file.read_at(bytes.data(), bytes.size(), 0);
    if (!got) return tl::unexpected(got.error());
    bytes.resize(*got);
    return bytes;
}

base::Result<std::string> read_whole(const File& file, const std::string& name) {
    const auto stamp = stamp_of(file);
    if (!stamp) return tl::unexpected(stamp.error());
    if (stamp->size > most_bytes)
        return base::fail(Kind::too_large, name + ": is larger than a curators' file may be");
    return read_text(file, stamp->size);
}

// Writes objects into the plain forms of several files, one after the other.
class PlainForms {
   public:
    PlainForms(const std::string& plain_dir, const std::vector<std::uint16_t>& numbers,
               std::vector<DumpFile>& files, dump::BuildObjects& objects)
        : plain_dir_(plain_dir), numbers_(numbers), files_(files), objects_(objects) {}

    base::Result<void> add(const FileObject& object) {
        const auto last = numbers_.size() - 1;
        while (!lines_ || at_ < std::min(object.file, last))
            if (auto done = next(); !done) return done;
        return objects_.add(object, numbers_[at_], *lines_);
    }

    // Those that no object begins in have a plain form all the same.
    base::Result<void> finish() {
        while (!lines_ || at_ + 1 < numbers_.size())
            if (auto done = next(); !done) return done;
        return close();
    }

   private:
    base::Result<void> next() {
        if (lines_) {
            if (auto done = close(); !done) return done;
            ++at_;
        }
        auto lines = JsonLinesWriter::create(plain_dir_ + "/" + files_[numbers_[at_]].name);
        if (!lines) return tl::unexpected(lines.error());
        lines_.emplace(std::move(*lines));
        return {};
    }

    base::Result<void> close() {
        const auto size = lines_->put_in_place();
        if (!size) return tl::unexpected(size.error());
        files_[numbers_[at_]].plain_size = *size;
        lines_.reset();
        return {};
    }

    const std::string& plain_dir_;
    const std::vector<std::uint16_t>& numbers_;
    std::vector<DumpFile>& files_;
    dump::BuildObjects& objects_;
    std::size_t at_ = 0;
    std::optional<JsonLinesWriter> lines_;  // of numbers_[at_]
};

}  // namespace

base::Result<AceHead> AceHead::of(const File& file) {
    const auto head = read_text(file, head_size);
    if (!head) return tl::unexpected(head.error());
    AceHead told;
    told.is_dump = is_dumped(*head);
    // Each object with content has a line with a TAB behind its first tag.
    const bool has_content = head->find('\t') != std::string::npos;
    told.is_unstamped = told.is_dump && has_content && head->find(" -O \"") == std::string::npos;
    return told;
}

CuratedFiles::CuratedFiles(const BuildFolder& folder, const tree::Models& models)
    : folder_(folder),
      objects_({&models, folder.release.released_on,
                [this](const std::string& name) { return read_included(name); }, most_bytes}) {}

base::Result<void> CuratedFiles::load(std::uint16_t number, const File& text) {
    const auto& name = folder_.files[number].name;
    // The caller decides on a folder, in which all is there that was listed.
    const auto fail = [&](const base::Error& error) {
        const bool is_ours = error.kind == Kind::too_large || error.kind == Kind::absent;
        return base::fail(is_ours ? Kind::refused : error.kind, folder_.path + "/" + error.text);
    };
    const auto bytes = read_whole(text, name);
    if (!bytes) return fail(bytes.error());
    loaded_.push_back(number);
    if (const auto done = objects_.load(name, *bytes); !done) return fail(done.error());
    return {};
}

base::Result<std::string> CuratedFiles::read_included(const std::string& name) const {
    const auto dump = std::find_if(folder_.files.begin(), folder_.files.end(),
                                   [&](const DumpFile& file) { return file.name == name; });
    const auto* other = folder_.other(name);
    if (dump == folder_.files.end() && other == nullptr)
        return base::fail(Kind::absent, name + " is not in the folder");
    const auto file = open_listed(folder_, name, other != nullptr ? other->stamp : dump->stamp);
    if (!file) return tl::unexpected(file.error());
    return read_whole(*file, name);
}

base::Result<void> CuratedFiles::write_objects(const std::string& plain_dir,
                                               std::vector<DumpFile>& files,
                                               dump::BuildObjects& objects) {
    if (loaded_.empty()) return {};
    if (auto made = make_folder(plain_dir); !made) return made;
    PlainForms forms(plain_dir, loaded_, files, objects);
    base::Result<void> done;
    objects_.take([&](const FileObject& object) {
        if (done) done = forms.add(object);
    });
    return done ? forms.finish() : done;
}

std::vector<DumpFile> CuratedFiles::included() const {
    if (loaded_.empty()) return {};
    auto names = objects_.included();
    names.emplace_back("models.wrm");
    std::vector<DumpFile> files;
    for (const auto& name : names)
        if (const auto* other = folder_.other(name))
            files.push_back({name, other->stamp, 0, Layout::ace, true});
    return files;
}

std::string CuratedFiles::complain() const {
    constexpr std::size_t most_told = 10;
    const auto& complaints = objects_.complaints();
    if (complaints.empty()) return {};
    const auto place = [&](const curated::Rejection& one) {
        return folder_.path + "/" + one.place;
    };
    for (std::size_t i = 0; i < std::min(complaints.size(), most_told); ++i)
        base::log::warning("AceDB would refuse this of a curators' file",
                           {{"place", place(complaints[i])}, {"what", complaints[i].what}});
    const auto count = std::to_string(objects_.complaint_count());
    if (objects_.complaint_count() > most_told)
        base::log::warning("AceDB would refuse parts of curators' files",
                           {{"build", folder_.path}, {"places", count}});
    return "curators' files: AceDB would refuse " + count +
           " lines or paragraphs, the first at " + place(complaints.front()) + ": " +
           complaints.front().what;
}

}  // namespace source::import
