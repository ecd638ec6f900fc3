// SPDX-License-Identifier: MIT
#include "source/index/index_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>

#include "source/index/index.hpp"
#include "source/index/indexed_source.hpp"

namespace source {
namespace {

namespace fs = std::filesystem;
using base::ErrorKind;

class KeptBuild final : public IndexedSource {
   public:
    explicit KeptBuild(Index index) : IndexedSource(std::move(index), {}) {}

    base::Result<tree::Object> load(const tree::ObjectName& name) const override {
        if (const auto entry = entry_of(name); !entry) return tl::unexpected(entry.error());
        return base::fail(ErrorKind::unavailable, "the files of build " + release().version +
                                                      " are gone; only its index is left");
    }
};

}  // namespace

std::string index_path(const std::string& index_dir, const std::string& version) {
    return index_dir + "/" + version + ".index";
}

std::string plain_folder(const std::string& index_dir, const std::string& version) {
    return index_dir + "/" + version + ".plain";
}

std::string models_path(const std::string& index_dir, const std::string& version) {
    return index_dir + "/" + version + ".models";
}

base::Result<File> lock_version(const std::string& index_dir, const std::string& version) {
    const auto path = index_dir + "/" + version + ".lock";
    File file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!file.is_open()) return fail_errno("writing " + path, errno);
    while (::flock(file.descriptor(), LOCK_EX) != 0 && errno == EINTR) {
    }
    return file;
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
    std::error_code error;
    fs::directory_iterator entry(index_dir, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
        if (entry->path().extension() != ".index") continue;
        if (const auto facts = Index::read_facts(entry->path().string()))
            kept.push_back({facts->release, entry->path().string()});
    }
    std::sort(kept.begin(), kept.end(),
              [](const auto& a, const auto& b) { return a.release < b.release; });
    return kept;
}

base::Result<Build> open_kept_index(const std::string& path) {
    auto index = Index::open(path);
    if (!index) return tl::unexpected(index.error());
    return Build(std::make_shared<KeptBuild>(std::move(*index)));
}

}  // namespace source
