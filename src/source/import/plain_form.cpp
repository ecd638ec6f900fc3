// SPDX-License-Identifier: MIT
#include "source/import/plain_form.hpp"

#include <fcntl.h>
#include <filesystem>

#include "source/import/unpack.hpp"

namespace source::import {
namespace {

tl::unexpected<base::Error> changed(const BuildFolder& folder, const std::string& name) {
    return base::fail(base::Kind::unavailable,
                      folder.path + "/" + name + " changed while it was opened; try again");
}

}  // namespace

std::string plain_folder(const std::string& index_dir, const std::string& version) {
    return index_dir + "/" + version + ".plain";
}

bool is_own_plain_form(const DumpFile& file) {
    const auto written = format_of(file.name) == Format::json_lines ? Layout::json : Layout::ace;
    return packing_of(file.name) == Packing::none && file.layout == written;
}

base::Result<File> open_listed(const BuildFolder& folder, const std::string& name,
                               const FileStamp& listed) {
    auto opened = open_file(folder.directory.descriptor(), name);
    if (!opened && opened.error().kind == base::Kind::absent) return changed(folder, name);
    if (!opened) return base::fail_at(folder.path, opened.error());
    const auto stamp = stamp_of(*opened);
    if (!stamp) return tl::unexpected(stamp.error());
    if (*stamp != listed) return changed(folder, name);
    return opened;
}

base::Result<File> open_plain(const BuildFolder& folder, const DumpFile& file,
                              const std::string& plain_dir) {
    if (is_own_plain_form(file)) return open_listed(folder, file.name, file.stamp);
    auto opened = open_file(AT_FDCWD, plain_dir + "/" + file.name);
    if (!opened) return opened;
    const auto stamp = stamp_of(*opened);
    if (!stamp) return tl::unexpected(stamp.error());
    if (stamp->size != file.plain_size) return changed(folder, file.name);
    return opened;
}

base::Result<PlainText> PlainText::of(const BuildFolder& folder, const DumpFile& file,
                                      const std::string& plain_dir) {
    PlainText text;
    auto listed = open_listed(folder, file.name, file.stamp);
    if (!listed) return tl::unexpected(listed.error());
    text.listed_ = std::move(*listed);
    const auto packing = packing_of(file.name);
    text.size_ = file.stamp.size;
    if (packing == Packing::none) return text;
    if (auto made = make_folder(plain_dir); !made) return tl::unexpected(made.error());
    auto unpacked = unpack(text.listed_, packing, plain_dir + "/" + file.name);
    if (!unpacked) return base::fail_at(folder.path + "/" + file.name, unpacked.error());
    const auto stamp = stamp_of(unpacked->file());
    if (!stamp) return tl::unexpected(stamp.error());
    text.size_ = stamp->size;
    text.unpacked_.emplace(std::move(*unpacked));
    return text;
}

base::Result<void> PlainText::keep() {
    if (!unpacked_) return {};
    if (auto done = unpacked_->put_in_place(); !done) return tl::unexpected(done.error());
    return {};
}

base::Result<void> make_folder(const std::string& path) {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) return fail_errno("making " + path, error.value());
    return {};
}

}  // namespace source::import
