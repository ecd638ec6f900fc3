// harvest/archives.hpp -- the table archives: archives of source feeds that are walked backwards, and the queue of their
// next pages. An archive is a chain of older feed documents (RFC 5005 section 4), which is walked once, or that of a
// mailing list (feed/pipermail.hpp), whose new months are walked whenever its index has changed.
// All functions that take a transaction throw store::Failure. Times are those of the store's clock.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/date.hpp"
#include "base/result.hpp"
#include "feed/pipermail.hpp"
#include "harvest/base_urls.hpp"
#include "harvest/feed_row.hpp"
#include "net/url.hpp"
#include "store/pool.hpp"

namespace harvest {

enum class ArchiveState : unsigned char { walking, finished, failed };
[[nodiscard]] std::string_view name_of(ArchiveState state);  // as in the column

struct Archive {
    std::int64_t feed = 0;
    bool is_list = false;  // of a mailing list
    std::string next_url;  // of the next page; of one that failed, the page that cannot be read
    ArchiveState state = ArchiveState::walking;
    // Why it ended, or why the last page could not be read: "no older page", "covered ground", "page seen before",
    // "too many pages", "HTTP 404 Not Found", "DNS error", "parse error", …; empty: nothing.
    std::string status = {};
    std::int64_t pages = 0;     // read or left out so far
    std::int64_t added = 0;     // entries of these that were new
    std::int64_t failures = 0;  // of the next page
    base::Seconds started_at{};
    std::optional<base::Seconds> finished_at = {};   // of a list, also while it is walked again
    std::optional<base::Seconds> next_attempt = {};  // nullopt: never
    bool is_claimed = false;                         // a harvester works on it
    bool operator==(const Archive&) const = default;
};
[[nodiscard]] std::optional<Archive> load_archive(store::Transaction& transaction,
                                                  std::int64_t feed);

// Starts to walk an archive at this page, or at this index of a mailing list, and forgets any earlier walk of the feed.
// The walk of a chain of feed documents ends at the first page without new entries, so a walk that failed can be
// continued from its next_url.
//   error  malformed: the URL; absent: the feed
[[nodiscard]] base::Result<void> start_archive(store::Transaction& transaction, std::int64_t feed,
                                               const std::string& url, base::Seconds now);

// Notes the older page that a feed document named. The first one starts a walk.
void note_archive(store::Transaction& transaction, std::int64_t feed, const std::string& url,
                  base::Seconds now);
// Notes that the index of a mailing list has changed, so that its newest month is read again.
//   url  of the index
void note_list_index(store::Transaction& transaction, std::int64_t feed, const std::string& url,
                     const feed::ListIndex& index, base::Seconds now);

// ---- The queue ----

struct ClaimedArchive {
    Archive archive;
    FeedRow feed;
    base::Seconds claimed_at{};
    std::int64_t claim = 0;
    std::string base_url = {};  // claimed with it: its own, or since a redirect another one
};
// Claims archives of due_rows(), in their order.
//   claim  a number above 0 that no other claim has
[[nodiscard]] std::vector<ClaimedArchive> claim_archives(store::Transaction& transaction,
                                                         std::span<const DueRow> due,
                                                         std::int64_t claim, base::Seconds now);
// Ends a claim and writes the new state of the archive. Forgets the known URLs of a finished one.
//   hold_base_until  the server asks for a pause
//   returns          false if the claim had ended: nothing was written
bool finish_page(store::Transaction& transaction, const ClaimedArchive& claimed,
                 const Archive& after, const std::optional<base::Seconds>& hold_base_until,
                 base::Seconds now);
// ---- Known URLs: pages of an archive that a walk has read already, so that it does not fetch them again ----

[[nodiscard]] bool is_known_url(store::Transaction& transaction, std::int64_t feed,
                                const net::Url& url);
void add_known_url(store::Transaction& transaction, std::int64_t feed, const net::Url& url);
void forget_known_url(store::Transaction& transaction, std::int64_t feed, const net::Url& url);
void forget_known_urls(store::Transaction& transaction, std::int64_t feed);

// ---- After a page ----

// Between two pages of an archive: longer than `spacing`, so that feeds of the same base URL get their turns.
inline constexpr std::chrono::seconds page_spacing{5};
inline constexpr std::int64_t most_archive_pages = 5000, most_archive_entries = 500'000;

// Return the archive after a page that was read, after its last page, and after a page that could not be read. Pure.
[[nodiscard]] Archive walked_on(Archive archive, std::string next_url, base::Seconds now);
[[nodiscard]] Archive walked_to_end(Archive archive, std::string_view why, base::Seconds now);
// The page is read again after 10 minutes, an hour, 6 hours and a day, not before `retry_after`; then the archive fails.
[[nodiscard]] Archive page_failed(Archive archive, std::string status,
                                  std::optional<std::chrono::seconds> retry_after,
                                  base::Seconds now);

}  // namespace harvest
