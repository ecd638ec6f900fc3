// harvest/feeds.hpp -- the tables feeds and fetch_events: which source feeds there are, what is known of each,
// and what came of its fetches. Columns and texts are those of Media Cloud's rss-fetcher (docs/harvesting.md).
// All functions throw store::Failure. Times are those of the store's clock. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/date.hpp"
#include "base/json.hpp"
#include "base/result.hpp"
#include "harvest/feed_row.hpp"
#include "net/url.hpp"
#include "store/pool.hpp"

namespace harvest {

// Returns a URL that a person wrote: blanks around it are dropped, and a host with other letters than ASCII's becomes xn--.
//   error  as net::parse_url() says
[[nodiscard]] base::Result<net::Url> url_in(std::string_view text);

struct NewFeed {
    std::string url;        // as url_in() takes it
    std::string name = {};  // cut at 255 bytes
    std::string home_url = {};
    std::int64_t most_kb = 0;  // of a body, decoded; 0: as configured
};
struct AddedFeed {
    std::int64_t id = 0;
    bool is_new = true;  // false: there was one with this URL, and nothing was written
};
// Adds a feed, which is due at once.
//   error  malformed: the URL
[[nodiscard]] base::Result<AddedFeed> add_feed(store::Transaction& transaction,
                                               const NewFeed& feed, base::Seconds now);

// Deletes a feed with its events, entries, mentions and archive, in transactions that others need not wait for long. The
// feed is disabled first and deleted last: one whose removal was interrupted is not fetched, and can be removed again.
//   returns  false: there is none
bool remove_feed(store::Pool& pool, std::int64_t feed);

// Lets a feed be fetched, at once if it was disabled, or not any more.
void set_enabled(store::Transaction& transaction, std::int64_t feed, bool enabled,
                 base::Seconds now);

// What became of feeds that were to be fetched now. Each is counted once.
struct Kicked {
    std::size_t due = 0;
    std::size_t held = 0;        // their servers asked for a pause (429)
    base::Seconds held_until{};  // the latest end of these pauses
    [[nodiscard]] std::size_t all() const { return due + held; }
    bool operator==(const Kicked&) const = default;
};
// Makes feeds due now that are enabled: all; those of a base URL; the one with this URL. Requests stay spaced. One that is
// being fetched is fetched again, and only the second result is recorded.
//   which  "" for all, or a URL; one without a path is also a base URL
Kicked kick(store::Transaction& transaction, std::string_view which, base::Seconds now);

// Makes the queries of the URLs of a feed public, or not any more.
void set_public_query(store::Transaction& transaction, std::int64_t feed, bool is_public);

[[nodiscard]] std::optional<FeedRow> load_feed(store::Transaction& transaction, std::int64_t feed,
                                               Audience audience);
// Returns those that there are, by their ids.
[[nodiscard]] std::map<std::int64_t, FeedRow> load_feeds(store::Transaction& transaction,
                                                         std::span<const std::int64_t> feeds);
// Finds a feed by its id, its URL, or what only one URL contains.
//   error  absent; conflict: several contain it
[[nodiscard]] base::Result<FeedRow> find_feed(store::Transaction& transaction,
                                              const std::string& which);
// Returns those with an id above `after` whose name, title or URL, as the audience sees it, contains `text`, by id.
[[nodiscard]] std::vector<FeedRow> list_feeds(store::Transaction& transaction, std::int64_t after,
                                              std::string_view text, std::size_t most,
                                              Audience audience);
// Returns feeds as everyone may see them, for people who look for trouble: those that failed most since their last success
// first, then those that are disabled, then the others, each by id; `from` of them are passed over. Which: as list_feeds().
//   cost  a look at all feeds
[[nodiscard]] std::vector<FeedRow> list_troubled_first(store::Transaction& transaction,
                                                       std::string_view text, std::size_t from,
                                                       std::size_t most);
[[nodiscard]] std::size_t count_feeds(store::Transaction& transaction, std::string_view text);
[[nodiscard]] bool has_feeds(store::Transaction& transaction);
// Notes that somebody asked for our copy of the feed on this day: feeds without readers are fetched once a day.
void note_read(store::Transaction& transaction, std::int64_t feed, base::Date day);

enum class EventKind : unsigned char { queued, fetch_succeeded, fetch_failed, fetch_disabled };
[[nodiscard]] std::string_view name_of(EventKind kind);  // as in the column
struct FetchEvent {
    std::int64_t feed = 0;
    base::Seconds created_at{};
    EventKind event = EventKind::queued;
    std::string note = {};  // "3 skipped / 2 added", "parse error; empty"; cut at 255 bytes
    bool operator==(const FetchEvent&) const = default;
};
// Returns the newest events of a feed, newest first.
[[nodiscard]] std::vector<FetchEvent> load_events(store::Transaction& transaction,
                                                  std::int64_t feed, std::size_t most);

// A part of a round over all feeds, which harvesters share: what has to be done to each of them once in a while. The
// round is one of those that its name and the table harvest_notes know.
struct FeedRange {
    std::int64_t after = 0, last = 0;  // ids above `after` up to `last`
};
//   most  feeds in the part
[[nodiscard]] FeedRange next_of_round(store::Transaction& transaction, const std::string& round,
                                      std::size_t most);
// Notes that the round has come as far as this feed; its last part is followed by the first.
void note_round(store::Transaction& transaction, const std::string& round, std::int64_t feed);

// For /metrics, /healthz and operators.
struct HarvestNumbers {
    std::uint64_t feeds = 0, disabled = 0;
    std::uint64_t due = 0;     // that could be fetched now
    std::uint64_t queued = 0;  // that harvesters work on
    std::uint64_t failing = 0;
    std::uint64_t entries = 0;
    std::optional<base::Seconds> due_since = {};     // of the one that waits longest
    std::optional<base::Seconds> harvested_at = {};  // when one was last at work; nullopt: never
    std::optional<base::Seconds> archive_due_since = {};  // the page that waits longest
    // Since the store was made, by all harvesters: "ok", "nonew", "notmodified", "toobig", "parseerror", "noitems",
    // "posterror", "failed", "disabled", "added", "edited", "second insertion".
    std::vector<std::pair<std::string, std::uint64_t>> outcomes = {};
};
// Returns what is wrong with the harvest, for operators: feeds have waited for 15 minutes, or pages of archives for an
// hour; empty: nothing. Pure.
[[nodiscard]] std::string fault_of(const HarvestNumbers& numbers, base::Seconds now);
// Writes an object whose names are those of the members. Absent times are "".
void write_json(base::JsonWriter& json, const HarvestNumbers& numbers);
//   cost  scans an index: for callers that ask about once a minute
[[nodiscard]] HarvestNumbers harvest_numbers(store::Transaction& transaction, base::Seconds now);

}  // namespace harvest
