// harvest/versions.hpp -- versions of the entries of a source feed: each as it came, and each later edit. Our copy of the
// feed has an item for each.
// All functions throw store::Failure. Times are those of the store's clock. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/date.hpp"
#include "compare/change.hpp"
#include "store/pool.hpp"
#include "tree/object.hpp"

namespace harvest {

// An entry as it is now.
struct StoredEntry {
    std::int64_t id = 0, feed = 0;
    std::string guid, link, title;
    std::optional<base::Seconds> published;
    base::Seconds first_seen{};  // when it was recorded; of an archive, ReadyEntry::dated
    std::int64_t revision = 0;   // 0: it was never edited
    std::vector<tree::Node> tree;
    std::string content;  // safe HTML
};

// An entry as it came, or a later edit of it.
struct EntryVersion {
    std::int64_t revision = 0;  // 0: as it came
    base::Seconds recorded_at{};
    std::string title;                       // that it had then
    std::optional<base::Seconds> published;  // at first; of an edit with a title, now
    StoredEntry entry;                       // as it is now
    std::vector<compare::Change> changes;    // of an edit
};
struct VersionPosition {
    base::Seconds recorded_at{};
    std::int64_t entry = 0, revision = 0;
    bool operator==(const VersionPosition&) const = default;
};
struct EntryVersions {
    std::vector<EntryVersion> versions;        // those that were recorded last first
    std::optional<VersionPosition> rest = {};  // more are behind this one; nullopt: none
};
// Returns versions of the entries of a feed. Damaged rows are left out and logged.
//   before  behind this one; nullopt: from the newest
//   cost    that of version_positions(), and some queries for each version
[[nodiscard]] EntryVersions load_versions(store::Transaction& transaction, std::int64_t feed,
                                          const std::optional<VersionPosition>& before,
                                          std::size_t most);
// Which versions there are, without what they say: at most `most` of them.
//   cost    four ranges of indexes with at most `most` rows each, wherever `before` is
[[nodiscard]] std::vector<VersionPosition> version_positions(
    store::Transaction& transaction, std::int64_t feed,
    const std::optional<VersionPosition>& before, std::size_t most);

}  // namespace harvest
