// query/release_contents.hpp -- what the pages of releases show: one release, and all of them at a glance; and how much
// a store holds. Safe from any thread. All functions throw store::Failure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "query/context.hpp"
#include "query/history_page.hpp"
#include "tables/objects.hpp"
#include "tables/release_rows.hpp"
#include "tables/releases.hpp"

namespace query {

using tables::ClassCount;
using tables::forgetting;
using tables::KindCount;
using tables::StoreCounts;

// How many objects a release changed, created, …
struct ReleaseSummary {
    Release release;
    std::vector<KindCount> kinds;     // without reconstructed rows
    std::uint64_t reconstructed = 0;  // histories that were read from timestamps
    bool is_first_seen = false;       // no build of an older one was recorded
    bool is_compared = true;        // false: the newest one, and no job has compared all objects
    tables::QuietCount quiet = {};  // of the objects that changed
    [[nodiscard]] std::uint64_t objects(tables::RowKind kind) const;
    [[nodiscard]] std::uint64_t all_objects() const;  // of all kinds
};
// What the page of a release shows.
struct ReleaseContents {
    ReleaseSummary summary;
    std::optional<Release> before, after;  // its neighbours among those that are shown
    std::vector<ClassCount> classes;       // most objects first
    struct Entry {
        ObjectName object;
        std::string label;
        tables::RowKind kind;
        compare::Counts counts;                                        // of its changes
        std::string headline = {};                                     // Row::headline.title
        std::optional<ObjectName> renamed_to = {}, renamed_from = {};  // rule C9
        // All of it follows from what became of other objects, or most objects of the class share it;
        // or it is a helper that was created or vanished.
        bool only_follows = false;
        bool is_shared = false;  // of these: most objects of the class share it
    };
    std::vector<Entry> entries;  // by class and name; one page of them
    std::uint64_t matching = 0;  // the number of all entries that match the query
    std::vector<tables::MassChange> mass_changes;
};
struct ContentsQuery {
    std::string class_name;            // empty: all
    std::string text;                  // of tables::RowSelection
    std::size_t from = 0, most = 100;  // leaves out the first `from`
};
//   error  as release_history()
//   cost   that of CountedRowsCache::get(), and of tables::rows_by_name() or tables::rows_with_text()
[[nodiscard]] base::Result<ReleaseContents> release_contents(const ReadContext& context,
                                                             const std::string& version,
                                                             const ContentsQuery& query);

// Objects that lead a release in ReleaseDetails.
inline constexpr std::size_t most_leading = 5;

// The newest releases have details; the older ones have counts alone.
inline constexpr std::size_t detailed_releases = 60;

struct ReleaseDetails {
    std::vector<tables::ClassCount> classes;  // most objects first, then by name
    // What a reader of the release should see first: objects whose changes matter most, of several classes where
    // there are.
    std::vector<ReleaseContents::Entry> leading;
};
struct ListedRelease {
    ReleaseSummary summary;
    int of_day = 0;  // the number of known releases of the same date before it
    // nullptr: this is none of the newest. Never null for those.
    std::shared_ptr<const ReleaseDetails> details = {};
};
using ReleaseList = std::vector<ListedRelease>;  // up to the current release, newest first
// Returns those that are compared: an item of a feed must not change once it is there.
[[nodiscard]] ReleaseList compared_releases(ReleaseList list);

// Keeps the details of releases for as long as the release has the same rows. Old releases get a row
// only when an object is recorded late. Without it, each list takes a tenth of a second.
class ReleaseListCache {
   public:
    // Returns all known releases up to the current one.
    //   throws  store::Failure
    //   cost    that of CountedRowsCache::get(), and for those with details whose rows are not those of the
    //           last call that of rows_by_name() for 8 classes, and up to 192 rows
    [[nodiscard]] ReleaseList get(const ReadContext& context);

   private:
    struct Kept {
        CountedRowsPtr rows;
        std::vector<tables::MassChange> mass_changes;  // on which the leading objects depend
        std::shared_ptr<const ReleaseDetails> details;
    };
    std::mutex mutex_;  // guards what follows; not held while the store is read
    std::map<std::string, Kept> kept_;
};

}  // namespace query
