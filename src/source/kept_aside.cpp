// SPDX-License-Identifier: MIT
#include "source/kept_aside.hpp"

#include <algorithm>
#include <filesystem>

#include "source/dump/dump_index.hpp"
#include "source/index.hpp"

namespace source {

namespace fs = std::filesystem;

KeptAside::KeptAside(const std::string& index_dir, const std::string& version) {
    const auto path = dump::index_path(index_dir, version);
    const auto facts = Index::read_facts(path);
    if (!facts) return;
    digest_ = facts->digest;
    // Its end: digests of servers begin alike.
    const auto end = digest_.substr(digest_.size() - std::min<std::size_t>(digest_.size(), 8));
    aside_ = index_dir + "/" + version + "-" + end + ".index";
    std::error_code error;  // there already: it was kept before
    fs::create_hard_link(path, aside_, error);
}

void KeptAside::drop_if(std::string_view digest) const {
    std::error_code error;  // an index too many harms nobody
    if (!aside_.empty() && digest_ == digest) fs::remove(aside_, error);
}

}  // namespace source
