// SPDX-License-Identifier: MIT
#include "history/label_cache.hpp"

#include <utility>

namespace history {
namespace {

base::Result<std::string> label_in(const ObjectName& name, const source::Source& build,
                                   const NamePaths& names) {
    const auto object = build.load(name);
    if (!object && object.error().kind == base::ErrorKind::unavailable)
        return tl::unexpected(object.error());
    if (!object) return std::string();  // its own recording says why
    auto label = label_of(object->nodes, name, names);
    return label == name.name ? std::string() : label;
}

}  // namespace

base::Result<std::string> LabelCache::of(const ObjectName& name, const source::Source& build,
                                         const NamePaths& names) {
    {
        const std::lock_guard lock(mutex_);
        if (build_ != build.digest()) {
            build_ = build.digest();
            labels_.clear();
            older_.clear();
        }
        if (const auto known = labels_.find(name); known != labels_.end()) return known->second;
        if (auto known = older_.extract(name))
            return labels_.insert(std::move(known)).position->second;
    }
    auto label = label_in(name, build, names);
    if (!label) return label;
    const std::lock_guard lock(mutex_);
    if (build_ != build.digest()) return label;
    if (labels_.size() >= most_in_generation) older_ = std::exchange(labels_, {});
    return labels_.try_emplace(name, std::move(*label)).first->second;
}

}  // namespace history
