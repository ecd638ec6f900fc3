// SPDX-License-Identifier: MIT
#include "source/index/index_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <sys/file.h>

#include "base/digest.hpp"
#include "base/log.hpp"
#include "source/build_folder.hpp"
#include "source/index/index.hpp"
#include "source/index/indexed_source.hpp"

namespace source {
namespace {

namespace fs = std::filesystem;
using base::ErrorKind;

class KeptBuild final : public IndexedSource {
   public:
    KeptBuild(Index index, std::vector<std::string> skip_classes)
        : IndexedSource(std::move(index), {}, std::move(skip_classes)) {}

    base::Result<tree::Object> load(const tree::ObjectName& name) const override {
        if (const auto entry = entry_of(name); !entry) return tl::unexpected(entry.error());
        return base::fail(ErrorKind::unavailable, "the files of build " + release().version +
                                                      " are gone; only its index is left");
    }
};

// Only processes of one user lock a version, so the file is for nobody else.
base::Result<File> open_lock(const std::string& index_dir, const std::string& version) {
    const auto path = index_dir + "/" + version + ".lock";
    File file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!file.is_open()) return fail_errno("writing " + path, errno);
    return file;
}

std::vector<fs::path> paths_in(const fs::path& folder) {
    std::vector<fs::path> paths;
    std::error_code error;  // a folder that can't be listed has nothing to offer
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error))
        paths.push_back(entry->path());
    return paths;
}

// Returns whether the name is VERSION.index.tmp-XXXXXX.
bool is_temporary(const fs::path& path) {
    const auto suffix = path.extension().string();
    return path.stem().extension() == ".index" && suffix.starts_with(NewFile::temporary_suffix) &&
           suffix.size() == NewFile::temporary_suffix.size() + NewFile::random_letters;
}

// Returns the version of an unfinished file, or of a folder of plain files.
std::string version_of(const fs::path& path) {
    return (path.extension() == ".plain" ? path : path.stem()).stem().string();
}

// Returns what is unfinished unless a living process writes it: this file, some of the files in this
// folder of plain files, or the whole folder.
std::vector<fs::path> unfinished_of(const fs::path& path) {
    if (is_temporary(path)) return {path};
    if (path.extension() != ".plain") return {};
    std::error_code error;
    const bool has_index = fs::exists(fs::path(path).replace_extension(".index"), error);
    if (error) return {};
    if (!has_index) return {path};
    auto files = paths_in(path);
    std::erase_if(files,
                  [](const fs::path& file) { return format_of(file.string()).has_value(); });
    return files;
}

void remove_left(const fs::path& file) {
    std::error_code error;
    fs::remove_all(file, error);
    if (error)
        base::log::warning("cannot remove the remains of a killed process",
                           {{"file", file.string()}, {"reason", error.message()}});
    else
        base::log::info("removed the remains of a killed process", {{"file", file.string()}});
}

}  // namespace

std::string name_of_database(const std::string& version, std::string_view identity) {
    return version + "-server-" + base::md5_hex(identity).substr(0, 16);
}

std::string index_path(const std::string& index_dir, const std::string& name) {
    return index_dir + "/" + name + ".index";
}

std::string plain_folder(const std::string& index_dir, const std::string& version) {
    return index_dir + "/" + version + ".plain";
}

base::Result<File> lock_version(const std::string& index_dir, const std::string& version) {
    auto file = open_lock(index_dir, version);
    if (!file) return file;
    while (::flock(file->descriptor(), LOCK_EX) != 0 && errno == EINTR) {
    }
    return file;
}

void remove_unfinished(const std::string& index_dir) {
    std::map<std::string, std::vector<fs::path>> paths;  // by version
    for (auto& path : paths_in(index_dir))
        if (!unfinished_of(path).empty()) paths[version_of(path)].push_back(std::move(path));
    for (const auto& [version, of_version] : paths) {
        const auto lock = open_lock(index_dir, version);
        if (!lock || ::flock(lock->descriptor(), LOCK_EX | LOCK_NB) != 0) continue;
        // Looked at again: until now, another process may have finished the index.
        for (const auto& path : of_version)
            for (const auto& file : unfinished_of(path)) remove_left(file);
    }
}

PreviousIndex::PreviousIndex(const std::string& index_dir, const std::string& version) {
    const auto current = index_path(index_dir, version);
    const auto facts = Index::read_facts(current);
    if (!facts) return;
    digest_ = facts->digest;
    // The end of the digest, since all digests of servers begin with the same word.
    const auto end = digest_.substr(digest_.size() - std::min<std::size_t>(digest_.size(), 8));
    path_ = index_path(index_dir, version + "-" + end);
    std::error_code error;  // most likely it exists, from an earlier time
    fs::create_hard_link(current, path_, error);
}

void PreviousIndex::drop_if(std::string_view digest) const {
    std::error_code error;  // a superfluous index does no harm
    if (!path_.empty() && digest_ == digest) fs::remove(path_, error);
}

std::vector<KeptIndex> kept_indexes(const std::string& index_dir) {
    std::vector<KeptIndex> kept;
    for (const auto& path : paths_in(index_dir)) {
        if (path.extension() != ".index") continue;
        if (const auto facts = Index::read_facts(path.string()))
            kept.push_back({facts->release, path.string()});
    }
    std::sort(kept.begin(), kept.end(),
              [](const auto& a, const auto& b) { return a.release < b.release; });
    return kept;
}

void sweep_indexes(
    const std::string& index_dir,
    const std::function<bool(const base::Release&, const std::string&)>& is_superseded) {
    for (const auto& kept : kept_indexes(index_dir)) {
        if (kept.path == index_path(index_dir, kept.release.version)) continue;
        const auto facts = Index::read_facts(kept.path);
        if (!facts || !is_superseded(facts->release, facts->digest)) continue;
        std::error_code error;  // what stays is swept another time
        for (const auto* kind : {"index", "lock"})
            fs::remove(fs::path(kept.path).replace_extension(kind), error);
    }
}

base::Result<Build> open_kept_index(const std::string& path,
                                    std::vector<std::string> skip_classes) {
    auto index = Index::open(path);
    if (!index) return tl::unexpected(index.error());
    return Build(std::make_shared<KeptBuild>(std::move(*index), std::move(skip_classes)));
}

}  // namespace source
