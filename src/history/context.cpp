// SPDX-License-Identifier: MIT
#include "history/context.hpp"

#include <bit>
#include <utility>

#include "tables/releases.hpp"

namespace history {

using base::Result;
using store::Transaction;

Result<bool> are_two(const source::Source& build, const ObjectName& asked,
                     const ObjectName& recorded) {
    if (recorded == asked) return false;
    const auto here = build.find(asked), there = build.find(recorded);
    if (!here) return tl::unexpected(here.error());
    if (!there) return tl::unexpected(there.error());
    return *here == asked && *there == recorded;
}

namespace {

Result<Identity> identify_one(const tables::ObjectsByName& rows, const source::Source* build,
                              const ObjectName& asked) {
    Identity identity;
    if (const auto* row = rows.find(asked)) identity.row = *row;
    if (build == nullptr) return identity;
    if (identity.row) {
        const auto two = are_two(*build, asked, identity.row->object);
        if (!two) return tl::unexpected(two.error());
        if (*two) identity.row.reset();
    }
    auto spelling = build->find(identity.row ? identity.row->object : asked);
    if (!spelling) return tl::unexpected(spelling.error());
    identity.spelling = std::move(*spelling);
    // The other spelling may be that of another object, or of a new one where several may be meant.
    if (identity.row && identity.spelling && *identity.spelling != identity.row->object) {
        const auto* meant = rows.find(*identity.spelling);
        if (meant == nullptr || meant->object != identity.row->object) identity.spelling.reset();
    }
    return identity;
}

Result<std::string> label_in(const ObjectName& name, const source::Source& build,
                             const NamePaths& names) {
    const auto object = build.load(name);
    if (!object && object.error().kind == base::ErrorKind::unavailable)
        return tl::unexpected(object.error());
    if (!object) return std::string();  // its own recording says why
    auto label = label_of(object->nodes, name, names);
    return label == name.name ? std::string() : label;
}

}  // namespace

Result<std::string> LabelCache::of(const ObjectName& name, const source::Source& build,
                                   const NamePaths& names) {
    {
        const std::lock_guard lock(mutex_);
        if (build_ != build.digest()) {
            build_ = build.digest();
            labels_.clear();
        }
        if (const auto known = labels_.find(name); known != labels_.end()) return known->second;
    }
    auto label = label_in(name, build, names);
    if (!label) return label;
    const std::lock_guard lock(mutex_);
    if (build_ != build.digest()) return label;
    constexpr std::size_t most = 200'000;
    if (labels_.size() >= most) labels_.clear();
    return labels_.try_emplace(name, std::move(*label)).first->second;
}

Result<std::vector<Identity>> identify(Transaction& transaction, const source::Source* build,
                                       std::span<const ObjectName> asked) {
    const auto rows = tables::objects_named(transaction, asked);
    std::vector<Identity> identities;
    identities.reserve(asked.size());
    for (const auto& name : asked) {
        auto identity = identify_one(rows, build, name);
        if (!identity) return tl::unexpected(identity.error());
        identities.push_back(std::move(*identity));
    }
    return identities;
}

Result<std::int64_t> number_of(store::Pool& pool, const source::Source& build,
                               base::Seconds now) {
    const auto& release = build.release();
    const auto known = store::perform(pool, store::Access::read, tables::find_number, release,
                                      build.digest(), tables::Publication::first);
    if (!known || *known != 0) return known;
    return store::perform(pool, store::Access::write, tables::number_build, release,
                          build.digest(), tables::Publication::first, now);
}

std::int64_t bytes_of(const source::Digest& digest) {
    const auto bytes = std::bit_cast<std::int64_t>(digest.front());
    return bytes == 0 ? 1 : bytes;
}

Result<std::int64_t> bytes_in(const source::Source& build,
                              const std::optional<ObjectName>& spelling) {
    if (!spelling) return 0;
    const auto digest = build.digest_of(*spelling);
    if (!digest) return tl::unexpected(digest.error());
    return *digest ? bytes_of(**digest) : 0;
}

Result<bool> is_up_to_date(const Identity& identity, const source::Source& build,
                           std::int64_t number) {
    const auto& row = *identity.row;
    if (row.build >= number || build.skips(row.object.class_name)) return true;
    if (!identity.spelling) return row.is_gone();
    return bytes_in(build, identity.spelling).map([&](std::int64_t bytes) {
        return bytes != 0 && bytes == row.bytes;
    });
}

tables::Releases known_releases(Transaction& transaction, const Settings& settings,
                                const source::Source* build, const source::Source* previous) {
    auto releases = tables::load_releases(transaction);
    // The first date of a version counts: the recorded one, then that of the builds, then that
    // of the configuration.
    if (build != nullptr) releases.add(build->release());
    if (previous != nullptr) releases.add(previous->release());
    for (const auto& release : settings.known_releases) releases.add(release);
    return releases;
}

}  // namespace history
