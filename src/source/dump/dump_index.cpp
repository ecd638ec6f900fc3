// SPDX-License-Identifier: MIT
#include "source/dump/dump_index.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>

#include "base/log.hpp"
#include "source/dump.hpp"
#include "source/dump/index_making.hpp"
#include "source/import/plain_form.hpp"

namespace source::dump {
namespace {

namespace fs = std::filesystem;
using base::Kind;

// Whether the objects of a file were made with the models of the build.
bool needs_models(const DumpFile& file) {
    return !file.is_included && file.layout == Layout::json &&
           format_of(file.name) == Format::ace;
}

bool fits_included(const std::vector<DumpFile>& files, const BuildFolder& folder) {
    const auto is_same = [&](const DumpFile& file) {
        const auto* other = folder.other(file.name);
        return other != nullptr && other->stamp == file.stamp;
    };
    const auto is_models = [](const DumpFile& file) { return file.name == "models.wrm"; };
    const bool wants_models = std::any_of(files.begin(), files.end(), needs_models) &&
                              folder.other("models.wrm") != nullptr;
    return std::all_of(
               files.begin(), files.end(),
               [&](const DumpFile& file) { return !file.is_included || is_same(file); }) &&
           (!wants_models || std::any_of(files.begin(), files.end(), is_models));
}

bool fits(const Facts& facts, const BuildFolder& folder, const IndexSettings& settings) {
    const auto is_same = [](const DumpFile& a, const DumpFile& b) {
        return a.name == b.name && a.stamp == b.stamp;
    };
    const auto own = std::find_if(facts.files.begin(), facts.files.end(),
                                  [](const DumpFile& file) { return file.is_included; });
    return facts.release == folder.release &&
           (facts.largest == 0 || facts.largest >= settings.largest) &&
           std::equal(facts.files.begin(), own, folder.files.begin(), folder.files.end(),
                      is_same) &&
           fits_included(facts.files, folder);
}

// Nothing, when there is no index that fits.
base::Result<std::optional<IndexedBuild>> open_fitting(const BuildFolder& folder,
                                                       const IndexSettings& settings) {
    const auto& version = folder.release.version;
    auto index = Index::open(index_path(settings.index_dir, version));
    if (!index || !fits(index->facts(), folder, settings)) return std::nullopt;
    IndexedBuild build{std::move(*index), {}};
    for (const auto& file : build.index.facts().files) {
        if (file.is_included) continue;
        auto plain =
            import::open_plain(folder, file, import::plain_folder(settings.index_dir, version));
        if (!plain && !import::is_own_plain_form(file)) return std::nullopt;  // make it again
        if (!plain) return tl::unexpected(plain.error());
        build.files.push_back(std::move(*plain));
    }
    return std::optional<IndexedBuild>(std::move(build));
}

void drop_plain_forms_of_gone_builds(const std::string& index_dir) {
    for (const auto& kept : kept_indexes(index_dir)) {
        const auto facts = Index::read_facts(kept.path);
        std::error_code error;
        if (facts && !fs::exists(facts->folder, error) && !error)
            fs::remove_all(import::plain_folder(index_dir, kept.release.version), error);
    }
}

base::Result<File> lock(const BuildFolder& folder, const std::string& index_dir) {
    const auto path = index_dir + "/" + folder.release.version + ".lock";
    File file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!file.is_open()) return fail_errno("writing " + path, errno);
    while (::flock(file.descriptor(), LOCK_EX) != 0 && errno == EINTR) {
    }
    return file;
}

}  // namespace

std::string index_path(const std::string& index_dir, const std::string& version) {
    return index_dir + "/" + version + ".index";
}

base::Result<IndexedBuild> open_index(const BuildFolder& folder, const IndexSettings& settings) {
    if (folder.files.size() > UINT16_MAX)
        return base::fail(Kind::refused, folder.path + " holds more than 65,535 dump files");
    if (auto made = import::make_folder(settings.index_dir); !made)
        return tl::unexpected(made.error());
    auto found = open_fitting(folder, settings);
    if (!found) return tl::unexpected(found.error());
    if (*found) return std::move(**found);

    const auto locked = lock(folder, settings.index_dir);
    if (!locked) return tl::unexpected(locked.error());
    found = open_fitting(folder, settings);  // another process may have made it meanwhile
    if (!found) return tl::unexpected(found.error());
    if (*found) return std::move(**found);
    base::log::info("making the index", {{"build", folder.path}});
    if (auto done = make_index(folder, settings); !done) return tl::unexpected(done.error());
    drop_plain_forms_of_gone_builds(settings.index_dir);
    found = open_fitting(folder, settings);
    if (!found) return tl::unexpected(found.error());
    if (!*found)
        return base::fail(Kind::unavailable,
                          folder.path + " changed while its index was made; try again");
    return std::move(**found);
}

}  // namespace source::dump
