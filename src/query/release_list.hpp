// query/release_list.hpp -- all releases at a glance: how many objects each one changed, by class, and
// which objects lead it. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "query/context.hpp"
#include "query/history_page.hpp"
#include "query/release_contents.hpp"
#include "tables/release_counts.hpp"

namespace query {

// The newest releases have details; the older ones have counts alone.
inline constexpr std::size_t detailed_releases = 60;

struct ReleaseDetails {
    std::vector<tables::ClassCount> classes;      // most objects first, then by name
    std::vector<ReleaseContents::Entry> leading;  // leading_entries()
};
struct ListedRelease {
    ReleaseSummary summary;
    int of_day = 0;  // the number of known releases of the same date before it
    // nullptr: this is none of the newest. Never null for those.
    std::shared_ptr<const ReleaseDetails> details = {};
};
using ReleaseList = std::vector<ListedRelease>;  // up to the current release, newest first

// Keeps the details of releases for as long as the release has the same rows. Old releases get a row
// only when an object is recorded late.
class ReleaseListCache {
   public:
    // Returns all known releases up to the current one.
    //   throws  store::Failure
    //   cost    that of tables::count_rows_by_kind(), and that of the details of the releases whose rows
    //           are not those of the last call
    [[nodiscard]] ReleaseList get(const ReadContext& context);

   private:
    struct Kept {
        tables::RowsByKind rows;
        std::vector<tables::MassChange> mass_changes;  // on which the leading objects depend
        std::shared_ptr<const ReleaseDetails> details;
    };
    std::mutex mutex_;   // guards what follows; not held while the store is read
    std::string build_;  // the digest of the build; a re-publication may replace rows with others
    std::map<std::string, Kept> kept_;
};

}  // namespace query
