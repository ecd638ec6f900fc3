// harvest/entries.hpp -- the tables entries and entry_changes: the entries of source feeds with every later edit.
// All functions throw store::Failure. Times are those of the store's clock. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/date.hpp"
#include "base/result.hpp"
#include "compare/change.hpp"
#include "feed/feed.hpp"
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
};
// Pure. Most of what recording an entry costs: call it outside of any transaction.
[[nodiscard]] ReadyEntry make_ready(const feed::Entry& entry);
[[nodiscard]] std::vector<ReadyEntry> make_ready(std::span<const feed::Entry* const> entries);
// Finds what entries mention, which uses the store: call it outside of any transaction.
void note_mentions(std::span<ReadyEntry> entries, const MentionFinder& finder);

// Returns those entries that are new or differ from what is recorded, in their order. The others need no work.
//   cost  a statement for 32 entries
[[nodiscard]] std::vector<const feed::Entry*> unrecorded(store::Transaction& transaction,
                                                         std::int64_t feed,
                                                         std::span<const feed::Entry> entries);

struct RecordedEntry {
    std::int64_t id = 0;
    std::size_t index = 0;  // of `entries`
    bool is_new = true;     // false: it was edited
};
struct EntriesRecorded {
    std::vector<RecordedEntry> recorded;  // what was new or changed
    std::size_t added = 0, edited = 0, skipped = 0;
    std::size_t inserted_twice =
        0;  // another harvester has the same entry recorded meanwhile: it must not
};
// Records entries. A new one is inserted. A known one whose tree differs gets a change, unless only its times differ;
// otherwise its content and digests are replaced without one. What it mentions is recorded with it. An entry that is
// not in `entries` stays as it is.
//   entries  in the order in which they are to be numbered: the oldest first
[[nodiscard]] EntriesRecorded record_entries(store::Transaction& transaction, std::int64_t feed,
                                             std::span<const ReadyEntry> entries,
                                             base::Seconds now);
// Returns the last day on which an entry of the feed was in its window; nullopt: it has none.
[[nodiscard]] std::optional<base::Date> window_day(store::Transaction& transaction,
                                                   std::int64_t feed);
struct SeenOn {
    base::Date today;
    std::optional<base::Date> last_success = {};  // of a fetch before this one
};
// Notes that these entries are still in the window of their feed, and that others were at the last success, which
// may have found the feed unchanged: at most a write a day for each. Comes before record_entries().
void note_seen(store::Transaction& transaction, std::int64_t feed,
               std::span<const feed::Entry> entries, const SeenOn& days);

struct EntryChange {
    std::int64_t revision = 0;  // from 1
    base::Seconds created_at{};
    std::vector<compare::Change> changes;
    bool operator==(const EntryChange&) const = default;
};
struct StoredEntry {
    std::int64_t id = 0, feed = 0;
    std::string guid, link, title;
    std::optional<base::Seconds> published;
    // first_seen: when it was recorded; of an archive, ReadyEntry::dated. changed_at: the last edit; first_seen without
    // one.
    base::Seconds first_seen{}, changed_at{};
    std::int64_t revision = 0;  // 0: it was never edited
    std::vector<tree::Node> tree;
    std::string content;               // safe HTML
    std::vector<EntryChange> changes;  // newest first; at most most_changes
};
inline constexpr std::size_t most_changes_of_entry = 20;

// Returns entries of a feed, those that came or changed last first. Damaged rows are left out and logged.
//   before  (changed_at, id) of the last one of the page before; nullopt: from the newest
struct EntryPosition {
    base::Seconds changed_at{};
    std::int64_t id = 0;
};
[[nodiscard]] std::vector<StoredEntry> load_entries(store::Transaction& transaction,
                                                    std::int64_t feed,
                                                    const std::optional<EntryPosition>& before,
                                                    std::size_t most);
[[nodiscard]] std::vector<StoredEntry> load_entries(store::Transaction& transaction,
                                                    std::span<const std::int64_t> ids);
// How many entries a feed has.
[[nodiscard]] std::size_t count_entries(store::Transaction& transaction, std::int64_t feed);

// A version of an entry: as it came, or a later edit of it. Our copy of a feed has an item for each.
struct EntryVersion {
    std::int64_t revision = 0;  // 0: as it came
    base::Seconds recorded_at{};
    std::string title;                       // that it had then
    std::optional<base::Seconds> published;  // that it said then
    StoredEntry entry;                       // as it is now, without its changes
    std::vector<compare::Change> changes;    // of an edit
};
struct VersionPosition {
    base::Seconds recorded_at{};
    std::int64_t entry = 0, revision = 0;
    bool operator==(const VersionPosition&) const = default;
};
struct EntryVersions {
    std::vector<EntryVersion> versions;  // those that were recorded last first
    std::optional<VersionPosition> rest =
        {};  // there are more behind this one; nullopt: there are none
};
// Returns versions of the entries of a feed. Damaged rows are left out and logged.
//   before  behind this one; nullopt: from the newest
//   cost    some queries for each entry; behind others, a look at all entries that changed after `before`
[[nodiscard]] EntryVersions load_versions(store::Transaction& transaction, std::int64_t feed,
                                          const std::optional<VersionPosition>& before,
                                          std::size_t most);
// Which versions there are, without what they say: at most `most` of them.
[[nodiscard]] std::vector<VersionPosition> version_positions(
    store::Transaction& transaction, std::int64_t feed,
    const std::optional<VersionPosition>& before, std::size_t most);

// Deletes entries that left the window of their feed longer than `keep` ago, of the next thousand feeds. Feeds of which an
// entry mentions an object keep all of theirs.
//   returns  how many; `most`: there may be more
std::size_t drop_old_entries(store::Transaction& transaction, std::chrono::days keep,
                             base::Seconds now, std::size_t most);

}  // namespace harvest
