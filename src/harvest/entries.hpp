// harvest/entries.hpp -- what fetches record in the tables entries and entry_changes: the entries of source feeds, with
// every later edit.
// All functions throw store::Failure. Times are those of the store's clock. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/date.hpp"
#include "feed/feed.hpp"
#include "harvest/feed_row.hpp"
#include "harvest/mentions.hpp"
#include "store/pool.hpp"
#include "tree/object.hpp"

namespace harvest {

// An entry as it was fetched, ready to be recorded. The entry outlives it.
struct ReadyEntry {
    const feed::Entry* entry = nullptr;
    std::vector<tree::Node> tree;  // feed::tree_of()
    std::string content;           // feed::safe_html()
    // Of an archive: when it was published. It comes among the others as of this time, at the latest now, and if it is
    // known already it stays as it is: what an archive has may be older than what the feed has said since.
    std::optional<base::Seconds> dated = {};
    // The last day on which the window of its feed had it; nullopt: today.
    std::optional<base::Date> seen_on = {};
    std::vector<tree::ObjectName> mentions = {};  // objects: note_mentions()
    std::int64_t rules = 0;                       // the number of what found them
};
// Pure. Most of what recording an entry costs: call it outside of any transaction.
[[nodiscard]] ReadyEntry make_ready(const feed::Entry& entry);
[[nodiscard]] std::vector<ReadyEntry> make_ready(std::span<const feed::Entry* const> entries);
// Finds what entries mention, which uses the store: call it outside of any transaction.
//   rules  the number of the finder: MentionReview::rules()
void note_mentions(std::span<ReadyEntry> entries, const MentionFinder& finder,
                   std::int64_t rules);

// Returns those entries that are new or differ from what is recorded, in their order. The others need no work.
//   cost  a statement for 64 entries
[[nodiscard]] std::vector<const feed::Entry*> unrecorded(store::Transaction& transaction,
                                                         std::int64_t feed,
                                                         std::span<const feed::Entry> entries);

struct EntriesRecorded {
    std::size_t added = 0, edited = 0, skipped = 0;
    std::size_t inserted_twice = 0;  // recorded by another harvester meanwhile, which must not be
    bool copy_differs = false;       // our copy of the feed shows something else
};
// Records entries. A new one is inserted. A known one whose tree differs gets a change, unless only its times differ;
// otherwise its content and digests are replaced without one. What it mentions is recorded with it. An entry that is
// not in `entries` stays as it is. The caller notes that the copy of the feed differs (tables::mark_copies).
//   entries  in the order in which they are to be numbered: the oldest first
[[nodiscard]] EntriesRecorded record_entries(store::Transaction& transaction, std::int64_t feed,
                                             std::span<const ReadyEntry> entries,
                                             base::Seconds now);
// Returns the last day on which an entry of the feed was in its window; nullopt: it has none.
[[nodiscard]] std::optional<base::Date> window_day(store::Transaction& transaction,
                                                   std::int64_t feed);
// Notes that these entries are still in the window of their feed, and that others were at its last success, which
// may have found the feed unchanged: at most a write a day for each. Comes before record_entries().
//   feed  as it was before this fetch
void note_seen(store::Transaction& transaction, const FeedRow& feed,
               std::span<const feed::Entry> entries, base::Seconds now);

[[nodiscard]] std::size_t count_entries(store::Transaction& transaction, std::int64_t feed);

// Deletes entries that left the window of their feed longer than `keep` ago, of the next thousand feeds. Feeds of which an
// entry mentions an object keep all of theirs.
//   returns  how many; `most`: there may be more
std::size_t drop_old_entries(store::Transaction& transaction, std::chrono::days keep,
                             base::Seconds now, std::size_t most);

}  // namespace harvest
