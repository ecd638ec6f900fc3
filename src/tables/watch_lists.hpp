// tables/watch_lists.hpp -- the watch lists that are kept under a short address. Verbs run in a
// transaction of the caller's; all of them throw store::Failure.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/date.hpp"
#include "store/pool.hpp"
#include "tree/object.hpp"

namespace tables {

using tree::ObjectName;

// How many lists are kept, and how long one that nobody asks for stays when there are so many: the
// shorter time is that of one that nobody asked for after the day on which it was kept. A list whose feed has a
// subscription at the hub stays in any case.
inline constexpr std::size_t most_watch_lists = 100'000;
inline constexpr std::chrono::days unused_list_stays{400}, never_used_list_stays{1};
// Bytes of a list as it is stored: its objects, percent-encoded, with ':' and an LF each.
inline constexpr std::size_t longest_watch_list = 16'384;

// What a short address names.
struct WatchListRow {
    std::string id;                   // 16 characters of a-z and 2-7, made of the objects alone
    std::vector<ObjectName> objects;  // sorted, each once
};
inline constexpr std::size_t watch_list_id_size = 16;
// True for what may be an id.
[[nodiscard]] bool is_watch_list_id(std::string_view text);
// Returns the list with its id: the first 80 bits of the SHA-256 of the objects.
//   objects  sorted, each once
[[nodiscard]] WatchListRow watch_list_of(std::vector<ObjectName> objects);

// Returns the objects of a list; nullopt when there is none with this id, or its row does not hold
// the objects that the id was made of.
[[nodiscard]] std::optional<std::vector<ObjectName>> find_watch_list(
    store::Transaction& transaction, const std::string& id);

enum class KeptList { kept, taken, full, too_long };
// Keeps a list, which counts as used today. A list that is there already stays as it is. Requires a
// writing transaction.
//   most     lists; where there are so many, the one that nobody used for longest gives way, of those
//            that were not used for unused_list_stays or, since they were kept, for
//            never_used_list_stays
//   returns  taken: another list has this id; full: no list may give way; too_long: the list has
//            more than longest_watch_list
//   cost     an entry of an index for each list that is kept, when a new one is; where there are
//            `most`, also the rows of those that were not used for never_used_list_stays
[[nodiscard]] KeptList keep_watch_list(store::Transaction& transaction, const WatchListRow& list,
                                       base::Seconds now, std::size_t most = most_watch_lists);

// Notes that lists were used on this day. Those that are not there are ignored.
void note_use_of_lists(store::Transaction& transaction, const std::set<std::string>& ids,
                       base::Date day);

// What operators see of a list.
struct WatchListUse {
    std::string id;
    std::size_t objects = 0;
    std::string created_at, last_used;  // RFC 3339; a day
};
// Returns the lists behind an id, by id.
//   after  empty: the first ones
//   most   that are returned
[[nodiscard]] std::vector<WatchListUse> list_watch_lists(store::Transaction& transaction,
                                                         const std::string& after,
                                                         std::size_t most = 1000);

// Deletes a list; returns whether it was there. Its pages stay in memory for a minute. Requires a writing transaction.
bool delete_watch_list(store::Transaction& transaction, const std::string& id);
// The same for lists that were not used on this day or later, nor are subscribed to at the hub.
//   most     of them, so that others who write need not wait for long
//   returns  how many were deleted
std::size_t delete_unused_watch_lists(store::Transaction& transaction, base::Date since,
                                      std::size_t most = 1000);

// How many lists there are, and which of them cannot be read.
struct CheckedWatchLists {
    std::size_t lists = 0;
    std::vector<std::string> damaged;  // ids, at most 20
};
//   cost  reads all of them
[[nodiscard]] CheckedWatchLists check_watch_lists(store::Transaction& transaction);

}  // namespace tables
